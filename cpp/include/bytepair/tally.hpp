// bytepair/tally.hpp: ids of texts -> how often each stands there, and which words they divide.
// No Python, no I/O.
#pragma once

#include <cstdint>
#include <span>

namespace bytepair {

/// What of a token matters to words: runs of bytes that are not white space.
struct TokenShape {
  static constexpr std::uint32_t kEmpty = 1;         // stands for no byte: as if it were not there
  static constexpr std::uint32_t kStartsBlank = 2;   // its first byte is white space
  static constexpr std::uint32_t kEndsBlank = 4;     // its last byte is
  static constexpr std::uint32_t kHoldsBlank = 8;    // any byte is
  static constexpr unsigned kWordsShift = 4;         // above: how many words begin behind its first byte
};

struct WordTally {
  std::int64_t n_words = 0;
  std::int64_t n_divided = 0;  // words with the border of two tokens inside
};

/// Texts whose tokens, laid end to end, are their bytes; text i is ids[offsets[i] .. offsets[i + 1]).
/// `shapes`: by id; `uses`: by id, added to. No word goes from one text to the next. O(ids).
/// Throws std::invalid_argument if an id has no shape or the arrays do not fit together; `uses` may
/// have grown then. Twin: bytepair.engines.python.tally (tests/parity/test_tally.py).
WordTally tally(std::span<const std::uint32_t> ids, std::span<const std::int64_t> offsets,
                std::span<const std::uint32_t> shapes, std::span<std::int64_t> uses);

}  // namespace bytepair
