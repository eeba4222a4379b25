// automaton.hpp: what can be said of a pattern's automaton before any text is seen. Private.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bytepair/split.hpp"

namespace bytepair {

/// A view of the tables, which outlive it. A column is a class of characters; the last one is the
/// end of the text.
class Automaton {
 public:
  using State = std::uint16_t;
  static constexpr State kDead = 0;
  static constexpr State kStart = 1;

  explicit Automaton(const PatternTables& tables)
      : transitions_(tables.transitions), n_columns_(std::size_t{tables.n_classes} + 1) {
    ends_surely_.resize(n_states());
    for (bool changed = true; changed;) {
      changed = false;
      for (State state = kStart; state < n_states(); ++state) {
        if (ends_surely_[state]) continue;
        const auto row = transitions_.subspan(state * n_columns_, n_columns_);
        ends_surely_[state] = std::ranges::all_of(
            row, [&](auto entry) { return (entry & 1) || ends_surely_[entry >> 1]; });
        changed = changed || ends_surely_[state];
      }
    }
  }

  [[nodiscard]] std::size_t n_states() const { return transitions_.size() / n_columns_; }
  [[nodiscard]] std::size_t n_columns() const { return n_columns_; }
  [[nodiscard]] std::size_t end_of_text() const { return n_columns_ - 1; }

  [[nodiscard]] State next(State state, std::size_t column) const {
    return entry(state, column) >> 1;
  }
  /// Whether a match may end before the character.
  [[nodiscard]] bool may_end(State state, std::size_t column) const {
    return entry(state, column) & 1;
  }
  [[nodiscard]] bool comes_to_nothing(State state, std::size_t column) const {
    return entry(state, column) == 0;
  }
  /// Whether an end will be found, whatever comes; perhaps before the very next character.
  [[nodiscard]] bool ends_surely(State state) const { return ends_surely_[state]; }

  /// What a character begins behind an end.
  enum class Begins : std::uint8_t { kGap, kMatch, kEither };
  [[nodiscard]] Begins begins(std::size_t column) const {
    const auto state = next(kStart, column);
    if (state == kDead) return Begins::kGap;
    return ends_surely(state) ? Begins::kMatch : Begins::kEither;
  }

 private:
  [[nodiscard]] std::uint16_t entry(State state, std::size_t column) const {
    return transitions_[state * n_columns_ + column];
  }

  std::span<const std::uint16_t> transitions_;
  std::size_t n_columns_;
  std::vector<bool> ends_surely_;
};

}  // namespace bytepair
