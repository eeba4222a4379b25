// borders_test.cpp: nothing is ever joined across a border.
#include "bytepair/borders.hpp"

#include <random>

#include "check.hpp"
#include "merges.hpp"
#include "tables.hpp"

using namespace merges;
using bytepair::Borders;

namespace {

/// Characters of one to four bytes, and parts of them.
std::string random_text(std::mt19937& random, std::size_t n) {
  static const std::vector<std::string> kParts = {
      "a", "b", " ", "\xC3\xA9", "\xC3\xA8", "\xE4\xB8\xAD", "\xE4\xB8\xAE", "\xE5\xB8\xAD",
      "\xF0\x9F\x98\x80", "\xF0\x9F\x98\x81", "\xE4", "\xB8", "\xAD", "\xE4\xB8", "\xFF"};
  std::string text;
  while (n-- > 0) text += kParts[random() % kParts.size()];
  return text;
}

/// Merges of the bytes of such texts: each joins two neighbours that there are.
Merges merges_of(std::mt19937& random, std::string_view text) {
  Merges merges;
  auto symbols = bytes_of(text);
  for (std::uint32_t i = 0; i < 40 && symbols.size() > 1; ++i) {
    const auto at = random() % (symbols.size() - 1);
    merges.push_back({symbols[at], symbols[at + 1], 256 + i, i});
    symbols = naive_join(symbols, merges);
  }
  return merges;
}

/// Places between tokens.
std::vector<std::size_t> token_starts(const Ids& tokens, const Merges& merges) {
  std::map<Symbol, std::size_t> size_by_symbol;
  for (Symbol byte = 0; byte < 256; ++byte) size_by_symbol[byte] = 1;
  for (const auto& merge : merges) {
    size_by_symbol[merge.joined] = size_by_symbol[merge.left] + size_by_symbol[merge.right];
  }
  std::vector<std::size_t> starts;
  std::size_t at = 0;
  for (const auto token : tokens) {
    starts.push_back(at);
    at += size_by_symbol[token];
  }
  return starts;
}

std::vector<Borders::First> first_bytes(const TokenList& tokens) {
  std::vector<Borders::First> first;
  for (Symbol byte = 0; byte < 256; ++byte) {
    first.push_back({byte, std::string_view(tokens.bytes).substr(byte, 1)});
  }
  return first;
}

Borders borders_of(const Merges& merges) {
  static const auto bytes = TokenList::plain_bytes();
  return Borders(first_bytes(bytes), Columns(merges).view());
}

std::vector<std::size_t> all(const Borders& borders, std::string_view text) {
  std::vector<std::size_t> found;
  for (std::size_t at = 0; (at = borders.next(text, at)) < text.size();) found.push_back(at);
  return found;
}

}  // namespace

TEST(a_token_never_lies_across_a_border) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const auto merges = merges_of(random, random_text(random, 60));
    const auto borders = borders_of(merges);
    for (int i = 0; i < 5; ++i) {
      const auto text = random_text(random, 40);
      const auto starts = token_starts(naive_join(bytes_of(text), merges), merges);
      for (const auto border : all(borders, text)) {
        CHECK(std::ranges::binary_search(starts, border));
      }
    }
  }
}

TEST(borders_are_between_characters_that_no_merge_brings_together) {
  const Merges merges = {{0xC3, 0xA9, 256, 0}, {'a', 256, 257, 1}, {'a', ' ', 258, 2}};
  const auto borders = borders_of(merges);
  CHECK_EQ(all(borders, "a\xC3\xA9 a b"), (std::vector<std::size_t>{3, 4, 6}));
  CHECK_EQ(all(borders, "b\xC3\xA9\xC3\xA9"), (std::vector<std::size_t>{1, 3}));
  CHECK_EQ(all(borders, "ba"), (std::vector<std::size_t>{1}));
}

TEST(beside_what_is_no_character_there_is_no_border) {
  const auto borders = borders_of({});
  CHECK_EQ(all(borders, "a\xFF" "b"), std::vector<std::size_t>{});
  CHECK_EQ(all(borders, "\xE4\xB8"), std::vector<std::size_t>{});
  CHECK_EQ(all(borders, "ab\xE4"), (std::vector<std::size_t>{1}));
}

TEST(parts_of_characters_that_join_keep_whole_ones_together) {
  // The last byte of one character joins the first byte of another.
  const Merges merges = {{0xAD, 0xE4, 256, 0}};
  const auto borders = borders_of(merges);
  CHECK_EQ(all(borders, "\xE4\xB8\xAD\xE4\xB8\xAE"), std::vector<std::size_t>{});
  CHECK_EQ(all(borders, "\xE4\xB8\xAE\xE4\xB8\xAE"), (std::vector<std::size_t>{3}));
}

TEST(where_a_symbol_has_two_texts_nothing_is_known) {
  const Merges merges = {{'a', 'b', 256, 0}, {'b', 'a', 256, 1}};
  CHECK(borders_of(merges).empty());
  CHECK_EQ(borders_of(merges).next("a b", 0), std::size_t{3});
  CHECK(!borders_of({{'a', 'b', 256, 0}, {'a', 'b', 256, 1}}).empty());
}

TEST(merges_may_come_before_their_parts) {
  const Merges merges = {{256, 'c', 257, 5}, {'a', 'b', 256, 7}, {999, 998, 997, 9}};
  CHECK_EQ(all(borders_of(merges), "xabcx"), (std::vector<std::size_t>{1, 4}));
}

TEST(without_anything_there_are_no_borders) {
  CHECK(Borders().empty());
  CHECK_EQ(Borders().next("a b", 0), std::size_t{3});
}

int main() { return check::run_all(); }
