// special.cpp: a table of first bytes, then a comparison.
#include "bytepair/special.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace bytepair {

SpecialMatcher::SpecialMatcher(std::vector<std::string> contents) {
  for (auto& content : contents) {
    if (content.empty()) throw std::invalid_argument("special tokens must not be empty");
    longest_ = std::max(longest_, content.size());
    by_first_byte_[static_cast<unsigned char>(content[0])].push_back(std::move(content));
  }
  for (auto& tokens : by_first_byte_) {
    std::ranges::sort(tokens, [](const auto& a, const auto& b) { return a.size() > b.size(); });
  }
}

SpecialMatcher::Found SpecialMatcher::find(std::string_view text, std::size_t from,
                                           std::size_t to) const {
  if (longest_ == 0) return {text.size(), 0};
  for (std::size_t at = from; at < std::min(to, text.size()); ++at) {
    for (const auto& token : by_first_byte_[static_cast<unsigned char>(text[at])]) {
      if (text.substr(at, token.size()) == token) return {at, token.size()};
    }
  }
  return {text.size(), 0};
}

}  // namespace bytepair
