// scan_kernel.hpp: the machine at work. Included once for each instruction set, inside its
// namespace and behind its primitives:
//   Masks masks_of(bytes)                           kinds of 64 bytes
//   bool is_ascii(bytes, size)
//   void find_rows(tables, text, size, is ASCII?, class before, classes, row)
//   std::uint8_t walk_two(rows, row, trace, half, rest, first state, second state)
//   Told told_by(trace)                             what 64 steps tell
//   std::size_t write(bits, base, ends)             positions of the bits; may write 64 of them
// Nothing inline of the standard library is used in here: the linker could take the copy made for
// this instruction set for all of the program.

/// Scratch for a stretch of text, all of it in the first cache.
struct Chunk {
  static constexpr std::size_t kSize = 1024;
  static constexpr std::size_t kBlock = 64;
  alignas(64) std::uint8_t classes[kSize + kBlock];  // of the bytes that are not ASCII
  alignas(64) std::uint16_t row[kSize + kBlock];     // where each byte's row begins, in bytes
  alignas(64) std::uint8_t trace[kSize + kBlock];    // the state after each byte, and what it told
};

using Byte = unsigned char;

inline std::size_t highest(std::uint64_t bits) {
  return static_cast<std::size_t>(63 - __builtin_clzll(bits));
}
inline std::size_t lowest(std::uint64_t bits) {
  return static_cast<std::size_t>(__builtin_ctzll(bits));
}
inline std::uint64_t first_bits(std::size_t n) {
  return n < 64 ? (std::uint64_t{1} << n) - 1 : ~std::uint64_t{0};
}

/// Where the character that `size` divides begins; `size` if it divides none.
inline std::size_t whole_characters(const Byte* text, std::size_t size) {
  for (std::size_t back = 1; back <= 3 && back <= size; ++back) {
    const Byte byte = text[size - back];
    if (byte < 0x80) break;
    if (byte < 0xC0) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    return length > back ? size - back : size;
  }
  return size;
}

/// Classes of the bytes that are not ASCII, character by character: for what is not quite UTF-8.
inline void classify_carefully(const ScanTables& tables, const Byte* text, std::size_t size,
                               const Byte* text_end, std::uint8_t* classes) {
  for (std::size_t i = 0; i < size;) {
    const auto [length, code] = read_utf8(text + i, text_end);
    auto c = tables.invalid_class;
    if (code != Utf8::kInvalid) c = tables.classes.data()[tables.pages[code >> 8] + (code & 255)];
    classes[i++] = c;
    for (std::size_t k = 1; k < length; ++k) classes[i++] = c | ScanTables::kTail;
  }
}

/// The same for 64 bytes of UTF-8. False if they are not, or not all characters there are.
inline bool classify_block(const ScanTables& tables, const Byte* text, const Masks& masks,
                           std::uint8_t* classes) {
  unsigned seen = 0;
  for (auto left = masks.leads & ~masks.threes; left != 0; left &= left - 1) {
    const auto i = lowest(left);
    std::uint16_t bytes;
    __builtin_memcpy(&bytes, text + i, 2);
    const std::uint16_t both = tables.two.data()[(bytes & 0x1F) | (bytes >> 3 & 0x7E0)];
    __builtin_memcpy(classes + i, &both, 2);
    seen |= both;
  }
  const auto* cells = tables.cells.data();
  for (auto left = masks.threes & ~masks.fours; left != 0; left &= left - 1) {
    const auto i = lowest(left);
    std::uint16_t bytes;
    __builtin_memcpy(&bytes, text + i, 2);
    const auto place = tables.three.data()[(bytes & 0xF) | (bytes >> 4 & 0x3F0)];
    const unsigned c = cells[place + (text[i + 2] & 0x3Fu)];
    const auto both = static_cast<std::uint16_t>(c | (c | ScanTables::kTail) << 8);
    __builtin_memcpy(classes + i, &both, 2);
    classes[i + 2] = static_cast<std::uint8_t>(c | ScanTables::kTail);
    seen |= c;
  }
  for (auto left = masks.fours; left != 0; left &= left - 1) {
    const auto i = lowest(left);
    const std::uint32_t code = (text[i] & 15u) << 18 | (text[i + 1] & 63u) << 12 |
                               (text[i + 2] & 63u) << 6 | (text[i + 3] & 63u);
    std::uint8_t c = ScanTables::kBad;
    if (code >= 0x10000 && code < 0x110000) {
      c = tables.classes.data()[tables.pages.data()[code >> 8] + (code & 255)];
    }
    classes[i] = c;
    for (std::size_t k = 1; k < 4; ++k) classes[i + k] = c | ScanTables::kTail;
    seen |= c;
  }
  return (seen & ScanTables::kBad) == 0;
}

inline bool classify_fast(const ScanTables& tables, const Byte* text, std::size_t size,
                          const Byte* text_end, std::uint8_t* classes) {
  std::uint64_t carry = 0;  // tails that the block before lets expect
  for (std::size_t at = 0; at < size; at += Chunk::kBlock) {
    const Byte* block = text + at;
    Byte copy[Chunk::kBlock + 8];
    // A character may reach three bytes beyond the block, and nothing may be read behind the text.
    const bool is_short = size - at < Chunk::kBlock;
    if (is_short || static_cast<std::size_t>(text_end - block) < Chunk::kBlock + 4) {
      const auto left = is_short ? size - at : static_cast<std::size_t>(text_end - block);
      __builtin_memset(copy, 0, sizeof copy);
      __builtin_memcpy(copy, block, left);
      block = copy;
    }
    const auto masks = masks_of(block);
    const auto expected =
        masks.leads << 1 | masks.threes << 2 | masks.fours << 3 | carry;
    carry = masks.leads >> 63 | masks.threes >> 62 | masks.fours >> 61;
    if (expected != masks.tails || !classify_block(tables, block, masks, classes + at)) return false;
  }
  return carry == 0;
}

/// One call of a kernel.
class Sweep {
 public:
  Sweep(const ScanTables& tables, const ScanJob& job)
      : tables_(tables),
        text_(reinterpret_cast<const Byte*>(job.text.data())),
        size_(job.text.size()),
        is_last_(job.is_last),
        ends_(job.ends.data()),
        room_(job.ends.size()),
        here_(job.cursor) {}

  Scanned run() {
    const auto limit =
        is_last_ ? size_ : here_.at + whole_characters(text_ + here_.at, size_ - here_.at);
    while (here_.at < limit) {
      if (room_ - n_ < kLeastRoom) return {n_, false};
      read(limit);
      for (std::size_t block = 0; block < chunk_size_; block += Chunk::kBlock) {
        if (room_ - n_ < kRoomOfBlock) {
          pass(block);
          return {n_, false};
        }
        if (!tell(block)) return {n_, true};
      }
      pass(chunk_size_);
    }
    const bool is_lost = is_last_ && !finish();
    return {n_, is_lost};
  }

 private:
  static constexpr std::size_t kRoomOfBlock = Chunk::kBlock + 5;  // ends, both marks; as many where the text ends
  static constexpr std::size_t kLeastRoom = kRoomOfBlock + 32;    // for less, wait for more room
  static_assert(kLeastRoom <= kScanRoom);

  /// Steps through as much text as is likely to fill the room there is.
  void read(std::size_t limit) {
    const auto* text = text_ + here_.at;
    const auto left = limit - here_.at;
    const auto wanted = (room_ - n_ - kRoomOfBlock) * 3;
    const auto size = wanted < Chunk::kSize ? wanted : Chunk::kSize;
    chunk_size_ = left <= size ? left : whole_characters(text, size);
    const bool ascii = is_ascii(text, chunk_size_);
    if (!ascii && !classify_fast(tables_, text, chunk_size_, text_ + size_, chunk_.classes)) {
      classify_carefully(tables_, text, chunk_size_, text_ + size_, chunk_.classes);
    }
    find_rows(tables_, text, chunk_size_, ascii, here_.class_before, chunk_.classes, chunk_.row);
    is_lost_ = (walk() & ScanTables::kState) == ScanTables::kLost;
  }

  /// Class of a character of the chunk, by any of its bytes.
  [[nodiscard]] std::uint8_t class_at(std::size_t i) const {
    const Byte byte = text_[here_.at + i];
    return byte < 0x80 ? tables_.ascii.data()[byte] : chunk_.classes[i] & ~ScanTables::kTail;
  }

  /// Two walks at a time, since one alone would wait for each shuffle. The second begins half-way
  /// in a state that is a guess; then it is mended, up to where the guess makes no difference.
  std::uint8_t walk() {
    const auto* rows = tables_.rows.data()->next.data();
    const auto half = chunk_size_ / 2;
    // As if a pre-token began with the character before.
    const auto guess =
        half == 0 ? here_.state : tables_.rows.data()[class_at(half - 1)].next.data()[0];
    const auto last = walk_two(rows, chunk_.row, chunk_.trace, half, chunk_size_ - half,
                               here_.state, guess);
    if (half == 0) return last;
    std::uint8_t state = chunk_.trace[half - 1];
    for (std::size_t i = half; i < chunk_size_; ++i) {
      const auto guessed = chunk_.trace[i];
      state = rows[chunk_.row[i] + (state & ScanTables::kState)];
      chunk_.trace[i] = state;
      // The first walk wrote three bytes beyond its end.
      if (i >= half + 3 && ((guessed ^ state) & ScanTables::kState) == 0) return last;
    }
    return state;
  }

  /// Leaves the first `n` bytes of the chunk behind, and the rest of the last character.
  void pass(std::size_t n) {
    if (n == 0) return;
    here_.class_before = class_at(n - 1);
    here_.state = chunk_.trace[n - 1] & ScanTables::kState;
    while (n < chunk_size_ && is_tail(n)) ++n;
    here_.at += n;
  }

  [[nodiscard]] bool is_tail(std::size_t i) const {
    return text_[here_.at + i] >= 0x80 && (chunk_.classes[i] & ScanTables::kTail) != 0;
  }

  /// Writes the ends that a block tells. False if the machine lost its way there.
  bool tell(std::size_t block) {
    const auto* trace = chunk_.trace + block;
    const auto base = here_.at + block;
    const auto all = first_bits(chunk_size_ - block);
    const auto valid = is_lost_ ? all & before_lost(trace) : all;
    const auto told = told_by(trace);
    auto ends = told.ends & valid;
    if ((told.marks | told.commits) != 0) ends = settle(told, valid, base);
    n_ += write(ends, base, ends_ + n_);
    return valid == all;
  }

  static std::uint64_t before_lost(const std::uint8_t* trace) {
    std::size_t i = 0;
    while (i < Chunk::kBlock && (trace[i] & ScanTables::kState) != ScanTables::kLost) ++i;
    return first_bits(i);
  }

  /// The ends of a block in which there are marks. Marks that lie before it are written at once.
  std::uint64_t settle(const Told& told, std::uint64_t valid, std::size_t base) {
    const auto commits = told.commits & valid;
    const auto first = told.marks & ~told.commits & ~told.ends & valid;
    const auto second = told.marks & ~told.commits & told.ends & valid;
    auto ends = told.ends & (told.commits | ~told.marks) & valid;
    for (auto left = commits; left != 0; left &= left - 1) {
      const auto below = (left & (~left + 1)) - 1;
      ends |= mark_below(first & below, here_.mark);
      if (told.marks & (below + 1)) ends |= mark_below(second & below, here_.mark2);
    }
    if (first != 0) here_.mark = base + highest(first);
    if (second != 0) here_.mark2 = base + highest(second);
    return ends;
  }

  std::uint64_t mark_below(std::uint64_t marks, std::size_t earlier) {
    if (marks != 0) return std::uint64_t{1} << highest(marks);
    ends_[n_++] = earlier;
    return 0;
  }

  /// The step to the end of the text. False if the machine is lost.
  bool finish() {
    const std::size_t n = tables_.n_classes;
    const auto told = tables_.rows.data()[here_.class_before * n + n].next.data()[here_.state];
    if ((told & ScanTables::kState) == ScanTables::kLost) return false;
    if (told & ScanTables::kCommit) ends_[n_++] = here_.mark;
    if ((told & ScanTables::kCommit2) == ScanTables::kCommit2) ends_[n_++] = here_.mark2;
    ends_[n_++] = size_;
    return true;
  }

  const ScanTables& tables_;
  const Byte* text_;
  std::size_t size_;
  bool is_last_;
  std::size_t* ends_;
  std::size_t room_;
  std::size_t n_ = 0;
  ScanCursor& here_;  // where the chunk begins
  std::size_t chunk_size_ = 0;
  bool is_lost_ = false;  // somewhere in the chunk
  Chunk chunk_;
};

inline Scanned scan(const ScanTables& tables, const ScanJob& job) {
  return Sweep(tables, job).run();
}
