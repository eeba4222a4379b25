// bytepair/join.hpp: joins neighbours, the pair of lowest order first: the loop that is BPE.
// No Python, no I/O.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bytepair/pair_table.hpp"

namespace bytepair {

/// A word of at most `N` symbols, N <= 64, on its way to tokens. A joined symbol stands at the place
/// of its first part; the places of its other parts are no longer `alive`.
template <std::size_t N>
struct Lane {
  static constexpr std::size_t kSize = N;
  /// Ranks hold the place in their lowest bits once they are compared: the leftmost wins.
  static constexpr std::uint32_t kPlaceBits = 6;
  static constexpr std::uint32_t kNoRank = kMostOrders << kPlaceBits;

  alignas(64) std::array<std::uint32_t, N> ranks;  // of the pair that begins at each place
  std::uint32_t spare_rank;                        // takes the rank of a pair that there is not
  alignas(64) std::array<Symbol, N + 1> symbols;   // the last one is none: a border
  std::uint64_t alive;                             // bit i: there is a symbol at place i
  std::uint32_t order;                             // of the join at hand
  std::uint32_t left;                              // places around it; N where the word ends
  std::uint32_t at;
  std::uint32_t right;
  std::array<std::uint32_t, 2> slots;  // where the table tells of the new pairs
};

/// Joins what can be joined in many words at once: while one waits for memory the others go on.
/// The lanes hold symbols, the ranks of their pairs (kNoRank where there is none) and `alive`.
template <class Table, std::size_t N>
void join_lanes(const Table& table, std::span<Lane<N>> lanes);

/// Appends the tokens of a word of any length to `tokens`. O(n log n), and O(n) where the tokens in
/// one part of the word do not depend on parts far away, which is the rule.
template <class Table>
void join_long(const Table& table, std::span<const Symbol> symbols, std::vector<Symbol>& tokens);

}  // namespace bytepair
