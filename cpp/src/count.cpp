// count.cpp: split, look the pre-token up, add one.
#include "bytepair/count.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>

#include "bytepair/files.hpp"
#include "bytepair/hash.hpp"

namespace bytepair {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kReadBlock = std::size_t{1} << 19;  // stays in the cache until it is counted
constexpr std::size_t kGroup = 64;                        // words looked up together
constexpr std::size_t kFirstSize = 1024;
constexpr std::size_t kMergedTogether = 64;  // entries of a table
constexpr double kGolden = 0.618'033'988'7;

/// Keeps a corpus from being built to collide; results are sorted, so it never shows. All counters
/// hash alike: what one adds to another comes in the order in which it stands there.
struct Seed {
  std::uint64_t low;
  std::uint64_t high;
};

const Seed& seed() {
  static const Seed value = [] {
    std::random_device random;
    const auto number = [&random] { return std::uint64_t{random()} << 32 | random(); };
    return Seed{number(), number()};
  }();
  return value;
}

std::uint64_t load8(const char* at) {
  std::uint64_t number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

/// Of 16 bytes or more.
std::uint64_t hash_long(std::string_view word) {
  const auto [low, high] = seed();
  std::uint64_t hash = low ^ word.size();
  const char* at = word.data();
  const char* const last = at + word.size() - 16;
  for (; at < last; at += 16) hash = fold(load8(at) ^ high, load8(at + 8) ^ hash);
  return fold(load8(last) ^ high, load8(last + 8) ^ hash);
}

/// The bytes below `size` (<= 16) of the two halves of a key.
struct Masks {
  std::array<std::uint64_t, 17> low{};
  std::array<std::uint64_t, 17> high{};
};

constexpr Masks make_masks() {
  Masks masks;
  constexpr auto all = ~std::uint64_t{0};
  for (std::size_t size = 0; size <= 16; ++size) {
    masks.low[size] = size >= 8 ? all : (std::uint64_t{1} << 8 * size) - 1;
    masks.high[size] = size >= 16 ? all : size <= 8 ? 0 : (std::uint64_t{1} << 8 * (size - 8)) - 1;
  }
  return masks;
}

constexpr Masks kMasks = make_masks();

}  // namespace

Counter::Counter(SplitChain chain, SpecialMatcher special)
    : chain_(std::move(chain)),
      special_(std::move(special)),
      entries_(kFirstSize),
      shift_(64 - std::countr_zero(kFirstSize)) {}

void Counter::stop() noexcept { *is_stopped_ = true; }

void Counter::feed(std::string_view document, std::int64_t position) {
  feed_part(document, position, true);
}

std::size_t Counter::feed_part(std::string_view data, std::int64_t position, bool is_last) {
  // A special token may begin in the last bytes and end in the next part: leave them for then.
  const std::size_t held = is_last || special_.longest() == 0 ? 0 : special_.longest() - 1;
  if (data.size() < held) return 0;
  const std::size_t limit = data.size() - held;
  std::size_t start = 0;
  while (true) {
    const auto found = special_.find(data, start, limit);
    if (found.size == 0) break;
    count_stretch(data.substr(start, found.start - start),
                  position + static_cast<std::int64_t>(start), true);
    start = found.start + found.size;
  }
  if (start >= limit) return start;
  return start + count_stretch(data.substr(start, limit - start),
                               position + static_cast<std::int64_t>(start), is_last);
}

std::size_t Counter::feed_file(const std::string& path, std::size_t start, std::size_t end,
                               std::int64_t position) {
  const FileReader file(path);
  buffer_.resize(std::max(buffer_.size(), kReadBlock));
  std::size_t n_held = 0;   // bytes that were read and not yet counted
  std::size_t n_done = 0;   // bytes that were counted
  while (true) {
    if (n_held == buffer_.size()) buffer_.resize(buffer_.size() * 2);
    const std::size_t wanted = std::min(buffer_.size() - n_held, end - start - n_done - n_held);
    const std::size_t n_read = file.read(start + n_done + n_held, std::span(buffer_).subspan(n_held, wanted));
    n_held += n_read;
    const bool is_last = n_read < wanted || start + n_done + n_held == end;
    const auto n = feed_part({buffer_.data(), n_held}, position + static_cast<std::int64_t>(n_done), is_last);
    n_done += is_last ? n_held : n;
    if (is_last) return n_done;
    check(kReadBlock / 8);
    n_held -= n;
    std::memmove(buffer_.data(), buffer_.data() + n, n_held);
  }
}

std::size_t Counter::border(std::string_view document, std::size_t from) const {
  while (true) {
    const std::size_t at = chain_.certain_border(document, from, document.size());
    // A special token around the place may end in what comes behind the document.
    if (at == kNone || document.size() - at < special_.longest()) return kNone;
    if (special_.is_clear(document, at)) return at;
    from = at + special_.longest();  // looked at once: no text costs more than to read it twice
  }
}

/// Counts text without special tokens; returns how far the cuts are certain.
std::size_t Counter::count_stretch(std::string_view data, std::int64_t position, bool is_last,
                                   std::int64_t count) {
  std::array<std::size_t, Splitter::kBatch> ends;
  std::size_t start = 0;
  SplitChain::Progress progress;
  while (start < data.size()) {
    const auto n = chain_.cut(data, start, is_last, progress, ends);
    if (n == 0) break;
    check(n);
    if (chain_.removes()) {
      count_kept(data, start, std::span(ends).first(n), position, count);
    } else {
      count_words(data, start, std::span(ends).first(n), position, count);
    }
    start = ends[n - 1] & ~SplitChain::kRemoved;
  }
  return start;
}

/// The same as `count_words` for the pieces that are not removed.
void Counter::count_kept(std::string_view data, std::size_t start,
                         std::span<const std::size_t> ends, std::int64_t position,
                         std::int64_t count) {
  for (const auto marked : ends) {
    const std::size_t end = marked & ~SplitChain::kRemoved;
    if (marked == end) count_words(data, start, std::span(&end, 1), position, count);
    start = end;
  }
}

void Counter::check(std::size_t n_words) {
  n_until_asking_ -= std::min(n_words, n_until_asking_);
  if (n_until_asking_ == 0) {
    n_until_asking_ = kAskAfter;
    if (keep_going_ && !keep_going_()) throw Stopped();
  }
  if (*is_stopped_) throw Stopped();
}

/// Counts the words between the ends. What is needed of the table is asked for ahead of its use,
/// group by group, so that the waits for memory overlap.
void Counter::count_words(std::string_view data, std::size_t start,
                          std::span<const std::size_t> ends, std::int64_t position,
                         std::int64_t count) {
  struct Word {
    Key key;
    std::uint64_t hash;
    std::size_t start;
    std::size_t size;
  };
  std::array<Word, kGroup> words;
  while (!ends.empty()) {
    const std::size_t n = std::min(kGroup, ends.size());
    for (std::size_t i = 0; i < n; ++i) {
      auto& word = words[i];
      word.start = start;
      word.size = ends[i] - start;
      const char* const at = data.data() + start;
      start = ends[i];
      if (word.size > kShort) {
        word.hash = hash_long({at, word.size});
      } else {
        if (data.size() - word.start >= 16) {
          word.key = {load8(at) & kMasks.low[word.size], load8(at + 8) & kMasks.high[word.size]};
        } else {
          word.key = {0, 0};
          std::memcpy(&word.key, at, word.size);
        }
        word.key.high |= std::uint64_t{word.size} << 56;
        word.hash = hash_of(word.key);
      }
      __builtin_prefetch(&entries_[word.hash >> shift_]);
    }
    for (const auto& word : std::span(words).first(n)) {
      const auto first = position + static_cast<std::int64_t>(word.start);
      if (word.size > kShort) {
        add_long(data.substr(word.start, word.size), word.hash, count, first);
      } else {
        add(word.key, word.hash, count, first);
      }
    }
    ends = ends.subspan(n);
  }
}

/// Entries stand in the order of their hashes. Added in that order, those of one stretch after the
/// other would fill a table from its beginning on, far beyond what belongs there, and each of them
/// search behind all that were pushed away. So the table is gone through in small blocks, whose order
/// fills it evenly.
void Counter::merge(const Counter& other) {
  if (other.entries_.size() > entries_.size()) grow(other.entries_.size());
  const std::size_t n_blocks = other.entries_.size() / kMergedTogether;
  const std::size_t step = static_cast<std::size_t>(static_cast<double>(n_blocks) * kGolden) | 1;
  for (std::size_t i = 0; i < n_blocks; ++i) {
    const std::size_t block = i * step & (n_blocks - 1);
    const auto* const begin = &other.entries_[block * kMergedTogether];
    for (const auto& entry : std::span(begin, kMergedTogether)) {
      if (entry.key.high == 0) continue;
      if (is_long(entry.key)) {
        add_long(other.word(entry), entry.key.low, entry.count, entry.first);
      } else {
        add(entry.key, hash_of(entry.key), entry.count, entry.first);
      }
    }
  }
}

void Counter::add(std::string_view data, std::span<const std::int64_t> offsets,
                  std::span<const std::int64_t> counts, std::span<const std::int64_t> first,
                  std::int64_t position) {
  const bool fits = offsets.size() == counts.size() + 1 && first.size() == counts.size() &&
                    offsets.front() == 0 && std::ranges::is_sorted(offsets, std::less_equal<>()) &&
                    offsets.back() == static_cast<std::int64_t>(data.size());
  if (!fits) throw std::invalid_argument("the arrays of the counts do not fit together");
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto begin = static_cast<std::size_t>(offsets[i]);
    const auto size = static_cast<std::size_t>(offsets[i + 1]) - begin;
    add_word(data.substr(begin, size), counts[i], first[i] + position);
    check(1);
  }
}

void Counter::add_cut(std::string_view data, std::span<const std::int64_t> offsets,
                      std::span<const std::int64_t> counts, std::span<const std::int64_t> first) {
  const bool fits = offsets.size() == counts.size() + 1 && first.size() == counts.size() &&
                    offsets.front() >= 0 && std::ranges::is_sorted(offsets) &&
                    offsets.back() <= static_cast<std::int64_t>(data.size());
  if (!fits) throw std::invalid_argument("the arrays of the counts do not fit together");
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto begin = static_cast<std::size_t>(offsets[i]);
    const auto size = static_cast<std::size_t>(offsets[i + 1]) - begin;
    count_stretch(data.substr(begin, size), first[i], true, counts[i]);
  }
}

void Counter::add_word(std::string_view word, std::int64_t count, std::int64_t first) {
  if (word.size() > kShort) return add_long(word, hash_long(word), count, first);
  Key key{0, 0};
  std::memcpy(&key, word.data(), word.size());
  key.high |= std::uint64_t{word.size()} << 56;
  add(key, hash_of(key), count, first);
}

WordCounts Counter::result(int n_bits, std::size_t share) const {
  WordCounts result;
  const auto sorted = in_order(n_bits, share);
  result.offsets.reserve(sorted.size() + 1);
  result.counts.reserve(sorted.size());
  result.first.reserve(sorted.size());
  result.offsets.push_back(0);
  for (const auto& entry : std::span(sorted.data(), sorted.size())) {
    result.data.append(word(entry));
    result.offsets.push_back(static_cast<std::int64_t>(result.data.size()));
    result.counts.push_back(entry.count);
    result.first.push_back(entry.first);
  }
  return result;
}

std::size_t Counter::n_bytes() const noexcept {
  return entries_.size() * sizeof(Entry) + blocks_.size() * kBlock + n_large_ +
         long_words_.capacity() * sizeof(std::string_view);
}

void Counter::clear() {
  entries_ = PageArray<Entry>(kFirstSize);
  shift_ = 64 - std::countr_zero(kFirstSize);
  n_entries_ = 0;
  long_words_ = std::vector<std::string_view>();  // {} would keep the memory
  blocks_.clear();
  block_left_ = n_large_ = 0;
}

/// By first position: into buckets of a few each, and then sorted one by one.
PageArray<Counter::Entry> Counter::in_order(int n_bits, std::size_t share) const {
  const std::uint64_t mask = (std::uint64_t{1} << n_bits) - 1;
  std::size_t n_words = 0;
  const auto used = [&](const auto& see) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const auto& key = entries_[i].key;
      if (key.high == 0) continue;
      // Not the highest bits: these are the place in a table, and a share has one of its own.
      if (mask == 0 || (hash_of(key) & mask) == share) see(entries_[i]);
    }
  };
  std::int64_t last = 0;
  used([&](const Entry& entry) {
    last = std::max(last, entry.first);
    ++n_words;
  });
  const auto bits_of = [](std::size_t number) { return static_cast<int>(std::bit_width(number)); };
  const int shift = std::max(bits_of(static_cast<std::size_t>(last)) - bits_of(n_words / 4), 0);
  const auto bucket = [shift](const Entry& entry) {
    return static_cast<std::size_t>(entry.first >> shift);
  };
  std::vector<std::size_t> ends(static_cast<std::size_t>(last >> shift) + 2);
  used([&](const Entry& entry) { ++ends[bucket(entry) + 1]; });
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  PageArray<Entry> sorted(n_words);
  used([&](const Entry& entry) { sorted[ends[bucket(entry)]++] = entry; });
  std::size_t start = 0;
  for (const auto end : ends) {
    std::ranges::sort(std::span(sorted.data() + start, end - start), {}, &Entry::first);
    start = end;
  }
  return sorted;
}

void Counter::add(const Key& key, std::uint64_t hash, std::int64_t count, std::int64_t first) {
  const std::size_t mask = entries_.size() - 1;
  std::size_t place = hash >> shift_;
  while (true) {
    auto& entry = entries_[place];
    if (entry.key.low == key.low && entry.key.high == key.high) {
      entry.count += count;
      entry.first = std::min(entry.first, first);
      return;
    }
    if (entry.key.high == 0) {
      entry = {key, count, first};
      note_new();
      return;
    }
    place = (place + 1) & mask;
  }
}

void Counter::add_long(std::string_view word, std::uint64_t hash, std::int64_t count,
                       std::int64_t first) {
  const std::size_t mask = entries_.size() - 1;
  std::size_t place = hash >> shift_;
  for (; entries_[place].key.high != 0; place = (place + 1) & mask) {
    auto& entry = entries_[place];
    if (entry.key.low == hash && is_long(entry.key) && this->word(entry) == word) {
      entry.count += count;
      entry.first = std::min(entry.first, first);
      return;
    }
  }
  long_words_.emplace_back(keep(word), word.size());
  entries_[place] = {{hash, kLong | (long_words_.size() - 1)}, count, first};
  note_new();
}

std::string_view Counter::word(const Entry& entry) const noexcept {
  if (is_long(entry.key)) return long_words_[entry.key.high ^ kLong];
  return {reinterpret_cast<const char*>(&entry.key), entry.key.high >> 56};
}

const char* Counter::keep(std::string_view word) {
  if (word.size() > kBlock / 4) {  // a block of its own, put where it ends no current block
    auto block = std::make_unique_for_overwrite<char[]>(word.size());
    std::memcpy(block.get(), word.data(), word.size());
    const char* kept = block.get();
    n_large_ += word.size();
    blocks_.insert(blocks_.begin(), std::move(block));
    return kept;
  }
  if (word.size() > block_left_) {
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(kBlock));
    block_left_ = kBlock;
  }
  char* kept = blocks_.back().get() + (kBlock - block_left_);
  std::memcpy(kept, word.data(), word.size());
  block_left_ -= word.size();
  return kept;
}

void Counter::note_new() {
  if (++n_entries_ >= 0xFFFF'FFFEu) throw std::length_error("too many distinct pre-tokens");
  if (n_entries_ * 3 > entries_.size() * 2) grow(entries_.size() * 2);
}

/// Entries come in the order of their hashes, so they are read and written one after the other.
void Counter::grow(std::size_t size) {
  PageArray<Entry> old(size);
  std::swap(old, entries_);
  shift_ = 64 - std::countr_zero(size);
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].key.high == 0) continue;
    std::size_t place = hash_of(old[i].key) >> shift_;
    while (entries_[place].key.high != 0) place = (place + 1) & (size - 1);
    entries_[place] = old[i];
  }
}

std::uint64_t Counter::hash_of(const Key& key) noexcept {
  if (is_long(key)) return key.low;
  return fold(key.low ^ seed().low, key.high ^ seed().high);
}

}  // namespace bytepair
