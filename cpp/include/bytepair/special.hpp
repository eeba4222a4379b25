// bytepair/special.hpp: finds special tokens in text. No Python, no I/O, no locale.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bytepair {

/// Finds the leftmost special token, the longest where several start. Read-only after
/// construction. Twin: bytepair.engines.python.special_regex.
class SpecialMatcher {
 public:
  struct Found {
    std::size_t start;  // text.size() if nothing was found
    std::size_t size;   // 0 if nothing was found
  };

  /// `contents`: not empty strings; throws std::invalid_argument if one is.
  explicit SpecialMatcher(std::vector<std::string> contents = {});

  /// The first match that starts in [from, to). O(to - from) times the tokens that share a first
  /// byte.
  [[nodiscard]] Found find(std::string_view text, std::size_t from, std::size_t to) const;

  /// Length in bytes of the longest special token, 0 without any.
  [[nodiscard]] std::size_t longest() const noexcept { return longest_; }

 private:
  std::array<std::vector<std::string>, 256> by_first_byte_;  // each longest first
  std::size_t longest_ = 0;
};

}  // namespace bytepair
