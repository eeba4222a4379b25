// learn_join_test.cpp: words joined by merges that are known, against doing one merge after the other.
#include "bytepair/learn.hpp"

#include <random>
#include <stdexcept>
#include <vector>

#include "check.hpp"

using bytepair::Symbol;

TEST(joining_by_pieces_and_threads_is_joining_each_word) {
  // "ab", "abab" and "c d"; between other symbols nothing is joined.
  const std::vector<Symbol> left = {'a', 256, 'c', 258};
  const std::vector<Symbol> right = {'b', 256, ' ', 'd'};
  const std::vector<Symbol> joined = {256, 257, 258, 259};
  const std::vector<std::uint32_t> rank = {0, 1, 2, 3};
  std::mt19937 random(5);
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int64_t> counts;
  while (bytes.size() < (std::size_t{1} << 20) + 5) {
    for (std::size_t n = random() % 40; n > 0; --n) {
      bytes.push_back(static_cast<std::uint8_t>("abc d"[random() % 5]));
    }
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    counts.push_back(1);
  }
  const std::vector<Symbol> symbols(bytes.begin(), bytes.end());
  const bytepair::MergeColumns merges{left, right, joined, rank};
  const auto one = bytepair::join_words({symbols, offsets, counts}, merges, 260);
  const auto two = bytepair::join_words({{}, offsets, counts, bytes}, merges, 260, {}, 3);
  CHECK_EQ(one.symbols, two.symbols);
  CHECK_EQ(one.offsets, two.offsets);
  for (std::size_t i = 0; i < 300; ++i) {
    std::vector<Symbol> word(symbols.begin() + offsets[i], symbols.begin() + offsets[i + 1]);
    for (std::size_t m = 0; m < 4; ++m) {
      for (std::size_t at = 0; at + 1 < word.size(); ++at) {
        if (word[at] != left[m] || word[at + 1] != right[m]) continue;
        word[at] = joined[m];
        word.erase(word.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      }
    }
    const std::vector<Symbol> row(one.symbols.begin() + one.offsets[i],
                                  one.symbols.begin() + one.offsets[i + 1]);
    CHECK_EQ(row, word);
  }
}

TEST(words_of_symbols_that_merges_make_are_joined_as_they_are) {
  const auto join = [](std::vector<Symbol> symbols, std::vector<Symbol> left,
                       std::vector<Symbol> right, std::vector<Symbol> joined) {
    const std::vector<std::int64_t> offsets = {0, static_cast<std::int64_t>(symbols.size())};
    const std::vector<std::int64_t> counts = {1};
    const std::vector<std::uint32_t> rank = {0, 1};
    return bytepair::join_words({symbols, offsets, counts}, {left, right, joined, rank}, 5).symbols;
  };
  using Row = std::vector<Symbol>;
  CHECK_EQ(join({3, 2, 0, 1}, {0, 3}, {1, 2}, {3, 4}), (Row{4, 3}));     // 3 is also made
  CHECK_EQ(join({0, 1, 2}, {3, 0}, {2, 1}, {4, 3}), (Row{4}));           // made after it is used
  CHECK_EQ(join({0, 1, 0, 2, 1}, {0, 0}, {1, 2}, {3, 3}), (Row{3, 3, 1}));  // made in two ways
}

TEST(words_and_merges_that_do_not_fit_are_not_joined) {
  const auto join = [](std::vector<Symbol> symbols, std::vector<std::int64_t> offsets,
                       std::vector<Symbol> left, Symbol joined) {
    const std::vector<std::int64_t> counts = {1};
    const std::vector<Symbol> right = {1};
    const std::vector<Symbol> to = {joined};
    const std::vector<std::uint32_t> rank = {0};
    return bytepair::join_words({symbols, offsets, counts}, {left, right, to, rank}, 3).symbols;
  };
  CHECK_EQ(join({0, 1, 1}, {0, 3}, {0}, 2), (std::vector<Symbol>{2, 1}));
  CHECK_THROWS(std::invalid_argument, join({0, 1}, {0, 3}, {0}, 2));
  CHECK_THROWS(std::invalid_argument, join({0, 1}, {0, 1, 2}, {0}, 2));
  CHECK_THROWS(std::invalid_argument, join({0, 3}, {0, 2}, {0}, 2));
  CHECK_THROWS(std::invalid_argument, join({0, 1}, {0, 2}, {0}, 3));
  CHECK_THROWS(std::invalid_argument, join({0, 1}, {0, 2}, {}, 2));
}

int main() { return check::run_all(); }
