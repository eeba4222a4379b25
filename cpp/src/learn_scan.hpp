// learn_scan.hpp: the frequent pairs of all words, each with its sites.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "bytepair/learn.hpp"
#include "bytepair/memory.hpp"
#include "learn_words.hpp"
#include "team.hpp"

namespace bytepair {

/// A pair that is kept in view.
struct Pair {
  Symbol left;
  Symbol right;
  std::int64_t count;  // 0: out of view for good
  Site* sites;         // ascending; some may be gone
  std::uint32_t n_sites;
  std::uint32_t cursor;  // sites before it are known to be gone (Ties::kFirst)
};

/// Room for sites, taken back all at once.
class SiteStore {
 public:
  Site* take(std::size_t n);
  void clear() noexcept;

 private:
  std::vector<PageArray<Site>> blocks_;
  std::size_t n_used_ = 0;  // blocks
  Site* next_ = nullptr;
  std::size_t n_left_ = 0;
};

/// Asks now and then whether work that may take long should go on.
class Pulse {
 public:
  /// Asks `keep_going`, which must outlive what follows, from now on.
  void listen_to(const KeepGoing& keep_going) noexcept {
    keep_going_ = &keep_going;
    is_stopped_ = false;
  }
  /// To be called by each member of a team after so many steps. The first one asks. Throws Stopped.
  void step(std::size_t member, std::size_t n_steps);

 private:
  static constexpr std::size_t kSteps = std::size_t{1} << 20;  // a few milliseconds
  const KeepGoing* keep_going_ = nullptr;
  std::size_t n_left_ = kSteps;
  std::atomic<bool> is_stopped_{false};
};

/// What a search for pairs needs to know.
struct PairSearch {
  /// Gets a number that no count exceeds; returns how often a pair must occur.
  std::function<std::int64_t(std::int64_t most)> choose_least;
  std::function<bool(Symbol left, Symbol right)> may_join;
  std::size_t few_symbols;  // whose pairs are counted without a table to find them
};

/// Packs the words and finds their frequent pairs, with their sites in `store`. Throws Stopped.
std::vector<Pair> find_pairs(LearnWords& words, const PairSearch& search, SiteStore& store,
                             Team& team, Pulse& pulse);

}  // namespace bytepair
