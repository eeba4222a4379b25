// sorted.hpp: byte strings in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace bytepair {

/// Eight bytes that sort as the text does; zeros where it is shorter.
inline std::uint64_t sort_key(std::string_view text) noexcept {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    key = key << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
  }
  return key;
}

/// Places of the texts, ascending by bytes; fewer than 2^32 texts.
inline std::vector<std::uint32_t> sorted(std::span<const std::string_view> texts) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    keyed[i] = {sort_key(texts[i]), static_cast<std::uint32_t>(i)};
  }
  std::ranges::sort(keyed, [&](const auto& one, const auto& other) {
    if (one.first != other.first) return one.first < other.first;
    return texts[one.second] < texts[other.second];
  });
  std::vector<std::uint32_t> places(texts.size());
  std::ranges::transform(keyed, places.begin(), [](const auto& key) { return key.second; });
  return places;
}

}  // namespace bytepair
