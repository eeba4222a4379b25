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
        at_(job.start),
        is_marked_(job.is_marked),
        ends_(job.ends.data()),
        room_(job.ends.size()) {}

  Scanned run(bool is_last) {
    const auto limit = whole_characters(text_ + at_, size_ - at_) + at_;
    while (at_ < limit) {
      if (room_ - n_ < kRoomOfBlock + Chunk::kBlock) return {n_, at_, false};
      read(limit);
      for (std::size_t block = 0; block < chunk_size_; block += Chunk::kBlock) {
        if (room_ - n_ < kRoomOfBlock) return {n_, at_ + chunk_size_, false};
        if (!tell(block)) return {n_, at_ + chunk_size_, true};
      }
      at_ += chunk_size_;
    }
    const bool is_lost = is_last && limit == size_ && !finish();
    return {n_, limit, is_lost};
  }

 private:
  static constexpr std::size_t kRoomOfBlock = Chunk::kBlock + 2;  // an end each, and both marks

  /// Steps through as much text as is likely to fill the room there is.
  void read(std::size_t limit) {
    const auto* text = text_ + at_;
    const auto wanted = (room_ - n_ - kRoomOfBlock) * 3;
    auto size = wanted < Chunk::kSize ? wanted : Chunk::kSize;
    size = limit - at_ <= size ? limit - at_ : whole_characters(text, size);
    const bool ascii = is_ascii(text, size);
    if (!ascii && !classify_fast(tables_, text, size, text_ + size_, chunk_.classes)) {
      classify_carefully(tables_, text, size, text_ + size_, chunk_.classes);
    }
    find_rows(tables_, text, size, ascii, class_before_, chunk_.classes, chunk_.row);
    class_before_ = class_at(size - 1);
    chunk_size_ = size;
    was_gap_ = state_ == ScanTables::kGap;
    state_ = walk(size) & ScanTables::kState;
  }

  /// Class of a character of the chunk, by any of its bytes.
  [[nodiscard]] std::uint8_t class_at(std::size_t i) const {
    const Byte byte = text_[at_ + i];
    return byte < 0x80 ? tables_.ascii.data()[byte] : chunk_.classes[i] & ~ScanTables::kTail;
  }

  /// Two walks at a time, since one alone would wait for each shuffle. The second begins half-way
  /// in a state that is a guess; then it is mended, up to where the guess makes no difference.
  std::uint8_t walk(std::size_t size) {
    const auto* rows = tables_.rows.data()->next.data();
    const auto half = size / 2;
    // As if a pre-token began with the character before.
    const auto guess = half == 0 ? state_ : tables_.rows.data()[class_at(half - 1)].next.data()[0];
    const auto last = walk_two(rows, chunk_.row, chunk_.trace, half, size - half, state_, guess);
    if (half == 0) return last;
    std::uint8_t state = chunk_.trace[half - 1];
    for (std::size_t i = half; i < size; ++i) {
      const auto guessed = chunk_.trace[i];
      state = rows[chunk_.row[i] + (state & ScanTables::kState)];
      chunk_.trace[i] = state;
      // The first walk wrote three bytes beyond its end.
      if (i >= half + 3 && ((guessed ^ state) & ScanTables::kState) == 0) return last;
    }
    return state;
  }

  /// Writes the ends that a block tells. False if the machine lost its way there.
  bool tell(std::size_t block) {
    const auto* trace = chunk_.trace + block;
    auto valid = first_bits(chunk_size_ - block);
    if (state_ == ScanTables::kLost) valid &= before_lost(trace);
    auto told = told_by(trace);
    auto ends = told.ends & valid;
    if ((told.marks | told.commits) != 0) ends = settle(told, valid, at_ + block);
    const auto n = write(ends, at_ + block, ends_ + n_);
    if (is_marked_) mark_gaps(trace, at_ + block, n);
    n_ += n;
    return valid == first_bits(chunk_size_ - block);
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
      ends |= mark_below(first & below, mark_);
      if (told.marks & (below + 1)) ends |= mark_below(second & below, mark2_);
    }
    if (first != 0) mark_ = base + highest(first);
    if (second != 0) mark2_ = base + highest(second);
    return ends;
  }

  std::uint64_t mark_below(std::uint64_t marks, std::size_t earlier) {
    if (marks != 0) return std::uint64_t{1} << highest(marks);
    ends_[n_++] = earlier;
    return 0;
  }

  /// Sets the mark of a gap in those of the last `n` ends that end one.
  void mark_gaps(const std::uint8_t* trace, std::size_t base, std::size_t n) {
    for (auto* end = ends_ + n_; end != ends_ + n_ + n; ++end) {
      const auto i = *end - base;
      const bool is_gap =
          i > 0 ? (trace[i - 1] & ScanTables::kState) == ScanTables::kGap : was_gap_;
      if (is_gap) *end |= Splitter::kGap;
    }
    was_gap_ = (trace[Chunk::kBlock - 1] & ScanTables::kState) == ScanTables::kGap;
  }

  /// The step to the end of the text. False if the machine is lost.
  bool finish() {
    const auto n = tables_.n_classes;
    const auto& row = tables_.rows.data()[std::size_t{class_before_} * n + n];
    const auto told = row.next.data()[state_];
    if ((told & ScanTables::kState) == ScanTables::kLost) return false;
    if (told & ScanTables::kCommit) ends_[n_++] = mark_;
    if ((told & ScanTables::kCommit2) == ScanTables::kCommit2) ends_[n_++] = mark2_;
    const bool is_gap = is_marked_ && state_ == ScanTables::kGap;
    ends_[n_++] = size_ | (is_gap ? Splitter::kGap : 0);
    return true;
  }

  const ScanTables& tables_;
  const Byte* text_;
  std::size_t size_;
  std::size_t at_;  // where the chunk begins
  bool is_marked_;
  std::size_t* ends_;
  std::size_t room_;
  std::size_t n_ = 0;
  std::size_t mark_ = 0;
  std::size_t mark2_ = 0;
  std::uint8_t state_ = 0;  // after the chunk
  std::uint8_t class_before_ = 0;
  bool was_gap_ = false;
  std::size_t chunk_size_ = 0;
  Chunk chunk_;
};

inline Scanned scan(const ScanTables& tables, const ScanJob& job) {
  return Sweep(tables, job).run(job.is_last);
}
