// count.cpp: split, look the pre-token up, add one.
#include "bytepair/count.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>
#include <utility>

namespace bytepair {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ b) * 0x9E3779B97F4A7C15u;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  return x ^ (x >> 32);
}

}  // namespace

Counter::Counter(Splitter splitter, SpecialMatcher special)
    : splitter_(std::move(splitter)),
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

/// Counts text without special tokens; returns how far the cuts are certain.
std::size_t Counter::count_stretch(std::string_view data, std::int64_t position, bool is_last) {
  std::size_t start = 0;
  DeadEnds dead_ends;
  while (start < data.size()) {
    const std::size_t end = splitter_.next(data, start, is_last, dead_ends);
    if (end == Splitter::kOpen) break;
    const auto word = data.substr(start, end - start);
    add(word, hash(word), 1, position + static_cast<std::int64_t>(start));
    start = end;
  }
  return start;
}

void Counter::merge(const Counter& other) {
  for (const auto& entry : other.entries_) {
    const std::string_view word(entry.data, entry.size);
    add(word, hash(word), entry.count, entry.first);  // hashed anew: seeds differ
  }
}

WordCounts Counter::result() const {
  std::vector<const Entry*> sorted(entries_.size());
  std::ranges::transform(entries_, sorted.begin(), [](const Entry& entry) { return &entry; });
  std::ranges::sort(sorted, {}, &Entry::first);
  WordCounts result;
  result.offsets.push_back(0);
  for (const auto* entry : sorted) {
    result.data.append(entry->data, entry->size);
    result.offsets.push_back(static_cast<std::int64_t>(result.data.size()));
    result.counts.push_back(entry->count);
    result.first.push_back(entry->first);
  }
  return result;
}

void Counter::add(std::string_view word, std::uint64_t hash, std::int64_t count,
                  std::int64_t first) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    if (slots_[slot] == 0) {
      if (entries_.size() >= 0xFFFF'FFFEu) throw std::length_error("too many distinct pre-tokens");
      entries_.push_back({hash, keep(word), word.size(), count, first});
      slots_[slot] = static_cast<std::uint32_t>(entries_.size());
      if (entries_.size() * 2 > slots_.size()) grow();
      return;
    }
    Entry& entry = entries_[slots_[slot] - 1];
    if (entry.hash == hash && std::string_view(entry.data, entry.size) == word) {
      entry.count += count;
      entry.first = std::min(entry.first, first);
      return;
    }
  }
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
  std::vector<std::uint32_t> slots(slots_.size() * 2);
  const std::size_t mask = slots.size() - 1;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t slot = entries_[i].hash & mask;
    while (slots[slot] != 0) slot = (slot + 1) & mask;
    slots[slot] = static_cast<std::uint32_t>(i + 1);
  }
  slots_ = std::move(slots);
}

std::uint64_t Counter::hash(std::string_view word) const noexcept {
  std::uint64_t state = seed_ ^ word.size();
  const char* at = word.data();
  std::size_t left = word.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t part;
    std::memcpy(&part, at, 8);
    state = mix(state, part);
  }
  std::uint64_t tail = 0;
  if (left > 0) std::memcpy(&tail, at, left);
  return mix(state, tail);
}

}  // namespace bytepair
