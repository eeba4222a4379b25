// count.cpp: split, look the pre-token up, add one.
#include "bytepair/count.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>

namespace bytepair {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

constexpr std::size_t kGroup = 64;  // words looked up together

void prefetch(const void* place) {
#if defined(__GNUC__)
  __builtin_prefetch(place);
#else
  (void)place;
#endif
}

template <class Number>
std::uint64_t load(const char* at) {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ b) * 0x9E3779B97F4A7C15u;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  return x ^ (x >> 32);
}

}  // namespace

Counter::Counter(Splitter splitter, SpecialMatcher special)
    : splitter_(std::move(splitter)),
      chain_(splitter_),
      special_(std::move(special)),
      // The seed keeps a corpus from being built to collide; results are sorted, so it never shows.
      seed_(std::uint64_t{std::random_device{}()} << 32 | std::random_device{}()),
      slots_(1024) {}

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
std::size_t Counter::count_stretch(std::string_view data, std::int64_t position, bool is_last) {
  std::array<std::size_t, Splitter::kBatch> ends;
  std::size_t start = 0;
  DeadEnds dead_ends;
  while (start < data.size()) {
    const auto n = splitter_.cut(data, start, is_last, dead_ends, ends);
    if (n == 0) break;
    count_words(data, start, std::span(ends).first(n), position);
    start = ends[n - 1];
  }
  return start;
}

/// Counts the words between the ends. What is needed of the table is asked for ahead of its use,
/// group by group, so that the waits for memory overlap.
void Counter::count_words(std::string_view data, std::size_t start,
                          std::span<const std::size_t> ends, std::int64_t position) {
  std::array<std::string_view, kGroup> words;
  std::array<std::uint32_t, kGroup> hashes;
  for (; !ends.empty(); ends = ends.subspan(std::min(kGroup, ends.size()))) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t n = 0;
    for (const auto end : ends.first(std::min(kGroup, ends.size()))) {
      words[n] = data.substr(start, end - start);
      hashes[n] = hash(words[n]);
      prefetch(&slots_[hashes[n] & mask]);
      start = end;
      ++n;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const auto number = slots_[hashes[i] & mask].number;
      if (number != 0) prefetch(&entries_[number - 1]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      add(words[i], hashes[i], 1, position + (words[i].data() - data.data()));
    }
  }
}

void Counter::merge(const Counter& other) {
  for (const auto& entry : other.entries_) {
    add(entry.word(), hash(entry.word()), entry.count, entry.first);  // hashed anew: seeds differ
  }
}

WordCounts Counter::result() const {
  std::vector<const Entry*> sorted(entries_.size());
  std::ranges::transform(entries_, sorted.begin(), [](const Entry& entry) { return &entry; });
  std::ranges::sort(sorted, {}, &Entry::first);
  WordCounts result;
  result.offsets.push_back(0);
  for (const auto* entry : sorted) {
    result.data.append(entry->word());
    result.offsets.push_back(static_cast<std::int64_t>(result.data.size()));
    result.counts.push_back(entry->count);
    result.first.push_back(entry->first);
  }
  return result;
}

void Counter::add(std::string_view word, std::uint32_t hash, std::int64_t count,
                  std::int64_t first) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t place = hash & mask;; place = (place + 1) & mask) {
    auto& slot = slots_[place];
    if (slot.number == 0) {
      if (entries_.size() >= 0xFFFF'FFFEu) throw std::length_error("too many distinct pre-tokens");
      entries_.push_back(make_entry(word, count, first));
      slot = {hash, static_cast<std::uint32_t>(entries_.size())};
      if (entries_.size() * 2 > slots_.size()) grow();
      return;
    }
    if (slot.hash != hash) continue;
    Entry& entry = entries_[slot.number - 1];
    if (entry.word() == word) {
      entry.count += count;
      entry.first = std::min(entry.first, first);
      return;
    }
  }
}

std::string_view Counter::Entry::word() const noexcept {
  return is_inside ? std::string_view(inside, size_inside) : outside;
}

Counter::Entry Counter::make_entry(std::string_view word, std::int64_t count,
                                   std::int64_t first) {
  Entry entry{.inside = {}, .is_inside = true, .size_inside = 0, .count = count, .first = first};
  if (word.size() <= Entry::kInside) {
    entry.size_inside = static_cast<std::uint8_t>(word.size());
    std::ranges::copy(word, entry.inside);
  } else {
    entry.is_inside = false;
    entry.outside = {keep(word), word.size()};
  }
  return entry;
}

const char* Counter::keep(std::string_view word) {
  if (word.size() > kBlock / 4) {  // a block of its own, put where it ends no current block
    auto block = std::make_unique_for_overwrite<char[]>(word.size());
    std::memcpy(block.get(), word.data(), word.size());
    const char* kept = block.get();
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

void Counter::grow() {
  std::vector<Slot> slots(slots_.size() * 2);
  const std::size_t mask = slots.size() - 1;
  for (const auto& slot : slots_) {
    if (slot.number == 0) continue;
    std::size_t place = slot.hash & mask;
    while (slots[place].number != 0) place = (place + 1) & mask;
    slots[place] = slot;
  }
  slots_ = std::move(slots);
}

std::uint32_t Counter::hash(std::string_view word) const noexcept {
  std::uint64_t state = seed_ ^ word.size();
  const char* at = word.data();
  std::size_t left = word.size();
  for (; left > 8; at += 8, left -= 8) state = mix(state, load<std::uint64_t>(at));
  // The last bytes, without a loop over them: two loads that overlap.
  std::uint64_t tail = 0;
  if (left >= 4) {
    tail = load<std::uint32_t>(at) | load<std::uint32_t>(at + left - 4) << 32;
  } else if (left > 0) {
    const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(at[i])}; };
    tail = byte(0) | byte(left / 2) << 8 | byte(left - 1) << 16;
  }
  state = mix(state, tail);
  return static_cast<std::uint32_t>(state ^ state >> 32);
}

}  // namespace bytepair
