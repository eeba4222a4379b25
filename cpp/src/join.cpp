// join.cpp: lanes in lockstep; and with merges left out by chance.
#include "bytepair/join.hpp"

#include <functional>
#include <queue>
#include <stdexcept>
#include <type_traits>

#include "target.hpp"

namespace bytepair {
namespace {

/// One function for each kind of table and lane.
struct JoinKernel {
  void (*narrow16)(const PairTable<NarrowSlot>&, LaneWords<16>&);
  void (*narrow64)(const PairTable<NarrowSlot>&, LaneWords<64>&);
  void (*wide16)(const PairTable<WideSlot>&, LaneWords<16>&);
  void (*wide64)(const PairTable<WideSlot>&, LaneWords<64>&);
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
void join_lanes(const Table& table, LaneWords<N>& words) {
  constexpr bool kNarrow = std::is_same_v<Table, PairTable<NarrowSlot>>;
  if constexpr (kNarrow && N == 16) kernel().narrow16(table, words);
  if constexpr (kNarrow && N == 64) kernel().narrow64(table, words);
  if constexpr (!kNarrow && N == 16) kernel().wide16(table, words);
  if constexpr (!kNarrow && N == 64) kernel().wide64(table, words);
}

namespace {

template <std::size_t N>
class InPlace final : public LaneWords<N> {
 public:
  explicit InPlace(std::span<Lane<N>> lanes) : lanes_(lanes) {}
  Lane<N>* next() override { return next_ < lanes_.size() ? &lanes_[next_++] : nullptr; }
  void take(Lane<N>&) override {}

 private:
  std::span<Lane<N>> lanes_;
  std::size_t next_ = 0;
};

}  // namespace

template <class Table, std::size_t N>
void join_lanes(const Table& table, std::span<Lane<N>> lanes) {
  InPlace<N> words(lanes);
  join_lanes(table, static_cast<LaneWords<N>&>(words));
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
  Chain chain{{}, std::vector<std::uint64_t>(n / 64 + 1)};
  for (std::uint32_t at = 0; at < n; at = next[at]) {
    chain.tokens.push_back(symbols[at]);
    chain.starts[at / 64] |= std::uint64_t{1} << (at % 64);
  }
  return chain;
}

template void join_lanes(const PairTable<NarrowSlot>&, LaneWords<16>&);
template void join_lanes(const PairTable<NarrowSlot>&, LaneWords<64>&);
template void join_lanes(const PairTable<WideSlot>&, LaneWords<16>&);
template void join_lanes(const PairTable<WideSlot>&, LaneWords<64>&);
template void join_lanes(const PairTable<NarrowSlot>&, std::span<Lane<64>>);
template void join_lanes(const PairTable<WideSlot>&, std::span<Lane<64>>);
template Chain join_by_chance(const PairTable<NarrowSlot>&, std::span<const Symbol>, Chance&);
template Chain join_by_chance(const PairTable<WideSlot>&, std::span<const Symbol>, Chance&);

}  // namespace bytepair
