// learn_words.cpp: lay the words out, pack them.
#include "learn_words.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace bytepair {
namespace {

void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(what);
}

/// Every count of a pair is at most the number of symbols, each as often as its word occurs.
void require_countable(const Words& words) {
  std::int64_t room = std::numeric_limits<std::int64_t>::max();
  for (std::size_t word = 0; word < words.counts.size(); ++word) {
    const std::int64_t size = words.offsets[word + 1] - words.offsets[word];
    const std::int64_t count = words.counts[word];
    require(count >= 0, "a word has a negative count");
    require(size == 0 || count <= room / size, "the words are too many for 64-bit counts");
    room -= count * size;
  }
}

}  // namespace

LearnWords::LearnWords(const Words& words, std::size_t n_symbols, std::size_t n_segments)
    : widths_(n_symbols, 1) {
  const std::size_t size = words.symbols.size() + words.byte_symbols.size();
  require(words.symbols.empty() || words.byte_symbols.empty(), "there are two arrays of symbols");
  require(words.offsets.size() == words.counts.size() + 1, "offsets and counts do not fit");
  require(words.offsets.front() == 0 && std::ranges::is_sorted(words.offsets) &&
              words.offsets.back() == static_cast<std::int64_t>(size),
          "offsets do not cover the symbols");
  require_countable(words);
  const std::size_t n_slots = size + words.counts.size() + n_segments;
  if (n_slots >= kBorder) {
    throw std::length_error("the distinct pre-tokens hold more than 2^32 symbols");
  }
  slots_ = PageArray<Symbol>(n_slots);
  if (words.symbols.empty()) {
    lay_out(words, words.byte_symbols, n_symbols, n_segments);
  } else {
    lay_out(words, words.symbols, n_symbols, n_segments);
  }
}

/// Words of one symbol are left out: nothing is joined in them.
template <class T>
void LearnWords::lay_out(const Words& words, std::span<const T> symbols, std::size_t n_symbols,
                         std::size_t n_segments) {
  require(std::ranges::all_of(symbols, [&](T symbol) { return symbol < n_symbols; }),
          "a symbol is not in the alphabet");
  const std::size_t share = slots_.size() / n_segments + 1;
  Symbol* at = slots_.data();
  for (std::size_t word = 0; word < words.counts.size(); ++word) {
    const auto begin = static_cast<std::size_t>(words.offsets[word]);
    const auto size = static_cast<std::size_t>(words.offsets[word + 1]) - begin;
    if (size < 2) continue;
    const auto n_slots = static_cast<std::size_t>(at - slots_.data());
    if (segments_.empty() || n_slots - segments_.back().begin >= share) {
      if (!segments_.empty()) segments_.back().end = n_slots;
      segments_.push_back({n_slots, n_slots, weights_.size()});
      *at++ = kBorder;
    }
    at = std::ranges::copy(symbols.subspan(begin, size), at).out;
    *at++ = kBorder;
    weights_.push_back(weight_of(words.counts[word]));
  }
  if (!segments_.empty()) segments_.back().end = static_cast<std::size_t>(at - slots_.data());
}

std::uint32_t LearnWords::weight_of(std::int64_t count) {
  if (count < kLarge) return static_cast<std::uint32_t>(count);
  large_counts_.push_back(count);
  return kLarge + static_cast<std::uint32_t>(large_counts_.size() - 1);
}

std::size_t LearnWords::n_slots() const noexcept {
  std::size_t n = 0;
  for (std::size_t number = 0; number < segments_.size(); ++number) n += n_slots(number);
  return n;
}

void LearnWords::packed() noexcept { std::ranges::fill(widths_, 1); }

}  // namespace bytepair
