// pair_table.cpp: finds a slot for every pair.
#include "bytepair/pair_table.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace bytepair {
namespace {

constexpr std::size_t kPairsInGroup = 3;  // on average; more need more tries, fewer more memory
constexpr std::uint32_t kPilots = 256;

/// The rank of each merge among the distinct ranks.
std::vector<std::uint32_t> orders_of(std::span<const std::uint32_t> ranks) {
  std::vector<std::uint32_t> by_rank(ranks.size());
  std::iota(by_rank.begin(), by_rank.end(), 0);
  if (!std::ranges::is_sorted(ranks)) {
    std::ranges::stable_sort(by_rank, {}, [&](auto merge) { return ranks[merge]; });
  }
  std::vector<std::uint32_t> orders(ranks.size());
  std::uint32_t order = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i > 0 && ranks[by_rank[i]] != ranks[by_rank[i - 1]]) ++order;
    orders[by_rank[i]] = order;
  }
  return orders;
}

}  // namespace

template <class Slot>
struct PairTable<Slot>::Hashed {
  std::uint64_t hash;
  std::uint32_t merge;  // index
  std::uint32_t group;
};

template <class Slot>
PairTable<Slot>::PairTable(const MergeColumns& merges) {
  const std::size_t n = merges.left.size();
  if (merges.right.size() != n || merges.joined.size() != n || merges.rank.size() != n) {
    throw std::invalid_argument("the columns of the merges differ in length");
  }
  const auto orders = orders_of(merges.rank);
  joined_.assign(n == 0 ? 0 : *std::ranges::max_element(orders) + 1, kNoSymbol);
  if (joined_.size() > kMostOrders) throw std::length_error("too many ranks");
  for (std::size_t i = 0; i < n; ++i) {
    if (std::max({merges.left[i], merges.right[i], merges.joined[i]}) >= kNoSymbol) {
      throw std::length_error("too many symbols");
    }
    Symbol& joined = joined_[orders[i]];
    if (joined != kNoSymbol && joined != merges.joined[i]) {
      throw std::invalid_argument("merges of one rank make different tokens");
    }
    joined = merges.joined[i];
  }
  n_groups_ = n / kPairsInGroup + 1;
  n_slots_ = n + n * 2 / 5 + 1;  // fuller needs many more tries
  auto pairs = grouped(merges);
  while (!find_pilots(pairs)) {
    seed_ = (seed_ + 1) * 0xA24BAED4963EE407u;
    pairs = grouped(merges);
  }
  slots_ = PageArray<Slot>(n_slots_);
  std::fill_n(slots_.data(), n_slots_, Slot());
  for (const auto& pair : pairs) {
    slots_[place_of(pair.hash, pilots_[pair.group])] =
        Slot(merges.left[pair.merge], merges.right[pair.merge], orders[pair.merge]);
  }
  n_pairs_ = pairs.size();
  pilot_data_ = pilots_.data();
  joined_data_ = joined_.data();
  slot_data_ = slots_.data();
}

/// The distinct pairs with their hashes, those of a group side by side, the largest groups first.
template <class Slot>
auto PairTable<Slot>::grouped(const MergeColumns& merges) const -> std::vector<Hashed> {
  const std::size_t n = merges.left.size();
  std::vector<Hashed> pairs(n);
  std::vector<std::uint32_t> sizes(n_groups_);
  for (std::size_t i = 0; i < n; ++i) {
    const auto hash = hash_of(merges.left[i], merges.right[i]);
    pairs[i] = {hash, static_cast<std::uint32_t>(i), group_of(hash)};
    ++sizes[pairs[i].group];
  }
  // Where each group goes: counting sort by size, largest first.
  const std::uint32_t largest = n == 0 ? 0 : *std::ranges::max_element(sizes);
  std::vector<std::uint32_t> next_of_size(largest + 2);
  for (const auto size : sizes) next_of_size[size] += size;
  std::uint32_t start = 0;
  for (std::uint32_t size = largest + 1; size-- > 0;) {
    start += std::exchange(next_of_size[size], start);
  }
  std::vector<std::uint32_t> next(n_groups_);
  for (std::size_t group = 0; group < n_groups_; ++group) {
    next[group] = next_of_size[sizes[group]];
    next_of_size[sizes[group]] += sizes[group];
  }
  std::vector<Hashed> sorted(n);
  for (const auto& pair : pairs) sorted[next[pair.group]++] = pair;
  // A pair named twice has the same hash and thus the same group.
  std::size_t n_kept = 0;
  std::size_t group_start = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (n_kept == 0 || sorted[n_kept - 1].group != sorted[i].group) group_start = n_kept;
    const auto group = std::span(sorted).subspan(group_start, n_kept - group_start);
    const bool is_new = std::ranges::none_of(
        group, [&](const Hashed& other) { return other.hash == sorted[i].hash; });
    if (is_new) sorted[n_kept++] = sorted[i];
  }
  sorted.resize(n_kept);
  return sorted;
}

/// The first pilot of each group that leads all its pairs to free slots. False if some group has
/// none.
template <class Slot>
bool PairTable<Slot>::find_pilots(const std::vector<Hashed>& pairs) {
  pilots_.assign(n_groups_, 0);
  std::vector<std::uint64_t> taken(n_slots_ / 64 + 1);
  const auto bit = [&](std::uint32_t place) { return std::uint64_t{1} << (place % 64); };
  for (std::size_t start = 0, end = 0; start < pairs.size(); start = end) {
    while (end < pairs.size() && pairs[end].group == pairs[start].group) ++end;
    std::uint32_t pilot = 0;
    for (; pilot < kPilots; ++pilot) {
      std::size_t at = start;
      for (; at < end; ++at) {
        const auto place = place_of(pairs[at].hash, pilot);
        if (taken[place / 64] & bit(place)) break;
        taken[place / 64] |= bit(place);
      }
      if (at == end) break;
      while (at-- > start) {
        const auto place = place_of(pairs[at].hash, pilot);
        taken[place / 64] &= ~bit(place);
      }
    }
    if (pilot == kPilots) return false;
    pilots_[pairs[start].group] = static_cast<std::uint8_t>(pilot);
  }
  return true;
}

template class PairTable<NarrowSlot>;
template class PairTable<WideSlot>;

}  // namespace bytepair
