// bytepair/learn.hpp: words as symbols -> merges, most frequent pair first. No Python, no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bytepair/pair_map.hpp"

namespace bytepair {

using Symbol = std::uint32_t;

/// Which of several equally frequent pairs is joined first.
enum class Ties {
  kOrder,  // the smallest pair of ranks
  kFirst,  // the pair that occurs first in the words as they are now
  kBytes,  // the greatest pair of byte strings
};

/// One learned step; `count` is how often the pair occurred when it was joined.
struct Merge {
  Symbol left;
  Symbol right;
  Symbol joined;
  std::int64_t count;
};

/// Words one after the other; word i is `symbols[offsets[i] .. offsets[i + 1])`, seen counts[i]
/// times. Only read during construction of the Learner.
struct Words {
  std::span<const Symbol> symbols;
  std::span<const std::int64_t> offsets;
  std::span<const std::int64_t> counts;
};

struct LearnOptions {
  std::vector<std::string> alphabet;  // bytes of each first symbol; the end mark is ""
  std::vector<std::uint32_t> order;   // rank of each first symbol for Ties::kOrder
  Ties ties = Ties::kOrder;
  std::int64_t min_frequency = 1;
  std::uint32_t max_token_length = 0xFFFF'FFFF;  // in first symbols, end marks not counted
};

/// Finds merges one after the other. Not for two threads at once.
/// A merge costs the sites it joins and the distinct neighbours of them, not the corpus and not
/// the number of tied pairs. Memory: 16 bytes a symbol of the words, and 4 a site of each pair.
/// Twin: bytepair.engines.python.Learner (tests/parity/test_learn.py).
class Learner {
 public:
  /// Throws std::invalid_argument if the arrays do not fit together, if a count is negative or
  /// the corpus has 2^63 symbols or more, std::length_error beyond 2^32 - 3 distinct ones.
  Learner(const Words& words, LearnOptions options);

  /// The next merge, or nothing once no pair may be joined.
  [[nodiscard]] std::optional<Merge> next();

 private:
  using Position = std::uint32_t;

  struct Pair {
    Symbol left = 0;
    Symbol right = 0;
    std::int64_t count = 0;
    std::size_t cursor = 0;       // sites before it are known to be gone (Ties::kFirst)
    std::vector<Position> sites;  // ascending; may list sites that are gone
  };

  /// How a pair stood when it was queued; stale once its count or its preference has changed.
  struct Candidate {
    std::int64_t count;
    std::uint64_t preference;  // smaller is joined first; unused for Ties::kBytes
    std::uint32_t pair;
  };

  /// One distinct neighbour of the joined sites. With each site it loses the pair it formed and
  /// gains the pair with the joined symbol.
  struct Neighbour {
    Symbol symbol;
    std::int64_t count = 0;        // sites, by the weight of their words
    std::vector<Position> sites;   // where the gained pair stands, ascending
  };

  /// The neighbours on one side, found by symbol without hashing.
  class Side {
   public:
    /// Forgets all; symbols < n_symbols may follow. O(neighbours before).
    void reset(std::size_t n_symbols);
    void add(Symbol symbol, std::int64_t count, Position site);
    [[nodiscard]] std::vector<Neighbour>& all() noexcept { return neighbours_; }

   private:
    std::vector<Neighbour> neighbours_;
    std::vector<std::uint32_t> number_by_symbol_;  // index into neighbours_ + 1; 0: none yet
  };

  void lay_out(const Words& words);
  void count_all_pairs();
  [[nodiscard]] bool may_join(Symbol left, Symbol right) const noexcept;
  [[nodiscard]] bool holds(Position site, const Pair& pair) const noexcept;
  [[nodiscard]] std::uint64_t preference(Pair& pair) const;
  [[nodiscard]] bool comes_later(const Candidate& a, const Candidate& b) const;
  [[nodiscard]] bool bytes_come_later(const Pair& a, const Pair& b) const;
  void push(std::uint32_t number);
  void push_if_known(Symbol left, Symbol right);
  std::optional<std::uint32_t> pop_best();
  Symbol new_symbol(const Pair& pair);
  void join_sites(const Pair& pair, Symbol joined);
  void join_site(Position site, Symbol joined);
  std::uint32_t number_of(Symbol left, Symbol right);
  void gain(Symbol left, Symbol right, Neighbour& neighbour);
  void lose(Symbol left, Symbol right, std::int64_t count);

  LearnOptions options_;
  std::vector<std::uint32_t> length_;  // of each symbol, in first symbols
  std::vector<Symbol> symbol_;         // kBorder between words, kGone where a symbol was joined
  std::vector<Position> next_;
  std::vector<Position> previous_;
  std::vector<std::uint32_t> word_of_;  // word at each position
  std::vector<std::int64_t> weight_;    // count of each word
  std::vector<Pair> pairs_;
  PairMap<std::uint32_t> pair_number_;
  std::vector<Candidate> heap_;
  Side left_;
  Side right_;
};

}  // namespace bytepair
