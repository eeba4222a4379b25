// join_test.cpp: long words against a replay that looks for the least rank again and again.
#include "bytepair/join.hpp"

#include <bit>
#include <random>
#include <string_view>

#include "check.hpp"
#include "merges.hpp"

using namespace merges;
using bytepair::Chain;
using bytepair::join_long;
using bytepair::NarrowSlot;
using bytepair::PairTable;
using bytepair::SymbolWord;

namespace {

using Table = PairTable<NarrowSlot>;

/// 0 .. n - 1.
std::uint32_t below(std::mt19937& random, std::size_t n) {
  return static_cast<std::uint32_t>(random() % n);
}

/// Merges of few symbols into any of them: what is made may be joined sooner than its parts, or be
/// one of them.
Merges wild_merges(std::mt19937& random, Symbol n_symbols, std::size_t n_merges) {
  Merges merges;
  for (std::uint32_t rank = 0; merges.size() < n_merges; ++rank) {
    const Symbol joined = below(random, n_symbols);
    for (std::uint32_t ways = 1 + below(random, 3); ways > 0; --ways) {
      merges.push_back({below(random, n_symbols), below(random, n_symbols), joined, rank});
    }
  }
  std::ranges::shuffle(merges, random);
  return merges;
}

/// Runs, repetitions and chance, one after the other.
Ids patchwork(std::mt19937& random, Symbol n_symbols, std::size_t size) {
  Ids symbols;
  while (symbols.size() < size) {
    Ids some(1 + below(random, below(random, 2) == 0 ? 4 : 100));
    for (auto& symbol : some) symbol = below(random, n_symbols);
    for (std::uint32_t times = 1 + below(random, below(random, 3) == 0 ? 400 : 3); times > 0; --times) {
      symbols.insert(symbols.end(), some.begin(), some.end());
    }
  }
  symbols.resize(size);
  return symbols;
}

class Replay {
 public:
  Replay(const Merges& merges, Symbol n_symbols) : n_symbols_(n_symbols) {
    merges_.resize(std::size_t{n_symbols} * n_symbols, {0, 0, 0, kNone});
    for (const auto& merge : merges) {
      auto& known = at(merge.left, merge.right);
      if (known.rank == kNone) known = merge;
    }
  }

  Ids operator()(Ids symbols) {
    while (true) {
      std::size_t best = 0;
      std::uint32_t least = kNone;
      for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
        const auto rank = at(symbols[i], symbols[i + 1]).rank;
        if (rank < least) best = i, least = rank;
      }
      if (least == kNone) return symbols;
      symbols[best] = at(symbols[best], symbols[best + 1]).joined;
      symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  Merge& at(Symbol left, Symbol right) { return merges_[std::size_t{left} * n_symbols_ + right]; }

  Symbol n_symbols_;
  Merges merges_;
};

Chain join(const Merges& merges, const Ids& symbols) {
  const Table table(Columns(merges).view());
  return join_long(table, SymbolWord<Table>{table, symbols});
}

std::size_t n_starts(const Chain& chain) {
  std::size_t n = 0;
  for (const auto bits : chain.starts) n += static_cast<std::size_t>(std::popcount(bits));
  return n;
}

/// 0 and 1 are joined from the right end on, if there is a 1.
const Merges kFromTheRight = {{0, 1, 2, 0}, {0, 2, 3, 1}, {0, 3, 2, 2}};

}  // namespace

TEST(any_merges_of_any_word_equal_the_replay) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    const Symbol n_symbols = 2 + below(random, 7);
    const auto merges = wild_merges(random, n_symbols, 1 + below(random, 2 * n_symbols));
    const auto size = 1 + below(random, round % 8 == 0 ? 3000 : 300);
    const auto symbols = patchwork(random, n_symbols, size);
    const auto chain = join(merges, symbols);
    CHECK_EQ(chain.tokens, Replay(merges, n_symbols)(symbols));
    CHECK_EQ(chain.tokens.size(), n_starts(chain));
  }
}

TEST(tokens_are_as_long_as_the_starts_tell) {
  // Each merge makes a number one larger: a token n stands for 2^n symbols.
  Merges merges;
  for (std::uint32_t i = 0; i < 12; ++i) merges.push_back({i, i, i + 1, i});
  const auto chain = join(merges, Ids(10'000, 0));
  std::size_t place = 0;
  for (const auto token : chain.tokens) {
    CHECK(chain.starts[place / 64] >> (place % 64) & 1);
    place += std::size_t{1} << token;
  }
  CHECK_EQ(place, std::size_t{10'000});
  CHECK_EQ(chain.tokens, (Ids{12, 12, 10, 9, 8, 4}));
}

TEST(what_depends_on_the_far_end_is_joined_from_there) {
  for (const std::size_t n : {1, 63, 64, 65, 1000, 3000}) {
    Ids symbols(n, 0);
    symbols.push_back(1);
    CHECK_EQ(join(kFromTheRight, symbols).tokens, Replay(kFromTheRight, 4)(symbols));
  }
}

TEST(stretches_that_depend_on_their_far_ends_follow_each_other) {
  std::mt19937 random(2);
  for (int round = 0; round < 10; ++round) {
    Ids symbols;
    while (symbols.size() < 4000) {
      symbols.insert(symbols.end(), below(random, round % 2 == 0 ? 600 : 60), 0);
      symbols.push_back(1);
    }
    CHECK_EQ(join(kFromTheRight, symbols).tokens, Replay(kFromTheRight, 4)(symbols));
  }
}

TEST(a_word_that_comes_again_and_again_equals_the_replay) {
  std::mt19937 random(3);
  for (std::size_t period = 1; period < 70; ++period) {
    const auto merges = wild_merges(random, 5, 8);
    Ids symbols;
    const auto some = patchwork(random, 5, period);
    while (symbols.size() < 700) symbols.insert(symbols.end(), some.begin(), some.end());
    symbols.push_back(below(random, 5));
    CHECK_EQ(join(merges, symbols).tokens, Replay(merges, 5)(symbols));
  }
}

int main() { return check::run_all(); }
