// bytepair/pair_map.hpp: a hash table from pairs of symbols to small values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bytepair {

/// Open addressing with linear probing; nothing is ever removed. `Value` must be cheap to copy.
/// Lookups from many threads are safe while nobody inserts.
template <class Value>
class PairMap {
 public:
  /// Makes room for `n` pairs without growing.
  explicit PairMap(std::size_t n = 0) {
    std::size_t size = 16;
    while (size < n * 2) size *= 2;
    slots_.resize(size);
  }

  /// The value of (left, right), or nullptr. O(1).
  [[nodiscard]] const Value* find(std::uint32_t left, std::uint32_t right) const noexcept {
    const Slot& slot = slots_[slot_of(left, right)];
    return slot.used ? &slot.value : nullptr;
  }

  /// The value of (left, right); `fallback` is stored first if there is none. Valid until the
  /// next insertion.
  Value& insert(std::uint32_t left, std::uint32_t right, Value fallback) {
    std::size_t at = slot_of(left, right);
    if (!slots_[at].used) {
      if ((size_ + 1) * 2 > slots_.size()) {
        grow();
        at = slot_of(left, right);
      }
      slots_[at] = {left, right, fallback, true};
      ++size_;
    }
    return slots_[at].value;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  struct Slot {
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    Value value{};
    bool used = false;
  };

  [[nodiscard]] std::size_t slot_of(std::uint32_t left, std::uint32_t right) const noexcept {
    std::uint64_t key = std::uint64_t{left} << 32 | right;
    key = (key ^ key >> 29) * 0x9E3779B97F4A7C15u;
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (key ^ key >> 32) & mask;
    while (slots_[at].used && (slots_[at].left != left || slots_[at].right != right)) {
      at = (at + 1) & mask;
    }
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.used) slots_[slot_of(slot.left, slot.right)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace bytepair
