// join_kernel.hpp: lanes in lockstep. Included once for each instruction set, inside its namespace
// and behind `kWidth`, how many numbers it takes at once.
// Nothing of the standard library that may not be inlined is used in here: the linker could take the
// copy made for this instruction set for all of the program.

/// Some numbers at once. Signed ones have a minimum in every instruction set, and no rank is as
/// large as 2^31.
using Numbers = std::int32_t __attribute__((vector_size(4 * kWidth)));
using Four = std::int32_t __attribute__((vector_size(16)));

inline Four smaller(Four a, Four b) { return a < b ? a : b; }
#if BYTEPAIR_WIDTH > 4
inline Numbers smaller(Numbers a, Numbers b) { return a < b ? a : b; }
#endif

/// Rank and place of the pair that is joined next.
template <std::size_t N>
inline std::uint32_t next_join(const Lane<N>& lane) {
  static constexpr struct {
    std::int32_t at[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  } kPlaces;
  Numbers places;
  Numbers best;
  __builtin_memcpy(&places, kPlaces.at, sizeof places);
  __builtin_memcpy(&best, lane.ranks, sizeof best);
  best |= places;
  for (std::size_t i = kWidth; i < N; i += kWidth) {
    Numbers ranks;
    __builtin_memcpy(&ranks, lane.ranks + i, sizeof ranks);
    places += static_cast<std::int32_t>(kWidth);
    best = smaller(best, ranks | places);
  }
  Four parts[kWidth / 4];
  __builtin_memcpy(parts, &best, sizeof best);
  Four least = parts[0];
  for (std::size_t i = 1; i < kWidth / 4; ++i) least = smaller(least, parts[i]);
  least = smaller(least, __builtin_shufflevector(least, least, 2, 3, 0, 1));
  least = smaller(least, __builtin_shufflevector(least, least, 1, 0, 3, 2));
  return static_cast<std::uint32_t>(least[0]);
}

/// Takes the second symbol of the pair out and looks where its neighbours are.
template <std::size_t N>
inline void close_up(Lane<N>& lane, std::uint32_t join) {
  const std::uint32_t at = join % 64;
  const std::uint64_t alive = lane.alive;
  const std::uint64_t after = alive & (~std::uint64_t{1} << at);
  const std::uint64_t rest = after & (after - 1);
  const std::uint64_t before = alive & ((std::uint64_t{1} << at) - 1);
  const auto second = static_cast<std::size_t>(__builtin_ctzll(after));
  lane.ranks[second] = Lane<N>::kNoRank;
  lane.alive = alive ^ (after ^ rest);
  lane.at = at;
  lane.order = join >> Lane<N>::kPlaceBits;
  // Behind the last place stands no symbol: so does one beyond either end.
  lane.right = static_cast<std::uint32_t>(__builtin_ctzll(rest | std::uint64_t{1} << (N % 64)));
  lane.left = before != 0 ? 63 - static_cast<std::uint32_t>(__builtin_clzll(before)) : N;
  if (N == 64) lane.right = rest != 0 ? static_cast<std::uint32_t>(__builtin_ctzll(rest)) : N;
}

/// Goes to the next join in a lane, and where there is none to the next word. nullptr if there are no
/// more words.
template <std::size_t N>
inline Lane<N>* proceed(Lane<N>* lane, LaneWords<N>& words) {
  std::uint32_t join = next_join(*lane);
  while (join >= Lane<N>::kNoRank) {
    words.take(*lane);
    lane = words.next();
    if (lane == nullptr) return nullptr;
    join = next_join(*lane);
  }
  close_up(*lane, join);
  return lane;
}

template <class Table, std::size_t N>
void join_lanes(const Table& table, LaneWords<N>& words) {
  Lane<N>* active[kLanes<N>];
  std::size_t n_active = 0;
  while (n_active < kLanes<N> && (active[n_active] = words.next()) != nullptr) ++n_active;
  // What must wait for memory is asked for in one loop and used in the next.
  while (n_active > 0) {
    std::size_t n_left = 0;
    for (std::size_t i = 0; i < n_active; ++i) {
      Lane<N>* const lane = proceed(active[i], words);
      if (lane == nullptr) continue;
      table.prefetch_joined(lane->order);
      active[n_left++] = lane;
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
      // The rank of the pair before the first place goes behind the last one, where nobody looks.
      lane.ranks[lane.left] = left_order << Lane<N>::kPlaceBits;
      lane.ranks[lane.at] = right_order << Lane<N>::kPlaceBits;
    }
  }
}

/// The kinds of words and tables that there are.
constexpr JoinKernel kKernel{join_lanes<PairTable<NarrowSlot>, 16>,
                             join_lanes<PairTable<NarrowSlot>, 64>,
                             join_lanes<PairTable<WideSlot>, 16>,
                             join_lanes<PairTable<WideSlot>, 64>};
