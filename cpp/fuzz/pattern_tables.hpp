// pattern_tables.hpp: automata out of the fuzzer's bytes.
#pragma once

#include "bytepair/split.hpp"
#include "input.hpp"

namespace fuzz {

/// Tables that a splitter may take: few states and classes, a page of classes for ASCII and some
/// for other characters. What they mean is left to chance.
inline bytepair::PatternTables pattern_tables(Input& input) {
  constexpr std::size_t kPage = 256;
  bytepair::PatternTables tables;
  tables.n_classes = 1 + input.below(5);
  const auto any_class = [&] { return static_cast<std::uint8_t>(input.below(tables.n_classes)); };
  tables.invalid_class = any_class();
  const auto n_pages = 1 + input.below(3);
  tables.classes.reserve(n_pages * kPage);
  for (std::size_t page = 0; page < n_pages; ++page) {
    const auto usual = any_class();
    tables.classes.resize((page + 1) * kPage, usual);
    for (auto n = input.below(6); n > 0; --n) {
      const auto from = input.byte();
      const auto to = std::min<std::size_t>(kPage, from + std::size_t{1} + input.below(30));
      std::fill(tables.classes.begin() + static_cast<std::ptrdiff_t>(page * kPage + from),
                tables.classes.begin() + static_cast<std::ptrdiff_t>(page * kPage + to),
                any_class());
    }
  }
  tables.pages.assign(0x1100, static_cast<std::uint16_t>(n_pages - 1));
  tables.pages[0] = 0;
  tables.pages[0x04] = static_cast<std::uint16_t>(n_pages / 2);
  const auto n_states = 2 + input.below(6);
  for (std::uint32_t state = 0; state < n_states; ++state) {
    for (std::uint32_t c = 0; c <= tables.n_classes; ++c) {
      // Nothing follows state 0, which is the end of a match, nor the end of the text.
      const bool is_final = state == 0 || c == tables.n_classes;
      const auto next = is_final ? 0 : input.below(n_states);
      const auto accepts = state > 1 && input.flag() ? 1u : 0u;
      tables.transitions.push_back(static_cast<std::uint16_t>(next << 1 | accepts));
    }
  }
  return tables;
}

}  // namespace fuzz
