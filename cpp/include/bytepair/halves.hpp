// bytepair/halves.hpp: every way to put a token together from two others. No Python, no I/O.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace bytepair {

/// Columns of one length; the values are places in the list of texts.
struct Halves {
  std::vector<std::uint32_t> left;
  std::vector<std::uint32_t> right;
  std::vector<std::uint32_t> whole;
};

/// All (left, right, whole) where two of the texts, one after the other, are a third; by whole,
/// then by the length of left. The texts are distinct, none is empty, and they are fewer than
/// 2^32 - 1. O(n log n) comparisons, and for each text as many steps as it begins or ends with
/// others.
Halves halves_of(std::span<const std::string_view> texts);

}  // namespace bytepair
