// pair_table.cpp: finds a slot for every pair.
#include "bytepair/pair_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace bytepair {
namespace {

constexpr std::size_t kPairsInGroup = 3;  // on average; more need more tries, fewer more memory
constexpr std::size_t kMostInGroup = 32;  // no chance brings so many together
constexpr std::uint32_t kPilots = 256;
constexpr std::uint32_t kTries = 4;  // at a time

/// The rank of each merge among the distinct ranks.
std::vector<std::uint32_t> orders_of(std::span<const std::uint32_t> ranks) {
  std::vector<std::uint32_t> by_rank(ranks.size());
  std::iota(by_rank.begin(), by_rank.end(), 0);
  // Nearly always the ranks are 0, 1, 2 ...: then these are the orders, too.
  if (std::ranges::equal(by_rank, ranks)) return by_rank;
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

Symbol largest_of(std::span<const Symbol> symbols) {
  Symbol largest = 0;
  for (const Symbol symbol : symbols) largest = std::max(largest, symbol);
  return largest;
}

}  // namespace

template <class Slot>
struct PairTable<Slot>::Pair {
  Symbol left;
  Symbol right;
  std::uint32_t order;
  std::uint32_t group;

  [[nodiscard]] bool is(const Pair& other) const noexcept {
    return left == other.left && right == other.right;
  }
};

template <class Slot>
PairTable<Slot>::PairTable(const MergeColumns& merges) {
  const std::size_t n = merges.left.size();
  if (merges.right.size() != n || merges.joined.size() != n || merges.rank.size() != n) {
    throw std::invalid_argument("the columns of the merges differ in length");
  }
  for (const auto& column : {merges.left, merges.right, merges.joined}) {
    if (n > 0 && largest_of(column) >= kNoSymbol) throw std::length_error("too many symbols");
  }
  const auto orders = orders_of(merges.rank);
  joined_.assign(n == 0 ? 0 : std::size_t{largest_of(orders)} + 1, kNoSymbol);
  if (joined_.size() > kMostOrders) throw std::length_error("too many ranks");
  for (std::size_t i = 0; i < n; ++i) {
    Symbol& joined = joined_[orders[i]];
    if (joined != kNoSymbol && joined != merges.joined[i]) {
      throw std::invalid_argument("merges of one rank make different tokens");
    }
    joined = merges.joined[i];
  }
  n_groups_ = n / kPairsInGroup + 1;
  n_slots_ = n + n * 2 / 5 + 1;  // fuller needs many more tries
  slots_ = PageArray<Slot>(n_slots_);
  pilots_.resize(n_groups_);
  while (!fill(merges, orders)) seed_ = (seed_ + 1) * 0xA24BAED4963EE407u;
  pilot_data_ = pilots_.data();
  joined_data_ = joined_.data();
  slot_data_ = slots_.data();
}

/// The pairs, those of a group side by side, the largest groups first.
template <class Slot>
auto PairTable<Slot>::grouped(const MergeColumns& merges,
                              std::span<const std::uint32_t> orders) const -> PageArray<Pair> {
  const std::size_t n = merges.left.size();
  const auto group_at = [&](std::size_t i) {
    return group_of(hash_of(merges.left[i], merges.right[i]));
  };
  std::vector<std::uint32_t> sizes(n_groups_);
  for (std::size_t i = 0; i < n; ++i) ++sizes[group_at(i)];
  // Where each group goes: counting sort by size, largest first.
  const std::uint32_t largest = largest_of(sizes);
  std::vector<std::uint32_t> next_of_size(std::size_t{largest} + 1);
  for (const auto size : sizes) next_of_size[size] += size;
  std::uint32_t start = 0;
  for (std::size_t size = next_of_size.size(); size-- > 0;) {
    start += std::exchange(next_of_size[size], start);
  }
  std::vector<std::uint32_t>& next = sizes;  // where the next pair of each group goes
  for (auto& size : sizes) {
    const std::uint32_t group_size = size;
    next[static_cast<std::size_t>(&size - sizes.data())] = next_of_size[group_size];
    next_of_size[group_size] += group_size;
  }
  PageArray<Pair> pairs(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t group = group_at(i);
    pairs[next[group]++] = {merges.left[i], merges.right[i], orders[i], group};
  }
  return pairs;
}

/// Gives each pair its slot. False if too many are in one group, or nothing leads one group to free
/// slots.
template <class Slot>
bool PairTable<Slot>::fill(const MergeColumns& merges, std::span<const std::uint32_t> orders) {
  const auto pairs = grouped(merges, orders);
  std::fill_n(slots_.data(), n_slots_, Slot());
  std::vector<std::uint64_t> taken(n_slots_ / 64 + 1);
  n_pairs_ = 0;
  for (std::size_t start = 0, end = 0; start < pairs.size(); start = end) {
    while (end < pairs.size() && pairs[end].group == pairs[start].group) ++end;
    const auto group = distinct({pairs.data() + start, end - start});
    if (group.size() > kMostInGroup || !place_group(group, taken)) return false;
    n_pairs_ += group.size();
  }
  return true;
}

/// The pairs of a group without those that came before.
template <class Slot>
auto PairTable<Slot>::distinct(std::span<Pair> group) -> std::span<Pair> {
  const auto is_less = [](const Pair& one, const Pair& other) {
    return std::pair(one.left, one.right) < std::pair(other.left, other.right);
  };
  const auto is_same = [](const Pair& one, const Pair& other) { return one.is(other); };
  if (group.size() > kMostInGroup) {
    std::stable_sort(group.begin(), group.end(), is_less);
    return {group.begin(), std::unique(group.begin(), group.end(), is_same)};
  }
  std::size_t n = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const bool is_new = std::ranges::none_of(
        group.first(n), [&](const Pair& other) { return other.is(group[i]); });
    if (is_new) group[n++] = group[i];
  }
  return group.first(n);
}

/// Finds the first pilot that leads all pairs of a group to slots that are free.
template <class Slot>
bool PairTable<Slot>::place_group(std::span<const Pair> group,
                                  std::vector<std::uint64_t>& taken) {
  std::array<std::uint64_t, kMostInGroup> hashes;
  for (std::size_t i = 0; i < group.size(); ++i) {
    hashes[i] = hash_of(group[i].left, group[i].right);
  }
  const std::span<const std::uint64_t> all(hashes.data(), group.size());
  for (std::uint32_t pilot = 0; pilot < kPilots; pilot += kTries) {
    for (auto tries = free_pilots(all, pilot, taken); tries != 0; tries &= tries - 1) {
      const std::uint32_t found = pilot + static_cast<std::uint32_t>(std::countr_zero(tries));
      if (take(group, all, found, taken)) return true;
    }
  }
  return false;
}

/// Bit i: pilot + i leads no pair to a slot that is taken. Which pilots do cannot be foreseen: so
/// several are tried at a time, and nothing branches.
template <class Slot>
std::uint32_t PairTable<Slot>::free_pilots(std::span<const std::uint64_t> hashes,
                                           std::uint32_t pilot,
                                           const std::vector<std::uint64_t>& taken) const {
  std::array<std::uint64_t, kTries> meets{};
  for (const std::uint64_t hash : hashes) {
    for (std::uint32_t i = 0; i < kTries; ++i) {
      const std::uint32_t place = place_of(hash, pilot + i);
      meets[i] |= taken[place / 64] >> (place % 64);
    }
  }
  std::uint32_t free = 0;
  for (std::uint32_t i = 0; i < kTries; ++i) {
    free |= static_cast<std::uint32_t>(~meets[i] & 1) << i;
  }
  return free;
}

/// Puts the pairs of a group where the pilot leads them, unless it leads two to one slot.
template <class Slot>
bool PairTable<Slot>::take(std::span<const Pair> group, std::span<const std::uint64_t> hashes,
                           std::uint32_t pilot, std::vector<std::uint64_t>& taken) {
  std::array<std::uint32_t, kMostInGroup> places;
  for (std::size_t i = 0; i < group.size(); ++i) {
    places[i] = place_of(hashes[i], pilot);
    const auto others = std::span(places).first(i);
    if (std::ranges::find(others, places[i]) != others.end()) return false;
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    taken[places[i] / 64] |= std::uint64_t{1} << (places[i] % 64);
    slots_[places[i]] = Slot(group[i].left, group[i].right, group[i].order);
  }
  pilots_[group[0].group] = static_cast<std::uint8_t>(pilot);
  return true;
}

template class PairTable<NarrowSlot>;
template class PairTable<WideSlot>;

}  // namespace bytepair
