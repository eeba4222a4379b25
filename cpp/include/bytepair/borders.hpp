// bytepair/borders.hpp: between which characters nothing is ever joined. No Python, no I/O.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bytepair/pair_table.hpp"

namespace bytepair {

/// Tells where a pre-token can be cut without changing what becomes of it: between two characters
/// that no merge brings together. In most vocabularies these are more than half of the places in a
/// Chinese or Japanese sentence, and every place before a space in SentencePiece's.
/// Conservative: a place that it does not name may be a border too. Read-only after construction.
class Borders {
 public:
  /// Where nothing is known: no borders at all.
  Borders() = default;

  /// What a symbol that is not made by merging stands for in text.
  struct First {
    Symbol symbol;
    std::string_view bytes;
  };

  /// O(merges). If the bytes of some symbol cannot be told for sure, there are no borders.
  Borders(const std::vector<First>& first, const MergeColumns& merges);

  [[nodiscard]] bool empty() const noexcept { return pairs_.empty(); }

  /// The next border behind `start` < text.size(); text.size() if there is none. O(n).
  [[nodiscard]] std::size_t next(std::string_view text, std::size_t start) const noexcept;

  /// True if there are borders and one of them is within the text. O(n).
  [[nodiscard]] bool is_cut(std::string_view text) const noexcept;

  /// Writes the next borders behind `start`, a border or 0, as many as fit into `ends` (more than
  /// one); the end of the text counts as one. Returns how many.
  [[nodiscard]] std::size_t cut(std::string_view text, std::size_t start,
                                std::span<std::size_t> ends) const noexcept;

 private:
  struct Ends;
  struct Character;
  [[nodiscard]] static Character whole_character(std::uint32_t bytes) noexcept;
  void forbid(const Ends& left, const Ends& right);
  [[nodiscard]] std::uint64_t may_join(const Character& left,
                                       const Character& right) const noexcept;
  [[nodiscard]] bool may_join_parts(const Character& left,
                                    const Character& right) const noexcept;
  void set(std::uint32_t left, std::uint32_t right) noexcept;
  [[nodiscard]] std::uint64_t get(std::uint32_t left, std::uint32_t right) const noexcept;

  // Characters are their UTF-8 bytes as a number, the first byte lowest.
  std::array<std::array<std::uint64_t, 2>, 128> ascii_{};  // bit b of row a: a and b may join
  std::vector<std::uint64_t> pairs_;  // a bit for the hash of each pair that may join
  std::vector<std::uint64_t> parts_;  // bit b of row a: some part of a character that ends with
                                      // byte a may join a part of one that begins with b
};

}  // namespace bytepair
