// bytepair/prune.hpp: words as symbols and merges -> which tokens to remove, the cheapest first.
// No Python, no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bytepair/pair_table.hpp"
#include "bytepair/stop.hpp"

namespace bytepair {

/// A vocabulary of symbols 0, 1, 2, ... and the words of a corpus. Only read during construction of
/// the Pruner.
struct PruneTask {
  std::span<const Symbol> symbols;  // word i is symbols[offsets[i] .. offsets[i + 1])
  std::span<const std::int64_t> offsets;
  std::span<const std::int64_t> counts;
  std::span<const std::int64_t> whole;  // what each word becomes without being merged; -1: nothing
  MergeColumns merges;                  // each pair once
  std::span<const Symbol> contents;     // what each symbol is made of; nothing if that is unknown
  std::span<const std::int64_t> content_offsets;
  std::span<const std::uint8_t> removable;  // by symbol
};

/// Which tokens may go, and what is left of them.
enum class PruneStrategy {
  kLeaves,      // any, with all that cannot be made without it; their merges go with them
  kWholeWords,  // any; tokens made of them are found by looking whole words up
  kResidues,    // any; their merges stay, and their parts stand for them where they are left over
};

/// A token that was removed, and by how much that made the corpus longer (or shorter, if negative).
/// Of tokens that go together: after those before it.
struct Removal {
  Symbol symbol;
  std::int64_t cost;
};

/// Removes tokens one after the other, always the one that costs least, of several the largest
/// symbol. With kLeaves a token goes together with those that cannot be made without it, and what
/// counts is the cost of all of them per token. Costs are exact: all words that a removal changes are
/// merged anew. Not for two threads.
/// Cost of a removal: for each word that depends on the token, one merging for each of the tokens in
/// it. Memory: about 30 bytes a symbol of the words.
/// Twin: bytepair.engines.python.Pruner (tests/parity/test_prune.py).
class Pruner {
 public:
  /// Throws std::invalid_argument if the parts do not fit together or the corpus is too large to
  /// count, std::length_error beyond 2^32 - 1 words, Stopped. O(words times their tokens).
  Pruner(const PruneTask& task, PruneStrategy strategy, const KeepGoing& keep_going = {});
  ~Pruner();
  Pruner(Pruner&&) noexcept;
  Pruner& operator=(Pruner&&) noexcept;

  /// Removes the cheapest token with those that go with it, in an order in which no token is left
  /// without what it needs. Only what has at most `room` tokens is looked at. Nothing if that costs
  /// more than `most`, or than `most_each` per token, or if none may go.
  [[nodiscard]] std::vector<Removal> next(std::size_t room, std::int64_t most_each,
                                          std::int64_t most);

  /// Tokens of the corpus as it is now.
  [[nodiscard]] std::int64_t n_tokens() const noexcept;

  /// By symbol: how often it stands in the corpus as it is now. O(corpus).
  [[nodiscard]] std::vector<std::int64_t> uses() const;

  /// By symbol: the pair of which merging makes it before anything is removed; kNone for none.
  static constexpr Symbol kNone = 0xFFFF'FFFF;
  [[nodiscard]] const std::vector<std::pair<Symbol, Symbol>>& pairs() const noexcept;

  class State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace bytepair
