// bytepair/hash.hpp: hashes of short byte strings. No Python, no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace bytepair {

/// All bits of a product of two numbers, folded: the mixing step of wyhash
/// (https://github.com/wangyi-fudan/wyhash).
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline constexpr std::uint64_t kHashA = 0xA0761D6478BD642Fu;
inline constexpr std::uint64_t kHashB = 0xE7037ED1A0B428DBu;

/// Of sixteen bytes as two numbers.
inline std::uint64_t hash16(std::uint64_t low, std::uint64_t high) noexcept {
  return fold(low ^ kHashA, high ^ kHashB);
}

/// Of any bytes.
inline std::uint64_t hash_bytes(std::string_view bytes) noexcept {
  const auto load = [](const char* at, std::size_t n) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, n);
    return word;
  };
  std::uint64_t hash = bytes.size() * kHashA;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left > 16; at += 16, left -= 16) {
    hash = fold(load(at, 8) ^ kHashA, load(at + 8, 8) ^ hash);
  }
  // The rest as two numbers that overlap.
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  if (left >= 8) {
    low = load(at, 8);
    high = load(at + left - 8, 8);
  } else if (left >= 4) {
    low = load(at, 4);
    high = load(at + left - 4, 4);
  } else if (left > 0) {
    low = load(at, 1) | load(at + left / 2, 1) << 8 | load(at + left - 1, 1) << 16;
  }
  return fold(low ^ kHashB, high ^ hash);
}

}  // namespace bytepair
