// bytepair/utf8.hpp: where characters begin and end in bytes that may or may not be UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bytepair {

/// One character at a position of a text.
struct Utf8 {
  std::size_t size;    // bytes; 0: the text ends within what may be a character
  std::uint32_t code;  // code point, or kInvalid for a byte that is not part of valid UTF-8
  static constexpr std::uint32_t kInvalid = 0xFFFF'FFFF;
};

/// Reads the character at `at` < `end`. A byte that is not part of valid UTF-8 (RFC 3629: no
/// overlong forms, no surrogates) stands for itself, as with Python's "surrogateescape".
inline Utf8 read_utf8(const unsigned char* at, const unsigned char* end) noexcept {
  const unsigned char lead = *at;
  if (lead < 0x80) return {1, lead};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return {1, Utf8::kInvalid};
  const auto left = static_cast<std::size_t>(end - at);
  // The second byte decides on overlong forms, surrogates and code points beyond U+10FFFF.
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (left > 1 && (at[1] < low || at[1] > high)) return {1, Utf8::kInvalid};
  std::uint32_t code = lead & (0xFFu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if (i >= left) return {0, Utf8::kInvalid};
    if ((at[i] & 0xC0) != 0x80) return {1, Utf8::kInvalid};
    code = code << 6 | (at[i] & 0x3Fu);
  }
  return {size, code};
}

}  // namespace bytepair
