// spelling.cpp: from characters to the bytes that they stand for.
#include "bytepair/spelling.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace bytepair {
namespace {

constexpr std::size_t kLastStandIn = 0x143;

constexpr bool is_own_stand_in(std::size_t byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

/// By code point; -1 for what stands for no byte.
constexpr std::array<std::int16_t, kLastStandIn + 1> bytes_by_stand_in() {
  std::array<std::int16_t, kLastStandIn + 1> bytes{};
  for (auto& byte : bytes) byte = -1;
  std::size_t other = 0x100;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    bytes[is_own_stand_in(byte) ? byte : other++] = static_cast<std::int16_t>(byte);
  }
  return bytes;
}

constexpr auto kByteByStandIn = bytes_by_stand_in();

}  // namespace

bool append_spelt_bytes(std::string_view spelling, std::string& bytes) {
  const auto* at = reinterpret_cast<const unsigned char*>(spelling.data());
  const auto* end = at + spelling.size();
  while (at < end) {
    std::uint32_t code = *at++;
    if (code >= 0x80) {  // all that stands for a byte has two bytes at most
      if (code < 0xC2 || code > 0xDF || at == end || (*at & 0xC0) != 0x80) return false;
      code = (code & 0x1F) << 6 | (*at++ & 0x3F);
    }
    if (code > kLastStandIn || kByteByStandIn[code] < 0) return false;
    bytes += static_cast<char>(kByteByStandIn[code]);
  }
  return true;
}

}  // namespace bytepair
