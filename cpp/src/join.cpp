// join.cpp: lanes in lockstep for short words, a heap for long ones.
#include "bytepair/join.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <queue>
#include <stdexcept>

namespace bytepair {
namespace {

/// Rank and place of the pair that is joined next.
template <std::size_t N>
std::uint32_t next_join(const Lane<N>& lane) {
  // Signed numbers have a minimum in every instruction set; no rank is as large as 2^31.
  std::int32_t best = Lane<N>::kNoRank;
  for (std::int32_t place = 0; place < static_cast<std::int32_t>(N); ++place) {
    const auto rank = static_cast<std::int32_t>(lane.ranks[static_cast<std::size_t>(place)]);
    best = std::min(best, rank | place);
  }
  return static_cast<std::uint32_t>(best);
}

/// Takes the second symbol of the pair out and looks where its neighbours are.
template <std::size_t N>
void close_up(Lane<N>& lane, std::uint32_t join) {
  lane.at = join % 64;
  lane.order = join >> Lane<N>::kPlaceBits;
  const std::uint64_t after = lane.alive & (~std::uint64_t{1} << lane.at);
  const auto second = static_cast<std::size_t>(std::countr_zero(after));
  const std::uint64_t rest = after & (after - 1);
  const std::uint64_t before = lane.alive & ((std::uint64_t{1} << lane.at) - 1);
  lane.ranks[second] = Lane<N>::kNoRank;
  lane.alive ^= std::uint64_t{1} << second;
  lane.right = rest ? static_cast<std::uint32_t>(std::countr_zero(rest)) : N;
  lane.left = before ? 63 - static_cast<std::uint32_t>(std::countl_zero(before)) : N;
}

}  // namespace

template <class Table, std::size_t N>
void join_lanes(const Table& table, std::span<Lane<N>> lanes) {
  // What must wait for memory is asked for in one loop and used in the next.
  std::array<Lane<N>*, 64> active;
  std::size_t n_active = 0;
  for (auto& lane : lanes) active[n_active++] = &lane;
  while (n_active > 0) {
    std::size_t n_left = 0;
    for (std::size_t i = 0; i < n_active; ++i) {
      Lane<N>& lane = *active[i];
      const std::uint32_t join = next_join(lane);
      if (join >= Lane<N>::kNoRank) continue;
      close_up(lane, join);
      table.prefetch_joined(lane.order);
      active[n_left++] = &lane;
    }
    n_active = n_left;
    for (std::size_t i = 0; i < n_active; ++i) {
      Lane<N>& lane = *active[i];
      const Symbol joined = table.joined(lane.order);
      lane.symbols[lane.at] = joined;
      lane.slots[0] = table.place(lane.symbols[lane.left], joined);
      lane.slots[1] = table.place(joined, lane.symbols[lane.right]);
      table.prefetch(lane.slots[0]);
      table.prefetch(lane.slots[1]);
    }
    for (std::size_t i = 0; i < n_active; ++i) {
      Lane<N>& lane = *active[i];
      const Symbol joined = lane.symbols[lane.at];
      const auto left_order = table.order_at(lane.slots[0], lane.symbols[lane.left], joined);
      const auto right_order = table.order_at(lane.slots[1], joined, lane.symbols[lane.right]);
      auto& left_rank = lane.left < N ? lane.ranks[lane.left] : lane.spare_rank;
      left_rank = left_order << Lane<N>::kPlaceBits;
      lane.ranks[lane.at] = right_order << Lane<N>::kPlaceBits;
    }
  }
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
  std::ranges::copy(symbols, window.symbols.begin());
  window.symbols[kWindow] = Table::kNoSymbol;
  window.ranks.fill(Window::kNoRank);
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
