// bytepair/join.hpp: joins neighbours, the pair of lowest order first: the loop that is BPE.
// No Python, no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
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

  alignas(64) std::uint32_t ranks[N + 1];  // of the pair that begins at each place; one more to spare
  Symbol symbols[N + 1];                   // the last one is none: a border
  std::uint64_t alive;                     // bit i: there is a symbol at place i
  std::uint32_t word;                      // which one it is, for whoever asked
  std::uint32_t order;                     // of the join at hand
  std::uint32_t left;                      // places around it; N where the word ends
  std::uint32_t at;
  std::uint32_t right;
  std::uint32_t slots[2];  // where the table tells of the new pairs
};

/// The order of a pair, given its rank.
constexpr std::uint32_t order_of_rank(std::uint32_t rank) { return rank >> Lane<64>::kPlaceBits; }

/// The words that lanes are filled with.
template <std::size_t N>
class LaneWords {
 public:
  LaneWords() = default;
  virtual ~LaneWords() = default;
  LaneWords(const LaneWords&) = delete;
  LaneWords& operator=(const LaneWords&) = delete;

  /// The next word in a lane: its symbols, the ranks of their pairs (kNoRank where there is none) and
  /// `alive`. nullptr if there are no more.
  virtual Lane<N>* next() = 0;
  /// A word in which all is joined, whose lane may be used again; they come in any order.
  virtual void take(Lane<N>& lane) = 0;
};

/// Words on their way at a time: more no longer hide more of the memory's slowness.
template <std::size_t N>
inline constexpr std::size_t kLanes = N == 16 ? 48 : 16;

/// Joins what can be joined in many words at once: while one waits for memory the others go on.
template <class Table, std::size_t N>
void join_lanes(const Table& table, LaneWords<N>& words);

/// The same for words that are in lanes already.
template <class Table, std::size_t N>
void join_lanes(const Table& table, std::span<Lane<N>> lanes);

/// The tokens of a word, in order.
struct Chain {
  std::vector<Symbol> tokens;
  std::vector<std::uint64_t> starts;  // bit i of all of them: a token begins with symbol i
};

/// A word as symbols.
template <class Table>
struct SymbolWord {
  const Table& table;
  std::span<const Symbol> symbols;

  [[nodiscard]] std::size_t size() const { return symbols.size(); }
  [[nodiscard]] Symbol symbol(std::size_t at) const { return symbols[at]; }
  /// Of the pair that begins at `at` < size() - 1, as in a lane.
  [[nodiscard]] std::uint32_t rank(std::size_t at) const {
    return table.order(symbols[at], symbols[at + 1]) << Lane<64>::kPlaceBits;
  }
  /// True if `n` symbols from one place on are those from another place on.
  [[nodiscard]] bool repeats(std::size_t one, std::size_t other, std::size_t n) const {
    return std::memcmp(&symbols[one], &symbols[other], n * sizeof(Symbol)) == 0;
  }
};

/// A word as bytes, each of which is the same symbol wherever it stands.
struct ByteWord {
  std::string_view bytes;
  const Symbol* symbol_by_byte;
  const std::uint32_t* rank_by_pair;  // by first * 256 + second

  [[nodiscard]] std::size_t size() const { return bytes.size(); }
  [[nodiscard]] Symbol symbol(std::size_t at) const { return symbol_by_byte[byte(at)]; }
  [[nodiscard]] std::uint32_t rank(std::size_t at) const {
    return rank_by_pair[byte(at) * 256 + byte(at + 1)];
  }
  [[nodiscard]] bool repeats(std::size_t one, std::size_t other, std::size_t n) const {
    return std::memcmp(&bytes[one], &bytes[other], n) == 0;
  }

 private:
  [[nodiscard]] std::size_t byte(std::size_t at) const {
    return static_cast<unsigned char>(bytes[at]);
  }
};

/// Joins a SymbolWord or a ByteWord of any length. O(n log n), and O(n) where the tokens in one part
/// of the word do not depend on parts far away, which is the rule.
template <class Table, class Word>
[[nodiscard]] Chain join_long(const Table& table, const Word& word);

/// Says yes with a probability, the same for the same seed on every machine.
/// Source: SplitMix64, Steele, Lea and Flood 2014, https://doi.org/10.1145/2714064.2660195.
class Chance {
 public:
  Chance(double probability, std::uint64_t seed) : probability_(probability), state_(seed) {}
  bool operator()() noexcept {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t mixed = (state_ ^ state_ >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return static_cast<double>((mixed ^ mixed >> 31) >> 11) / 0x1p53 < probability_;
  }

 private:
  double probability_;
  std::uint64_t state_;
};

/// The same, but a merge that comes next is put aside when `leaves_out` says so; it may come again
/// after another. O(n log n) for a probability well below 1.
template <class Table>
[[nodiscard]] Chain join_by_chance(const Table& table, std::span<const Symbol> symbols,
                                   Chance& leaves_out);

}  // namespace bytepair
