// bytepair/pair_table.hpp: what joins what, found with one look. No Python, no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bytepair/memory.hpp"

/// Inlined always: so it may be called from code for any instruction set (src/join_kernel.hpp).
#define BYTEPAIR_INLINE __attribute__((always_inline)) inline

namespace bytepair {

/// What is joined: numbered from 0 without gaps, unlike token ids.
using Symbol = std::uint32_t;

/// Which neighbours join: parallel arrays. Several merges may share a rank if they make the same
/// symbol; the leftmost of equal ranks is joined first. Of a pair named twice the first counts.
struct MergeColumns {
  std::span<const Symbol> left;
  std::span<const Symbol> right;
  std::span<const Symbol> joined;
  std::span<const std::uint32_t> rank;
};

/// Most distinct ranks; the order of a pair that does not join.
inline constexpr std::uint32_t kMostOrders = (1u << 24) - 1;

/// Pair -> in which order it joins, and what it becomes.
///
/// No two pairs meet in this table: each has a slot of its own, told by a hash and a small number
/// ("pilot") that was found for its group when the table was built. A look-up is two loads and no
/// branch. Source: the idea of CHD and PTHash (Pibiri and Trani 2021,
/// https://doi.org/10.1145/3404835.3462849).
/// Read-only after construction: safe to share between threads.
template <class Slot>
class PairTable {
 public:
  /// Stands where there is no symbol: no pair holds it.
  static constexpr Symbol kNoSymbol = Slot::kNoSymbol;
  /// The order of a pair that does not join: greater than all others.
  static constexpr std::uint32_t kNoOrder = kMostOrders;

  /// Throws std::invalid_argument if the columns differ in length or one rank makes two symbols,
  /// std::length_error if there are more symbols or ranks than `Slot` can tell apart. O(n log n).
  explicit PairTable(const MergeColumns& merges);

  /// Where the pair would stand.
  [[nodiscard]] BYTEPAIR_INLINE std::uint32_t place(Symbol left, Symbol right) const noexcept {
    const std::uint64_t hash = hash_of(left, right);
    return place_of(hash, pilot_data_[group_of(hash)]);
  }
  BYTEPAIR_INLINE void prefetch(std::uint32_t place) const noexcept {
    __builtin_prefetch(slot_data_ + place);
  }

  /// In which order the pair joins: its rank among the distinct ranks; kNoOrder if it does not.
  /// `place`: where it would stand.
  [[nodiscard]] BYTEPAIR_INLINE std::uint32_t order_at(std::uint32_t place, Symbol left,
                                                       Symbol right) const noexcept {
    return slot_data_[place].order(left, right);
  }
  [[nodiscard]] std::uint32_t order(Symbol left, Symbol right) const noexcept {
    return order_at(place(left, right), left, right);
  }

  /// What the pair that joins in this order becomes.
  [[nodiscard]] BYTEPAIR_INLINE Symbol joined(std::uint32_t order) const noexcept {
    return joined_data_[order];
  }
  BYTEPAIR_INLINE void prefetch_joined(std::uint32_t order) const noexcept {
    __builtin_prefetch(joined_data_ + order);
  }

  /// Number of distinct pairs.
  [[nodiscard]] std::size_t size() const noexcept { return n_pairs_; }

  /// True if a slot can hold every pair of `n_symbols` symbols in one of `n_ranks` orders.
  static bool fits(std::size_t n_symbols, std::size_t n_ranks) noexcept {
    return n_symbols <= kNoSymbol && n_ranks <= kMostOrders;
  }

 private:
  BYTEPAIR_INLINE static std::uint64_t scaled(std::uint64_t bits32, std::uint64_t n) noexcept {
    return bits32 * n >> 32;  // 0 .. n - 1
  }
  /// Different pairs have different hashes.
  [[nodiscard]] BYTEPAIR_INLINE std::uint64_t hash_of(Symbol left, Symbol right) const noexcept {
    std::uint64_t key = (std::uint64_t{left} << 32 | right) ^ seed_;
    key *= 0x9E3779B97F4A7C15u;
    key ^= key >> 32;
    return key * 0xD6E8FEB86659FD93u;
  }
  [[nodiscard]] BYTEPAIR_INLINE std::uint32_t group_of(std::uint64_t hash) const noexcept {
    return static_cast<std::uint32_t>(scaled(hash >> 32, n_groups_));
  }
  [[nodiscard]] BYTEPAIR_INLINE std::uint32_t place_of(std::uint64_t hash,
                                                       std::uint32_t pilot) const noexcept {
    const auto step = static_cast<std::uint32_t>(hash >> 16) | 1;
    return static_cast<std::uint32_t>(
        scaled(static_cast<std::uint32_t>(hash) + pilot * step, n_slots_));
  }

  struct Pair;
  [[nodiscard]] PageArray<Pair> grouped(const MergeColumns& merges,
                                        std::span<const std::uint32_t> orders) const;
  bool fill(const MergeColumns& merges, std::span<const std::uint32_t> orders);
  static std::span<Pair> distinct(std::span<Pair> group);
  bool place_group(std::span<const Pair> group, std::vector<std::uint64_t>& taken);
  [[nodiscard]] std::uint32_t free_pilots(std::span<const std::uint64_t> hashes,
                                          std::uint32_t pilot,
                                          const std::vector<std::uint64_t>& taken) const;
  bool take(std::span<const Pair> group, std::span<const std::uint64_t> hashes,
            std::uint32_t pilot, std::vector<std::uint64_t>& taken);

  std::uint64_t seed_ = 0;
  std::uint64_t n_groups_ = 1;
  std::uint64_t n_slots_ = 1;
  std::size_t n_pairs_ = 0;
  std::vector<std::uint8_t> pilots_;
  std::vector<Symbol> joined_;  // by order
  PageArray<Slot> slots_;
  // Where they lie; moving the table moves none of them.
  const std::uint8_t* pilot_data_ = nullptr;
  const Symbol* joined_data_ = nullptr;
  const Slot* slot_data_ = nullptr;
};

/// Up to a million symbols: everything that is published, in two thirds of the memory.
class NarrowSlot {
 public:
  static constexpr Symbol kNoSymbol = (1u << 20) - 1;
  NarrowSlot() = default;
  NarrowSlot(Symbol left, Symbol right, std::uint32_t order) : bits_(key(left, right) | order) {}
  [[nodiscard]] BYTEPAIR_INLINE std::uint32_t order(Symbol left, Symbol right) const noexcept {
    // What is left of the slot once the pair is taken away is the order, or more than any.
    const std::uint64_t rest = bits_ ^ key(left, right);
    return static_cast<std::uint32_t>(rest < kMostOrders ? rest : kMostOrders);
  }

 private:
  BYTEPAIR_INLINE static std::uint64_t key(Symbol left, Symbol right) noexcept {
    return std::uint64_t{left} << 44 | std::uint64_t{right} << 24;
  }
  std::uint64_t bits_ = ~std::uint64_t{0};
};

/// Any number of symbols.
class WideSlot {
 public:
  static constexpr Symbol kNoSymbol = 0xFFFF'FFFF;
  WideSlot() = default;
  WideSlot(Symbol left, Symbol right, std::uint32_t order)
      : left_(left), right_(right), order_(order) {}
  [[nodiscard]] BYTEPAIR_INLINE std::uint32_t order(Symbol left, Symbol right) const noexcept {
    return left == left_ && right == right_ ? order_ : kMostOrders;
  }

 private:
  Symbol left_ = kNoSymbol;
  Symbol right_ = kNoSymbol;
  std::uint32_t order_ = kMostOrders;
};

}  // namespace bytepair
