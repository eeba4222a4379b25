// bytepair/json_text.hpp: what is long in JSON text, read and written without a parser's objects.
// No Python, no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bytepair {

/// A long string or a long array of ids.
struct LongPart {
  std::size_t begin;               // in the JSON text, where its quote or bracket is
  std::size_t end;
  std::size_t n_bytes;             // of a string, in UTF-8
  std::vector<std::uint32_t> ids;  // of an array; a string has none
  [[nodiscard]] bool is_text() const noexcept { return ids.empty(); }
};

struct LongParts {
  std::vector<LongPart> parts;
  std::size_t n_values = 0;  // strings (names too), arrays and objects that were met
};

/// The strings that are values, and the arrays of whole numbers below 2**32, that take at least
/// `shortest` bytes. Ends behind `most_values` values, then without parts. nullopt: a string does
/// not end, or a long one is not valid; whether all else is JSON is not looked at. O(len(json)).
/// Twin: bytepair.engines.python.take_out (tests/parity/test_json_text.py).
std::optional<LongParts> find_long(std::string_view json, std::size_t shortest,
                                   std::size_t most_values);

/// The JSON text with marks in their places: part i is the string "mark + i" or the array [mark + i].
std::string with_marks(std::string_view json, std::span<const LongPart> parts, std::uint64_t mark);

/// Writes the `n_bytes` of a string that `find_long` has found, with its quotes. Half of a
/// surrogate pair becomes U+FFFD.
void read_string(std::string_view quoted, char* out);

/// How many bytes `write_ids` writes.
std::size_t ids_json_size(std::span<const std::uint32_t> ids) noexcept;

/// [1,2,3]
void write_ids(std::span<const std::uint32_t> ids, char* out) noexcept;

/// How many bytes `write_string` writes; nullopt: the text is not UTF-8.
std::optional<std::size_t> string_json_size(std::string_view text) noexcept;

/// The text in quotes, with escapes where JSON demands them.
void write_string(std::string_view text, char* out) noexcept;

}  // namespace bytepair
