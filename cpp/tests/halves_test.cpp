// halves_test.cpp: against every cut of every text, looked up one by one.
#include "bytepair/halves.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "check.hpp"

namespace {

using Row = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

std::vector<Row> rows_of(const std::vector<std::string>& texts) {
  const auto halves = bytepair::halves_of(std::vector<std::string_view>(texts.begin(), texts.end()));
  std::vector<Row> rows;
  for (std::size_t i = 0; i < halves.whole.size(); ++i) {
    rows.emplace_back(halves.left[i], halves.right[i], halves.whole[i]);
  }
  return rows;
}

std::vector<Row> looked_up(const std::vector<std::string>& texts) {
  std::map<std::string, std::uint32_t> places;
  for (std::uint32_t i = 0; i < texts.size(); ++i) places[texts[i]] = i;
  std::vector<Row> rows;
  for (std::uint32_t i = 0; i < texts.size(); ++i) {
    for (std::size_t cut = 1; cut < texts[i].size(); ++cut) {
      const auto left = places.find(texts[i].substr(0, cut));
      const auto right = places.find(texts[i].substr(cut));
      if (left == places.end() || right == places.end()) continue;
      rows.emplace_back(left->second, right->second, i);
    }
  }
  return rows;
}

}  // namespace

TEST(two_texts_that_are_a_third_are_its_halves) {
  CHECK_EQ(rows_of({"abc", "a", "bc", "ab", "c", "b"}),
           (std::vector<Row>{{1, 2, 0}, {3, 4, 0}, {5, 4, 2}, {1, 5, 3}}));
  CHECK_EQ(rows_of({"aa", "a"}), (std::vector<Row>{{1, 1, 0}}));
  CHECK_EQ(rows_of({}), (std::vector<Row>{}));
}

TEST(zeros_and_high_bytes_count_like_others) {
  const std::string zero(1, '\0');
  const std::vector<std::string> texts = {zero, zero + zero, "\xFF", "a", "a" + zero,
                                          zero + "\xFF", "a" + zero + zero + "\xFF"};
  CHECK_EQ(rows_of(texts), looked_up(texts));
}

TEST(all_halves_of_any_texts_are_found) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::set<std::string> distinct;
    const std::string letters = round % 2 == 0 ? "ab" : std::string("a\0\xFF", 3);
    for (int i = 0; i < 60; ++i) {
      std::string text;
      for (auto n = random() % 12 + 1; n > 0; --n) text += letters[random() % letters.size()];
      distinct.insert(text);
    }
    std::vector<std::string> texts(distinct.begin(), distinct.end());
    std::shuffle(texts.begin(), texts.end(), random);
    CHECK_EQ(rows_of(texts), looked_up(texts));
  }
}

TEST(texts_that_begin_with_all_shorter_ones_are_no_trouble) {
  std::vector<std::string> texts;
  for (std::size_t n = 1; n <= 300; ++n) texts.emplace_back(n, 'a');
  CHECK_EQ(rows_of(texts), looked_up(texts));
}

int main() { return check::run_all(); }
