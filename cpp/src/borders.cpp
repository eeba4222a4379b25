// borders.cpp: what each merge brings together, read off the merges.
#include "bytepair/borders.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace bytepair {
namespace {

constexpr std::uint32_t kHashBits = 20;  // 128 KB, for some 20,000 pairs of a large vocabulary
constexpr std::uint32_t kAscii = 0x80;
constexpr int kMostPasses = 32;  // over merges that stand before those that make their parts

bool continues(std::uint32_t byte) { return (byte & 0xC0) == 0x80; }

/// Bytes of the character that a byte begins, going by the looks of it.
std::size_t size_by_lead(std::uint32_t lead) {
  return lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

std::uint32_t low_bytes(std::uint32_t bytes, std::size_t n) {
  return n >= 4 ? bytes : bytes & ((1u << (8 * n)) - 1);
}

/// Bytes from `at` on, the first lowest, zeros behind the end.
std::uint32_t load(const char* at, const char* end) {
  std::uint32_t bytes = 0;
  if (end - at >= 4) {
    std::memcpy(&bytes, at, 4);
  } else {
    std::memcpy(&bytes, at, static_cast<std::size_t>(end - at));
  }
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap32(bytes);
  return bytes;
}

}  // namespace

struct Borders::Character {
  std::uint32_t bytes;
  std::uint32_t size;  // 0: there is none
  /// The last byte.
  [[nodiscard]] std::uint32_t last() const { return bytes >> (8 * (size - 1)); }
};

/// The whole character that `bytes` begin with, by its looks.
inline Borders::Character Borders::whole_character(std::uint32_t bytes) noexcept {
  const std::uint32_t lead = bytes & 0xFF;
  if (lead < kAscii) return {lead, 1};
  // Bits that every byte behind the first one has, and which of them are to be looked at.
  if ((bytes & 0xC0E0) == 0x80C0) return {bytes & 0xFFFF, 2};
  if ((bytes & 0xC0C0F0) == 0x8080E0) return {bytes & 0xFF'FFFF, 3};
  if ((bytes & 0xC0C0C0F8) == 0x808080F0) return {bytes, 4};
  return {0, 0};
}

namespace {

std::uint32_t hash_of(std::uint32_t left, std::uint32_t right) {
  return (left * 0x9E3779B1u + (right ^ left >> 15) * 0x85EBCA77u) >> (32 - kHashBits);
}

}  // namespace

/// The first and the last bytes of a symbol's text.
struct Borders::Ends {
  std::uint32_t first = 0;  // up to four, the first lowest
  std::uint32_t last = 0;   // up to four, the last one highest
  std::uint32_t size = 0;   // all bytes

  [[nodiscard]] std::size_t n_known() const { return std::min<std::size_t>(size, 4); }
  /// The last n bytes, n > 0.
  [[nodiscard]] std::uint32_t from_end(std::size_t n) const { return last >> (8 * (4 - n)); }
  bool operator==(const Ends&) const = default;

  static Ends of(std::string_view bytes) {
    const char* end = bytes.data() + bytes.size();
    const std::size_t n = std::min<std::size_t>(bytes.size(), 4);
    return {load(bytes.data(), end), n == 0 ? 0 : load(end - n, end) << (8 * (4 - n)),
            static_cast<std::uint32_t>(bytes.size())};
  }

  /// Of two texts, one behind the other.
  static Ends joined(const Ends& left, const Ends& right) {
    const auto behind = std::uint64_t{right.first} << (8 * left.n_known());
    const auto before = std::uint64_t{left.last} >> (8 * right.n_known());
    return {left.first | static_cast<std::uint32_t>(behind),
            right.last | static_cast<std::uint32_t>(before), left.size + right.size};
  }
};

Borders::Borders(const std::vector<First>& first, const MergeColumns& merges) {
  Symbol largest = 0;
  for (const auto& [symbol, bytes] : first) largest = std::max(largest, symbol);
  for (const auto symbol : merges.joined) largest = std::max(largest, symbol);
  std::vector<Ends> ends(std::size_t{largest} + 1);
  bool is_sure = true;
  // Two texts for one symbol: then nothing follows from the symbol about the text.
  const auto learn = [&](Symbol symbol, const Ends& found) {
    Ends& known = ends[symbol];
    const std::uint32_t if_new = known.size == 0 ? ~0u : 0;  // a branch would often go wrong
    known.first |= found.first & if_new;
    known.last |= found.last & if_new;
    known.size |= found.size & if_new;
    is_sure &= known == found && found.size > 0;
  };
  const auto known = [&](Symbol symbol) { return symbol <= largest && ends[symbol].size > 0; };
  for (const auto& [symbol, bytes] : first) learn(symbol, Ends::of(bytes));

  pairs_.assign((std::size_t{1} << kHashBits) / 64, 0);
  parts_.assign(std::size_t{256} * 256 / 64, 0);
  const auto bring_together = [&](std::size_t i) {
    if (!known(merges.left[i]) || !known(merges.right[i])) return false;
    const Ends left = ends[merges.left[i]];
    const Ends right = ends[merges.right[i]];
    learn(merges.joined[i], Ends::joined(left, right));
    forbid(left, right);
    return true;
  };
  std::vector<std::size_t> waiting;  // for their parts to be made
  for (std::size_t i = 0; i < merges.left.size(); ++i) {
    if (!bring_together(i)) waiting.push_back(i);
  }
  std::size_t n_before = 0;
  for (int pass = 0; pass < kMostPasses && is_sure && waiting.size() != n_before; ++pass) {
    n_before = waiting.size();
    std::erase_if(waiting, bring_together);
  }
  is_sure = is_sure && waiting.size() == n_before;
  if (!is_sure) {
    pairs_.clear();
    parts_.clear();
  }
}

/// A merge brings these two together.
void Borders::forbid(const Ends& left, const Ends& right) {
  const std::uint32_t lead = right.first & 0xFF;
  if (lead < kAscii && left.from_end(1) < kAscii) {
    ascii_[left.from_end(1)][lead / 64] |= std::uint64_t{1} << (lead % 64);
    return;
  }
  if (continues(lead)) return;  // inside a character: no border in the first place
  const std::size_t right_size = std::min(size_by_lead(lead), right.n_known());
  const std::uint32_t behind = low_bytes(right.first, right_size);
  std::size_t left_size = 1;  // of the last character of `left`, or of what there is of it
  while (left_size < left.n_known() && continues(left.from_end(left_size) & 0xFF)) ++left_size;
  const std::uint32_t before = left.from_end(left_size);
  const bool is_whole = whole_character(before).size == left_size &&
                        whole_character(behind).size == right_size;
  set(before, behind);
  if (!is_whole) {
    const std::uint32_t row = left.from_end(1) * 256 + lead;
    parts_[row / 64] |= std::uint64_t{1} << (row % 64);
  }
}

void Borders::set(std::uint32_t left, std::uint32_t right) noexcept {
  const auto hash = hash_of(left, right);
  pairs_[hash / 64] |= std::uint64_t{1} << (hash % 64);
}

inline std::uint64_t Borders::get(std::uint32_t left, std::uint32_t right) const noexcept {
  const auto hash = hash_of(left, right);
  return pairs_[hash / 64] >> (hash % 64) & 1;
}

/// 1 if they may, else 0.
inline std::uint64_t Borders::may_join(const Character& left,
                                       const Character& right) const noexcept {
  if (left.bytes < kAscii && right.bytes < kAscii) {
    return ascii_[left.bytes][right.bytes / 64] >> (right.bytes % 64) & 1;
  }
  const std::uint32_t row = left.last() * 256 + (right.bytes & 0xFF);
  // Which of the two it is cannot be foreseen, so nothing branches on it.
  const std::uint64_t whole = get(left.bytes, right.bytes);
  const std::uint64_t parts = parts_[row / 64] >> (row % 64) & 1;
  if (parts > whole) [[unlikely]] return may_join_parts(left, right) ? 1 : 0;
  return whole;
}

/// Looks for the end of one character together with the beginning of the other.
bool Borders::may_join_parts(const Character& left, const Character& right) const noexcept {
  for (std::size_t l = 1; l <= left.size; ++l) {
    const std::uint32_t before = left.bytes >> (8 * (left.size - l));
    for (std::size_t r = 1; r <= right.size; ++r) {
      if (get(before, low_bytes(right.bytes, r))) return true;
    }
  }
  return false;
}

std::size_t Borders::next(std::string_view text, std::size_t start) const noexcept {
  std::array<std::size_t, 2> ends;
  (void)cut(text, start, ends);
  return ends[0];
}

bool Borders::is_cut(std::string_view text) const noexcept {
  if (empty()) return false;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const std::uint32_t before = bytes[i];
    const std::uint32_t behind = bytes[i + 1];
    if ((before | behind) >= kAscii) return next(text, i) < text.size();
    if ((ascii_[before][behind / 64] >> (behind % 64) & 1) == 0) return true;
  }
  return false;
}

std::size_t Borders::cut(std::string_view text, std::size_t start,
                         std::span<std::size_t> ends) const noexcept {
  const char* const end = text.data() + text.size();
  const char* at = text.data() + start;
  std::size_t n = 0;
  Character before{0, 0};
  while (!empty() && at < end && n + 1 < ends.size()) {
    const Character character = whole_character(load(at, end));
    // Beside bytes that are no character nothing is cut.
    const std::uint64_t joins = before.size == 0 || character.size == 0
                                    ? 1
                                    : may_join(before, character);
    ends[n] = static_cast<std::size_t>(at - text.data());
    n += 1 - joins;
    before = character;
    at += std::max<std::uint32_t>(character.size, 1);
  }
  if (empty() || at >= end) ends[n++] = text.size();
  return n;
}

}  // namespace bytepair
