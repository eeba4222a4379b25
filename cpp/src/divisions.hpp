// divisions.hpp: where a text may be cut whatever stands around. Private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bytepair/split.hpp"

namespace bytepair {

/// What is certain of the place between two characters, whatever comes before and behind them.
class Divisions {
 public:
  explicit Divisions(const PatternTables& tables);

  /// The text before the place and the text behind it are cut alike in one and apart, but for the
  /// place itself.
  [[nodiscard]] bool divides(std::size_t before, std::size_t behind) const {
    return at(before, behind) & kDivides;
  }
  /// And a pre-token ends at the place.
  [[nodiscard]] bool is_end(std::size_t before, std::size_t behind) const {
    return at(before, behind) & kEnd;
  }

  /// Whether the pre-token that ends (begins) at such a place is a match, a gap, or may be either.
  enum class Side : std::uint8_t { kGap, kMatch, kEither };
  [[nodiscard]] Side side_before(std::size_t before, std::size_t behind) const {
    if (gap_before_[before]) return Side::kGap;
    return at(before, behind) & kMatchBefore ? Side::kMatch : Side::kEither;
  }
  [[nodiscard]] Side side_behind(std::size_t behind) const { return side_behind_[behind]; }

 private:
  static constexpr std::uint8_t kDivides = 1;
  static constexpr std::uint8_t kEnd = 2;
  static constexpr std::uint8_t kMatchBefore = 4;
  [[nodiscard]] std::uint8_t at(std::size_t before, std::size_t behind) const {
    return pairs_[before * n_classes_ + behind];
  }

  std::size_t n_classes_;
  std::vector<std::uint8_t> pairs_;
  std::vector<bool> gap_before_;  // no match reads the character
  std::vector<Side> side_behind_;
};

}  // namespace bytepair
