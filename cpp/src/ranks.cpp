// ranks.cpp: base64 and decimal numbers, strict about both.
#include "bytepair/ranks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "sorted.hpp"

namespace bytepair {
namespace {

constexpr std::uint64_t kLimit = std::uint64_t{1} << 31;  // of ranks
constexpr std::size_t kUsualLine = 16;                    // bytes; what more there is, grows
constexpr std::uint8_t kNoDigit = 64;

/// What a character is worth in base64 (RFC 4648).
constexpr auto kDigits = [] {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}();

/// Every function returns false at what is not plainly sound.
class RankReader {
 public:
  explicit RankReader(std::string_view file) : left_(file) {
    ranks_.data.reserve(file.size() / 2);
    ranks_.ids.reserve(file.size() / kUsualLine);
    ranks_.offsets.reserve(file.size() / kUsualLine);
    ranks_.offsets.push_back(0);
  }

  bool file() {
    while (!left_.empty()) {
      if (!token() || !take(' ') || !rank() || !take('\n')) return false;
    }
    return !ranks_.ids.empty() && are_distinct();
  }

  Ranks ranks_;

 private:
  bool take(char wanted) {
    if (left_.empty() || left_[0] != wanted) return false;
    left_.remove_prefix(1);
    return true;
  }

  bool token() {
    std::size_t n_bytes = 3;
    while (n_bytes == 3 && left_.size() >= 4 && left_[0] != ' ') {
      std::uint32_t bits = 0;
      n_bytes = group(bits);
      if (n_bytes == 0) return false;
      for (std::size_t i = 0; i < n_bytes; ++i) {
        ranks_.data += static_cast<char>(bits >> (16 - 8 * i) & 0xFF);
      }
      left_.remove_prefix(4);
    }
    if (ranks_.data.size() == ranks_.offsets.back()) return false;
    ranks_.offsets.push_back(ranks_.data.size());
    return true;
  }

  /// How many bytes the next four characters spell; 0 if they are no group of base64.
  [[nodiscard]] std::size_t group(std::uint32_t& bits) const {
    const std::size_t n_bytes = left_[3] != '=' ? 3 : left_[2] != '=' ? 2 : 1;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint8_t digit = kDigits[static_cast<unsigned char>(left_[i])];
      if (digit == kNoDigit && i <= n_bytes) return 0;
      bits = bits << 6 | (i <= n_bytes ? digit : 0U);
    }
    const bool has_more = (bits & ((1U << (24 - 8 * n_bytes)) - 1)) != 0;
    return has_more ? 0 : n_bytes;
  }

  bool rank() {
    std::uint64_t rank = 0;
    const std::string_view before = left_;
    for (; !left_.empty() && left_[0] >= '0' && left_[0] <= '9'; left_.remove_prefix(1)) {
      rank = 10 * rank + static_cast<std::uint64_t>(left_[0] - '0');
      if (rank >= kLimit) return false;
    }
    if (left_.size() == before.size()) return false;
    if (!ranks_.ids.empty() && rank <= ranks_.ids.back()) return false;
    ranks_.ids.push_back(static_cast<std::uint32_t>(rank));
    return true;
  }

  [[nodiscard]] bool are_distinct() const {
    std::vector<std::string_view> tokens;
    tokens.reserve(ranks_.ids.size());
    const std::string_view data = ranks_.data;
    for (std::size_t i = 0; i < ranks_.ids.size(); ++i) {
      const auto begin = static_cast<std::size_t>(ranks_.offsets[i]);
      tokens.push_back(data.substr(begin, static_cast<std::size_t>(ranks_.offsets[i + 1]) - begin));
    }
    const auto places = sorted(tokens);
    return std::ranges::adjacent_find(places, [&](auto one, auto other) {
             return tokens[one] == tokens[other];
           }) == places.end();
  }

  std::string_view left_;
};

}  // namespace

std::optional<Ranks> read_ranks(std::string_view file) {
  RankReader reader(file);
  if (!reader.file()) return std::nullopt;
  return std::move(reader.ranks_);
}

}  // namespace bytepair
