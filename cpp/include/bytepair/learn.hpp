// bytepair/learn.hpp: words as symbols -> merges, most frequent pair first. No Python, no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bytepair/pair_table.hpp"
#include "bytepair/stop.hpp"

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
/// times. Only read during construction of the Learner. Either array of symbols will do.
struct Words {
  std::span<const Symbol> symbols;
  std::span<const std::int64_t> offsets;
  std::span<const std::int64_t> counts;
  std::span<const std::uint8_t> byte_symbols = {};  // the symbols, if `symbols` is empty
};

/// How the work is done; nothing of it changes what is learned.
struct LearnEffort {
  std::size_t n_threads = 1;
  std::size_t least_share = std::size_t{1} << 14;  // sites that are worth another thread
  std::size_t short_words = std::size_t{1} << 15;  // symbols of which every pair is kept in view
  std::int64_t depth = 64;        // else pairs as frequent as the best are, divided by this
  std::size_t few_symbols = 362;  // whose pairs are counted without a table to find them
};

struct LearnOptions {
  std::vector<std::string> alphabet;  // bytes of each first symbol; the end mark is ""
  std::vector<std::uint32_t> lengths = {};  // of each, in symbols that are not merged; none: 1, ""
                                            // has 0. Others: learning goes on from earlier merges
  std::vector<std::uint32_t> order;  // rank of each first symbol for Ties::kOrder
  Ties ties = Ties::kOrder;
  std::int64_t min_frequency = 1;
  std::uint32_t max_token_length = 0xFFFF'FFFF;  // in the unit of `lengths`
  std::vector<std::string> blocked = {};  // bytes that no pair may be joined to
  std::vector<std::pair<std::string, std::string>> blocked_pairs = {};  // never joined
  std::vector<std::string> spellings = {};  // of each first symbol, for these two; none: `alphabet`
  LearnEffort effort = {};
};

/// Finds merges one after the other. Not for two threads at once.
/// A merge costs the sites it joins and the distinct neighbours of them, not the corpus and not
/// the number of tied pairs. Memory: 4 bytes a symbol of the words, and 8 a site of each pair in
/// view. Twin: bytepair.engines.python.Learner (tests/parity/test_learn.py).
class Learner {
 public:
  /// Throws std::invalid_argument if the arrays do not fit together, if a count is negative or
  /// the corpus has 2^63 symbols or more, std::length_error beyond 2^32 - 3 distinct ones, Stopped.
  Learner(const Words& words, LearnOptions options, const KeepGoing& keep_going = {});
  ~Learner();
  Learner(Learner&&) noexcept;
  Learner& operator=(Learner&&) noexcept;

  /// The next merge, or nothing once no pair may be joined. Throws Stopped; amid a merge, the learner
  /// is then of no use any more (std::logic_error).
  [[nodiscard]] std::optional<Merge> next(const KeepGoing& keep_going = {});

  /// Entries in the queue, and pairs that are kept in view and may still be joined. O(pairs).
  [[nodiscard]] std::pair<std::size_t, std::size_t> in_view() const noexcept;

  /// Lets go of the threads that `next` has begun; to be called before others may fork the process.
  void rest() noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Rows of symbols, one after the other; row i is `symbols[offsets[i] .. offsets[i + 1])`.
struct SymbolRows {
  std::vector<Symbol> symbols;
  std::vector<std::int64_t> offsets;
};

/// What is left of words after given merges, the one of lowest rank first, of several the leftmost:
/// so that learning can go on from there. O(n log n) for a word of n symbols; what lies between
/// symbols that no merge joins is joined once, however often it occurs.
/// Throws std::invalid_argument if the arrays do not fit together or a symbol is not below
/// `n_symbols`, Stopped.
SymbolRows join_words(const Words& words, const MergeColumns& merges, std::size_t n_symbols,
                      const KeepGoing& keep_going = {}, std::size_t n_threads = 1);

}  // namespace bytepair
