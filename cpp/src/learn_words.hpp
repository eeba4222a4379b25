// learn_words.hpp: the words that are learned from, as they are after the merges so far.
//
// A symbol fills as many slots as the first symbols it was joined from, at least since the words
// were last packed; its number stands in the first and in the last of them. So the neighbours of a
// border between two symbols are found without links, in the cache line where the border is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bytepair/learn.hpp"
#include "bytepair/memory.hpp"

namespace bytepair {

/// Number of the slot right of a border between two symbols.
using Position = std::uint32_t;

/// A place where a pair stands, or stood. Positions of one pair ascend.
struct Site {
  Position position;
  std::uint32_t weight;  // stands for the count of its word
};

class LearnWords {
 public:
  static constexpr Symbol kGone = 0xFFFF'FFFF;    // inside of a symbol
  static constexpr Symbol kBorder = 0xFFFF'FFFE;  // before, between and behind words

  /// In up to `n_segments` of about the same size; symbols are below `n_symbols`. Throws
  /// std::invalid_argument, std::length_error.
  LearnWords(const Words& words, std::size_t n_symbols, std::size_t n_segments);

  [[nodiscard]] Symbol* slots() noexcept { return slots_.data(); }
  [[nodiscard]] std::uint32_t width(Symbol symbol) const noexcept { return widths_[symbol]; }
  [[nodiscard]] std::int64_t count(std::uint32_t weight) const noexcept {
    return weight < kLarge ? weight : large_counts_[weight - kLarge];
  }
  [[nodiscard]] std::size_t n_symbols() const noexcept { return widths_.size(); }
  [[nodiscard]] std::size_t n_slots() const noexcept;
  [[nodiscard]] std::size_t n_slots(std::size_t segment) const noexcept {
    return segments_[segment].end - segments_[segment].begin;
  }
  [[nodiscard]] std::size_t n_segments() const noexcept { return segments_.size(); }

  /// The next symbol, which fills `width` slots.
  void add_symbol(std::uint32_t width) { widths_.push_back(width); }

  /// One slot for each symbol, and no words that are one symbol. Calls see(left, right, weight) for
  /// each pair that is left. One thread a segment; when all are done, `packed` once.
  template <class See>
  void pack(std::size_t segment, See&& see);
  void packed() noexcept;

  /// Calls see(left, right, Site) for each pair of a segment that was packed.
  template <class See>
  void each_pair(std::size_t segment, See&& see) const;

 private:
  static constexpr std::uint32_t kLarge = 0x8000'0000;

  struct Segment {
    std::size_t begin;  // of its slots; the first one is a border
    std::size_t end;
    std::size_t first_word;
  };

  template <class T>
  void lay_out(const Words& words, std::span<const T> symbols, std::size_t n_symbols,
               std::size_t n_segments);
  [[nodiscard]] std::uint32_t weight_of(std::int64_t count);

  PageArray<Symbol> slots_;
  std::vector<std::uint32_t> widths_;
  std::vector<std::uint32_t> weights_;  // of each word
  std::vector<std::int64_t> large_counts_;
  std::vector<Segment> segments_;
};

template <class See>
void LearnWords::pack(std::size_t number, See&& see) {
  auto& segment = segments_[number];
  const Symbol* const end = slots_.data() + segment.end;
  const auto* weight = weights_.data() + segment.first_word;
  auto* weight_out = weights_.data() + segment.first_word;
  Symbol* out = slots_.data() + segment.begin + 1;
  for (const Symbol* at = out; at < end; ++at, ++weight) {  // behind a border: a word
    Symbol left = *at;
    Symbol* const word = out;
    *out++ = left;
    for (at += widths_[left]; *at != kBorder; at += widths_[left]) {
      see(left, *at, *weight);
      *out++ = left = *at;
    }
    if (out - word < 2) {
      out = word;
    } else {
      *out++ = kBorder;
      *weight_out++ = *weight;
    }
  }
  segment.end = static_cast<std::size_t>(out - slots_.data());
}

template <class See>
void LearnWords::each_pair(std::size_t number, See&& see) const {
  const auto& segment = segments_[number];
  const auto* weight = weights_.data() + segment.first_word;
  for (std::size_t at = segment.begin + 1; at < segment.end; ++at, ++weight) {
    Symbol left = slots_[at];
    for (Symbol right; (right = slots_[++at]) != kBorder; left = right) {
      see(left, right, Site{static_cast<Position>(at), *weight});
    }
  }
}

}  // namespace bytepair
