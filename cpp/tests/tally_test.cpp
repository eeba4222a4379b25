// tally_test.cpp: words by tokens against words by bytes.
#include "bytepair/tally.hpp"

#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"

using bytepair::TokenShape;
using bytepair::WordTally;

namespace {

const std::vector<std::string> kTokens = {"a",   " ",  "",    "ab", " a", "a ",
                                          "a b", "  ", " a ", "b\nc d", "\t\n"};

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t'; }

std::uint32_t shape_of(const std::string& token) {
  if (token.empty()) return TokenShape::kEmpty;
  std::uint32_t n_words = 0;
  std::uint32_t shape = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (is_blank(token[i])) shape |= TokenShape::kHoldsBlank;
    if (i > 0 && !is_blank(token[i]) && is_blank(token[i - 1])) ++n_words;
  }
  if (is_blank(token.front())) shape |= TokenShape::kStartsBlank;
  if (is_blank(token.back())) shape |= TokenShape::kEndsBlank;
  return shape | n_words << TokenShape::kWordsShift;
}

/// Word by word, border by border.
WordTally by_bytes(const std::vector<std::uint32_t>& ids) {
  std::string text;
  std::set<std::size_t> borders;
  for (const auto id : ids) {
    borders.insert(text.size());
    text += kTokens[id];
  }
  WordTally words;
  for (std::size_t i = 0; i < text.size();) {
    if (is_blank(text[i])) {
      ++i;
      continue;
    }
    ++words.n_words;
    bool is_divided = false;
    for (++i; i < text.size() && !is_blank(text[i]); ++i) is_divided |= borders.contains(i);
    words.n_divided += is_divided;
  }
  return words;
}

std::vector<std::uint32_t> shapes() {
  std::vector<std::uint32_t> all;
  for (const auto& token : kTokens) all.push_back(shape_of(token));
  return all;
}

}  // namespace

TEST(words_are_those_of_the_bytes) {
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    std::vector<std::uint32_t> ids(random() % 9);
    for (auto& id : ids) id = static_cast<std::uint32_t>(random() % kTokens.size());
    const std::vector<std::int64_t> offsets = {0, static_cast<std::int64_t>(ids.size())};
    std::vector<std::int64_t> uses(kTokens.size());
    const auto words = bytepair::tally(ids, offsets, shapes(), uses);
    const auto expected = by_bytes(ids);
    CHECK_EQ(words.n_words, expected.n_words);
    CHECK_EQ(words.n_divided, expected.n_divided);
    std::int64_t n_uses = 0;
    for (const auto n : uses) n_uses += n;
    CHECK_EQ(n_uses, static_cast<std::int64_t>(ids.size()));
  }
}

TEST(no_word_goes_from_one_text_to_the_next) {
  std::vector<std::int64_t> uses(kTokens.size());
  const auto words = bytepair::tally(std::vector<std::uint32_t>{0, 0},
                                     std::vector<std::int64_t>{0, 1, 1, 2}, shapes(), uses);
  CHECK_EQ(words.n_words, 2);
  CHECK_EQ(words.n_divided, 0);
}

TEST(what_does_not_fit_together_is_refused) {
  const auto refused = [](std::vector<std::uint32_t> ids, std::vector<std::int64_t> offsets,
                          std::size_t n_uses) {
    std::vector<std::int64_t> uses(n_uses);
    CHECK_THROWS(std::invalid_argument, bytepair::tally(ids, offsets, shapes(), uses));
  };
  refused({99}, {0, 1}, kTokens.size());
  refused({0}, {0, 2}, kTokens.size());
  refused({0}, {1, 1}, kTokens.size());
  refused({0}, {}, kTokens.size());
  refused({0}, {0, 1}, 1);
}

int main() { return check::run_all(); }
