// bytepair/ranks.hpp: the lines of a .tiktoken file, in one pass. No Python, no I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bytepair {

/// The tokens of a rank file, one after the other.
struct Ranks {
  std::vector<std::uint32_t> ids;      // ascending
  std::string data;
  std::vector<std::uint64_t> offsets;  // where each begins in data, and the end of the last
};

/// Reads a file as programs write it, nothing else: lines of a token in base64, a space, a rank and
/// a line feed; tokens distinct and not empty, ranks ascending and below 2^31. Whoever gets nothing
/// looks at every line, and can say what is wrong. O(n log n) for n tokens.
std::optional<Ranks> read_ranks(std::string_view file);

}  // namespace bytepair
