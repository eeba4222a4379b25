// pair_table_test.cpp: every pair is found, no other is.
#include "bytepair/pair_table.hpp"

#include <random>
#include <stdexcept>

#include "bytepair/pair_map.hpp"
#include "check.hpp"
#include "merges.hpp"

using bytepair::kMostOrders;
using bytepair::NarrowSlot;
using bytepair::PairMap;
using bytepair::PairTable;
using bytepair::Symbol;
using bytepair::WideSlot;
using merges::Columns;
using merges::Merges;

namespace {

template <class Slot>
void compare_on_random_pairs(std::size_t n, Symbol most) {
  std::mt19937 random(static_cast<std::uint32_t>(n));
  std::map<std::pair<Symbol, Symbol>, std::uint32_t> order_by_pair;
  Merges merges;
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto left = static_cast<Symbol>(random() % most);
    const auto right = static_cast<Symbol>(random() % most);
    merges.push_back({left, right, i % most, i * 3});
    order_by_pair.try_emplace({left, right}, i);
  }
  const Columns columns(merges);
  const PairTable<Slot> table(columns.view());
  CHECK_EQ(table.size(), order_by_pair.size());
  for (const auto& [pair, order] : order_by_pair) {
    if (table.order(pair.first, pair.second) != order) {
      CHECK_EQ(table.order(pair.first, pair.second), order);
    }
    CHECK(table.joined(order) == order % most);
  }
  for (int i = 0; i < 10'000; ++i) {
    const auto left = static_cast<Symbol>(random() % most);
    const auto right = static_cast<Symbol>(random() % most);
    const bool is_known = order_by_pair.contains({left, right});
    CHECK((table.order(left, right) == kMostOrders) != is_known);
    CHECK(table.order(PairTable<Slot>::kNoSymbol, right) == kMostOrders);
    CHECK(table.order(left, PairTable<Slot>::kNoSymbol) == kMostOrders);
  }
}

}  // namespace

TEST(every_pair_has_its_order_and_what_it_becomes) {
  for (const std::size_t n : {1, 2, 3, 7, 100, 5'000, 100'000}) {
    compare_on_random_pairs<NarrowSlot>(n, 1000);
    compare_on_random_pairs<NarrowSlot>(n, NarrowSlot::kNoSymbol - 1);
    compare_on_random_pairs<WideSlot>(n, 1000);
    compare_on_random_pairs<WideSlot>(n, 0xFFFF'FFF0);
  }
}

TEST(without_merges_nothing_joins) {
  const Columns none({});
  CHECK(PairTable<NarrowSlot>(none.view()).order(1, 2) == kMostOrders);
}

TEST(of_a_pair_named_twice_the_first_entry_counts) {
  const Columns columns({{1, 2, 3, 5}, {1, 2, 4, 1}, {2, 2, 5, 0}});
  const PairTable<NarrowSlot> table(columns.view());
  CHECK_EQ(table.joined(table.order(1, 2)), Symbol{3});
  CHECK_EQ(table.size(), std::size_t{2});
}

TEST(orders_count_distinct_ranks) {
  const Columns columns({{1, 2, 3, 70}, {2, 1, 4, 50}, {1, 1, 3, 70}, {2, 2, 6, 4'000'000'000}});
  const PairTable<WideSlot> table(columns.view());
  CHECK_EQ(table.order(2, 1), 0u);
  CHECK_EQ(table.order(1, 2), 1u);
  CHECK_EQ(table.order(1, 1), 1u);
  CHECK_EQ(table.order(2, 2), 2u);
}

TEST(what_a_table_cannot_hold_is_refused) {
  const Columns two_from_one_rank({{1, 2, 3, 0}, {2, 1, 4, 0}});
  CHECK_THROWS(std::invalid_argument, PairTable<NarrowSlot>(two_from_one_rank.view()));
  const Columns large({{NarrowSlot::kNoSymbol, 2, 3, 0}});
  CHECK_THROWS(std::length_error, PairTable<NarrowSlot>(large.view()));
  CHECK_EQ(PairTable<WideSlot>(large.view()).order(NarrowSlot::kNoSymbol, 2), 0u);
  auto uneven = Columns({{1, 2, 3, 0}});
  uneven.rank.clear();
  CHECK_THROWS(std::invalid_argument, PairTable<NarrowSlot>(uneven.view()));
}

TEST(a_pair_map_keeps_every_pair_while_it_grows) {
  std::mt19937 random(8);
  PairMap<std::uint32_t> map;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    const auto left = static_cast<std::uint32_t>(random() % 300);
    const auto right = static_cast<std::uint32_t>(random() % 2 == 0 ? random() % 300 : random());
    const auto kept = expected.try_emplace({left, right}, i).first->second;
    if (map.insert(left, right, i) != kept) CHECK_EQ(map.insert(left, right, i), kept);
  }
  CHECK_EQ(map.size(), expected.size());
  for (const auto& [pair, value] : expected) {
    const auto* found = map.find(pair.first, pair.second);
    CHECK(found != nullptr && *found == value);
  }
  CHECK(map.find(301, 0) == nullptr);
}

int main() { return check::run_all(); }
