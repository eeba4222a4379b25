// input.hpp: what the fuzz targets share. Each makes values out of the fuzzer's bytes and compares
// the core with an obvious implementation, or one way to use it with another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

/// The bytes that the fuzzer chose, as the values a target asks for. Zeros once they are used up.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}
  explicit Input(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }

  std::uint8_t byte() {
    const auto value = rest_.empty() ? '\0' : rest_.front();
    rest_.remove_prefix(rest_.empty() ? 0 : 1);
    return static_cast<std::uint8_t>(value);
  }
  bool flag() { return (byte() & 1) != 0; }
  /// A number below `limit` >= 1; small limits take one byte.
  std::uint32_t below(std::uint32_t limit) {
    std::uint32_t value = byte();
    if (limit > 256) value = value << 8 | byte();
    if (limit > 65536) value = (value << 8 | byte()) << 8 | byte();
    return value % limit;
  }
  std::string_view bytes(std::size_t n) {
    const auto taken = rest_.substr(0, n);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  /// A string of up to `longest` bytes.
  std::string_view string(std::uint32_t longest) { return bytes(below(longest + 1)); }
  std::string_view rest() { return bytes(rest_.size()); }

 private:
  std::string_view rest_;
};

/// Ends the program, as the fuzzer wants it, if something is not as it must be.
inline void require(bool condition, std::string_view claim) {
  if (condition) return;
  std::cerr << "not true: " << claim << "\n";
  std::abort();
}

}  // namespace fuzz
