// tally.cpp: one look at each token, none at the text.
#include "bytepair/tally.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace bytepair {

WordTally tally(std::span<const std::uint32_t> ids, std::span<const std::int64_t> offsets,
                std::span<const std::uint32_t> shapes, std::span<std::int64_t> uses) {
  if (uses.size() != shapes.size()) throw std::invalid_argument("shapes and uses differ in number");
  if (offsets.empty() || offsets.front() != 0 || !std::ranges::is_sorted(offsets) ||
      offsets.back() != static_cast<std::int64_t>(ids.size())) {
    throw std::invalid_argument("offsets do not cover the ids");
  }
  WordTally result;
  for (std::size_t text = 0; text + 1 < offsets.size(); ++text) {
    bool is_in_word = false;
    bool is_divided = false;  // the word that goes on here
    for (auto i = offsets[text]; i < offsets[text + 1]; ++i) {
      const std::uint32_t id = ids[static_cast<std::size_t>(i)];
      if (id >= shapes.size()) throw std::invalid_argument("an id without a shape");
      ++uses[id];
      const std::uint32_t shape = shapes[id];
      if (shape & TokenShape::kEmpty) continue;
      const bool goes_on = !(shape & TokenShape::kStartsBlank);
      const bool divides = goes_on && is_in_word;
      result.n_words += (goes_on && !is_in_word) + (shape >> TokenShape::kWordsShift);
      result.n_divided += divides && !is_divided;
      // Behind white space another word begins, which nothing divides yet.
      is_divided = (is_divided || divides) && goes_on && !(shape & TokenShape::kHoldsBlank);
      is_in_word = !(shape & TokenShape::kEndsBlank);
    }
  }
  return result;
}

}  // namespace bytepair
