// bytepair/decode.hpp: token ids -> bytes. No Python, no I/O, no locale.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bytepair {

/// Looks token bytes up by id. Read-only after construction: safe to share between threads.
/// Twin: bytepair.engines.python.Decoder (tests/parity/test_decode.py).
class Decoder {
 public:
  /// Token `ids[i]` has the bytes `contents[i]`. Throws std::invalid_argument if the lengths
  /// differ. Ids may have gaps; O(n) memory whatever they are.
  Decoder(std::span<const std::uint32_t> ids, std::span<const std::string_view> contents);

  /// Appends the bytes of the tokens to `bytes`; returns the position of the first unknown id, at
  /// which it stops unless `skip_unknown`. O(bytes appended).
  std::optional<std::size_t> decode(std::span<const std::uint32_t> ids, bool skip_unknown,
                                    std::string& bytes) const;

 private:
  struct Place {
    std::uint64_t start = 0;
    std::uint32_t size = kUnknown;
  };
  static constexpr std::uint32_t kUnknown = 0xFFFF'FFFF;

  [[nodiscard]] Place find(std::uint32_t id) const noexcept;

  std::string data_;
  std::vector<Place> dense_;                         // ids below dense_.size()
  std::unordered_map<std::uint32_t, Place> sparse_;  // the others
};

}  // namespace bytepair
