// join.cpp: lanes in lockstep for short words, a heap for long ones.
#include "bytepair/join.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <type_traits>

#include "target.hpp"

namespace bytepair {
namespace {

/// One function for each kind of table and lane.
struct JoinKernel {
  void (*narrow16)(const PairTable<NarrowSlot>&, Lane<16>*, std::size_t);
  void (*narrow64)(const PairTable<NarrowSlot>&, Lane<64>*, std::size_t);
  void (*wide16)(const PairTable<WideSlot>&, Lane<16>*, std::size_t);
  void (*wide64)(const PairTable<WideSlot>&, Lane<64>*, std::size_t);
};

namespace any {
constexpr std::size_t kWidth = 4;
#define BYTEPAIR_WIDTH 4
#include "join_kernel.hpp"
#undef BYTEPAIR_WIDTH
}  // namespace any

#if defined(__x86_64__)

BYTEPAIR_BEGIN("avx2,bmi,bmi2,lzcnt")
namespace avx2 {
constexpr std::size_t kWidth = 8;
#define BYTEPAIR_WIDTH 8
#include "join_kernel.hpp"
#undef BYTEPAIR_WIDTH
}  // namespace avx2
BYTEPAIR_END

BYTEPAIR_BEGIN("avx512f,avx512vl,avx512bw,avx512dq,avx2,bmi,bmi2,lzcnt")
namespace avx512 {
constexpr std::size_t kWidth = 16;
#define BYTEPAIR_WIDTH 16
#include "join_kernel.hpp"
#undef BYTEPAIR_WIDTH
}  // namespace avx512
BYTEPAIR_END

const JoinKernel& best_kernel() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2")) return any::kKernel;
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
             ? avx512::kKernel
             : avx2::kKernel;
}

#else

const JoinKernel& best_kernel() { return any::kKernel; }

#endif

const JoinKernel& kernel() {
  static const JoinKernel& best = best_kernel();
  return best;
}

}  // namespace

template <class Table, std::size_t N>
void join_lanes(const Table& table, std::span<Lane<N>> lanes) {
  if (lanes.size() > kMostLanes) throw std::invalid_argument("too many lanes");
  constexpr bool kNarrow = std::is_same_v<Table, PairTable<NarrowSlot>>;
  if constexpr (kNarrow && N == 16) kernel().narrow16(table, lanes.data(), lanes.size());
  if constexpr (kNarrow && N == 64) kernel().narrow64(table, lanes.data(), lanes.size());
  if constexpr (!kNarrow && N == 16) kernel().wide16(table, lanes.data(), lanes.size());
  if constexpr (!kNarrow && N == 64) kernel().wide64(table, lanes.data(), lanes.size());
}

namespace {

/// Appends the tokens of a stretch that begins within the chain and ends behind it. True if the two
/// have a token in common: then each token of the result stands beside one that it stands beside
/// where the two are joined alone, and that is what makes it the result for the whole.
///
/// Why: as long as no merge crosses the border between two tokens, what happens between their outer
/// ends is what happens when they are joined alone. The first merge that crossed some border would
/// have come there as well.
bool append(Chain& chain, const Chain& more) {
  if (chain.tokens.empty()) {
    chain = more;
    return true;
  }
  const auto from = std::ranges::lower_bound(chain.starts, more.starts.front());
  std::size_t old = static_cast<std::size_t>(from - chain.starts.begin());
  std::size_t fresh = 0;
  while (old < chain.starts.size() && fresh < more.starts.size()) {
    const bool same = chain.starts[old] == more.starts[fresh] &&
                      chain.end_of(old) == more.end_of(fresh) &&
                      chain.tokens[old] == more.tokens[fresh];
    if (same) break;
    (chain.end_of(old) <= more.end_of(fresh) ? old : fresh) += 1;
  }
  if (old == chain.starts.size() || fresh == more.starts.size() || more.end <= chain.end) {
    return false;
  }
  chain.tokens.resize(old);
  chain.starts.resize(old);
  const auto rest = static_cast<std::ptrdiff_t>(fresh);
  chain.tokens.insert(chain.tokens.end(), more.tokens.begin() + rest, more.tokens.end());
  chain.starts.insert(chain.starts.end(), more.starts.begin() + rest, more.starts.end());
  chain.end = more.end;
  return true;
}

/// Joins a stretch of any length: a heap of candidate sites. O(n log n).
template <class Table>
Chain join_heap(const Table& table, std::span<const Symbol> word, std::size_t start,
                std::size_t end) {
  if (end - start >= 0xFFFF'FFFF) throw std::length_error("a pre-token of 4 GiB or more");
  const auto n = static_cast<std::uint32_t>(end - start);
  std::vector<Symbol> symbols(word.begin() + static_cast<std::ptrdiff_t>(start),
                              word.begin() + static_cast<std::ptrdiff_t>(end));
  std::vector<std::uint32_t> next(n);
  std::vector<std::uint32_t> previous(n);
  std::vector<std::uint32_t> orders(n, kMostOrders);  // of the pair that begins at each symbol
  std::vector<std::uint64_t> sites;                   // order << 32 | place
  const auto can_join = [&](std::uint32_t at) {
    orders[at] = next[at] < n ? table.order(symbols[at], symbols[next[at]]) : kMostOrders;
    return orders[at] != kMostOrders;
  };
  const auto site = [&](std::uint32_t at) { return std::uint64_t{orders[at]} << 32 | at; };
  for (std::uint32_t i = 0; i < n; ++i) {
    next[i] = i + 1;
    previous[i] = i - 1;
    if (can_join(i)) sites.push_back(site(i));
  }
  std::priority_queue queue(std::greater<>{}, std::move(sites));
  while (!queue.empty()) {
    const auto at = static_cast<std::uint32_t>(queue.top());
    const auto order = static_cast<std::uint32_t>(queue.top() >> 32);
    queue.pop();
    if (orders[at] != order) continue;  // the pair has changed since
    const std::uint32_t second = next[at];
    symbols[at] = table.joined(order);
    orders[second] = kMostOrders;
    next[at] = next[second];
    if (next[at] < n) previous[next[at]] = at;
    if (can_join(at)) queue.push(site(at));
    if (at > 0 && can_join(previous[at])) queue.push(site(previous[at]));
  }
  Chain chain{{}, {}, end};
  for (std::uint32_t at = 0; at < n; at = next[at]) {
    chain.tokens.push_back(symbols[at]);
    chain.starts.push_back(start + at);
  }
  return chain;
}

constexpr std::size_t kWindow = 64;   // symbols joined at a time
constexpr std::size_t kOverlap = 16;  // of two windows, to find a token in common
using Window = Lane<kWindow>;

template <class Table>
void fill(const Table& table, std::span<const Symbol> symbols, Window& window) {
  const std::size_t n = symbols.size();
  std::ranges::copy(symbols, window.symbols);
  window.symbols[kWindow] = Table::kNoSymbol;
  std::ranges::fill(window.ranks, Window::kNoRank);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    window.ranks[i] = table.order(symbols[i], symbols[i + 1]) << Window::kPlaceBits;
  }
  window.alive = n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

Chain chain_of(const Window& window, std::size_t start, std::size_t end) {
  Chain chain{{}, {}, end};
  for (auto alive = window.alive; alive != 0; alive &= alive - 1) {
    const auto place = static_cast<std::size_t>(std::countr_zero(alive));
    chain.tokens.push_back(window.symbols[place]);
    chain.starts.push_back(start + place);
  }
  return chain;
}

/// Goes on by some windows, joined together. False if the first of them did not fit.
template <class Table>
bool extend_by_windows(const Table& table, std::span<const Symbol> symbols, std::size_t start,
                       Chain& chain) {
  std::array<Window, 8> windows;
  std::size_t n = 0;
  for (std::size_t at = start; n < windows.size(); at += kWindow - kOverlap) {
    fill(table, symbols.subspan(at, std::min(kWindow, symbols.size() - at)), windows[n++]);
    if (at + kWindow >= symbols.size()) break;
  }
  join_lanes(table, std::span(windows.data(), n));
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = start + i * (kWindow - kOverlap);
    const auto more = chain_of(windows[i], at, std::min(at + kWindow, symbols.size()));
    if (!append(chain, more)) return i > 0;
  }
  return true;
}

}  // namespace

template <class Table>
Chain join_long(const Table& table, std::span<const Symbol> symbols) {
  Chain chain;
  std::size_t size = kWindow;
  while (chain.end < symbols.size()) {
    // On with a token that ends before the last window does, so that it is likely to come again.
    std::size_t start = 0;
    const std::size_t overlap = size / 4;
    if (chain.end > overlap) {
      const auto behind = std::ranges::upper_bound(chain.starts, chain.end - overlap);
      if (behind != chain.starts.begin()) start = *std::prev(behind);
    }
    const std::size_t end = std::min(start + size, symbols.size());
    const bool fits = size == kWindow ? extend_by_windows(table, symbols, start, chain)
                                      : append(chain, join_heap(table, symbols, start, end));
    if (fits) continue;
    size *= 4;
    if (size >= symbols.size()) chain = join_heap(table, symbols, 0, symbols.size());
  }
  return chain;
}

template <class Table>
Chain join_by_chance(const Table& table, std::span<const Symbol> word, Chance& leaves_out) {
  if (word.size() >= 0xFFFF'FFFF) throw std::length_error("a pre-token of 4 GiB or more");
  struct Site {
    std::uint32_t order;
    std::uint32_t at;
    Symbol left;
    Symbol right;
    auto operator<=>(const Site&) const = default;
  };
  const auto n = static_cast<std::uint32_t>(word.size());
  constexpr std::uint32_t kGone = 0xFFFF'FFFF;
  std::vector<Symbol> symbols(word.begin(), word.end());
  std::vector<std::uint32_t> next(n);
  std::vector<std::uint32_t> previous(n);
  std::priority_queue<Site, std::vector<Site>, std::greater<>> queue;
  std::vector<Site> aside;
  const auto offer = [&](std::uint32_t at) {
    const Symbol left = symbols[at];
    const Symbol right = symbols[next[at]];
    const auto order = table.order(left, right);
    if (order != kMostOrders) queue.push({order, at, left, right});
  };
  for (std::uint32_t i = 0; i < n; ++i) {
    next[i] = i + 1;
    previous[i] = i - 1;
  }
  for (std::uint32_t i = 0; i + 1 < n; ++i) offer(i);
  while (!queue.empty()) {
    const Site site = queue.top();
    queue.pop();
    if (leaves_out()) {
      aside.push_back(site);
      continue;
    }
    for (const auto& left_out : aside) queue.push(left_out);
    aside.clear();
    const std::uint32_t at = site.at;
    const bool is_stale = next[at] == kGone || next[at] >= n || symbols[at] != site.left ||
                          symbols[next[at]] != site.right;
    if (is_stale) continue;
    const std::uint32_t second = next[at];
    symbols[at] = table.joined(site.order);
    next[at] = next[second];
    next[second] = kGone;
    if (next[at] < n) {
      previous[next[at]] = at;
      offer(at);
    }
    if (at > 0) offer(previous[at]);
  }
  Chain chain{{}, {}, n};
  for (std::uint32_t at = 0; at < n; at = next[at]) {
    chain.tokens.push_back(symbols[at]);
    chain.starts.push_back(at);
  }
  return chain;
}

template void join_lanes(const PairTable<NarrowSlot>&, std::span<Lane<16>>);
template void join_lanes(const PairTable<WideSlot>&, std::span<Lane<16>>);
template Chain join_long(const PairTable<NarrowSlot>&, std::span<const Symbol>);
template Chain join_long(const PairTable<WideSlot>&, std::span<const Symbol>);
template Chain join_by_chance(const PairTable<NarrowSlot>&, std::span<const Symbol>, Chance&);
template Chain join_by_chance(const PairTable<WideSlot>&, std::span<const Symbol>, Chance&);

}  // namespace bytepair
