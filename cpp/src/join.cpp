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

template <class Table>
std::size_t join_heap(const Table& table, std::span<Symbol> symbols) {
  if (symbols.size() >= 0xFFFF'FFFF) throw std::length_error("a pre-token of 4 GiB or more");
  const auto n = static_cast<std::uint32_t>(symbols.size());
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
  std::size_t n_left = 0;
  for (std::uint32_t at = 0; at < n; at = next[at]) symbols[n_left++] = symbols[at];
  return n_left;
}

template void join_lanes(const PairTable<NarrowSlot>&, std::span<Lane<16>>);
template void join_lanes(const PairTable<NarrowSlot>&, std::span<Lane<64>>);
template std::size_t join_heap(const PairTable<NarrowSlot>&, std::span<Symbol>);
template void join_lanes(const PairTable<WideSlot>&, std::span<Lane<16>>);
template void join_lanes(const PairTable<WideSlot>&, std::span<Lane<64>>);
template std::size_t join_heap(const PairTable<WideSlot>&, std::span<Symbol>);

}  // namespace bytepair
