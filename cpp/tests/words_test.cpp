// words_test.cpp: words against a replay that looks for the lowest rank again and again.
#include "bytepair/words.hpp"

#include <limits>
#include <random>
#include <stdexcept>

#include "check.hpp"
#include "merges.hpp"
#include "tables.hpp"

using namespace merges;
using bytepair::Chance;
using bytepair::UnknownCharacter;

namespace {

Ids encode(const Words& words, std::string_view text, bool is_whole = true) {
  Ids ids;
  Words::Word word{text, is_whole};
  words.encode({&word, 1}, ids);
  CHECK_EQ(ids.size(), std::size_t{word.n_ids});
  return ids;
}

Ids encode(const Merges& merges, std::string_view text) { return encode(words_of(merges), text); }

void compare_on_random_words(std::uint32_t seed, bool share_ranks, std::size_t least,
                             std::size_t most) {
  std::mt19937 random(seed);
  for (int round = 0; round < 100; ++round) {
    const auto merges = random_merges(random, share_ranks);
    const auto words = words_of(merges);
    for (int i = 0; i < 5; ++i) {
      const auto text = random_letters(random, least + random() % (most - least + 1));
      const auto expected = naive_join(bytes_of(text), merges);
      CHECK_EQ(encode(words, text), expected);
      CHECK_EQ(words.encode_placed(text).ids, expected);
    }
  }
}

/// "a", "e" with an accent and a face are characters.
TokenList characters(bool byte_fallback) {
  TokenList tokens;
  tokens.add(1, "a");
  tokens.add(2, "\xC3\xA9");
  tokens.add(3, "\xF0\x9F\x98\x80");
  for (unsigned byte = 0; byte_fallback && byte < 256; ++byte) {
    tokens.add(100 + byte, std::string(1, static_cast<char>(byte)), Tokens::kByteFallback);
  }
  return tokens;
}

FirstSymbols::Rules by_character(bool byte_fallback) {
  FirstSymbols::Rules rules;
  rules.by_bytes = false;
  if (byte_fallback) {
    rules.fallback.resize(256);
    std::iota(rules.fallback.begin(), rules.fallback.end(), 100);
  }
  return rules;
}

Words words_of(const TokenList& tokens, const Merges& merges, FirstSymbols::Rules rules,
               bool whole_words = false) {
  return Words(tokens.view(), Columns(merges).view(), std::move(rules), whole_words);
}

}  // namespace

TEST(the_pair_learned_first_is_joined_first) {
  CHECK_EQ(encode({{'a', 'b', 256, 1}, {'b', 'c', 257, 0}}, "abc"), (Ids{'a', 257}));
}

TEST(a_run_is_joined_from_the_left) {
  const Merges merges = {{'a', 'a', 256, 0}};
  CHECK_EQ(encode(merges, "aaaaa"), (Ids{256, 256, 'a'}));
  Ids expected(500, 256);
  expected.push_back('a');
  CHECK_EQ(encode(merges, std::string(1001, 'a')), expected);
}

TEST(words_without_merges_keep_their_bytes) {
  CHECK_EQ(encode({}, std::string("\0\xFF", 2)), (Ids{0, 255}));
  CHECK_EQ(encode({}, std::string(1000, 'a')), Ids(1000, 'a'));
}

TEST(short_words_equal_the_naive_replay) {
  compare_on_random_words(1, false, 1, 16);
  compare_on_random_words(2, true, 1, 16);
}

TEST(longer_words_equal_the_naive_replay) {
  compare_on_random_words(3, false, 15, 70);
  compare_on_random_words(4, true, 15, 70);
}

TEST(words_of_many_windows_equal_the_naive_replay) {
  compare_on_random_words(5, false, 100, 700);
  compare_on_random_words(6, true, 100, 700);
}

TEST(tokens_longer_than_a_window_are_found) {
  Merges merges;
  Symbol last = 'a';
  for (std::uint32_t i = 0; i < 9; ++i) {
    merges.push_back({last, last, 256 + i, i});
    last = 256 + i;
  }
  for (const std::size_t n : {63, 64, 65, 511, 512, 1023, 5000}) {
    const std::string text = std::string(n, 'a') + "b" + std::string(n, 'a');
    CHECK_EQ(encode(merges, text), naive_join(bytes_of(text), merges));
  }
}

TEST(what_depends_on_the_far_end_of_a_word_is_found) {
  // From the right end on every second pair is joined, if the last symbol is a "b".
  const Merges merges = {{'a', 'b', 256, 0}, {'a', 256, 257, 1}, {'a', 257, 256, 2}};
  for (const std::size_t n : {10, 100, 1000}) {
    const std::string text = std::string(n, 'a') + "b";
    CHECK_EQ(encode(merges, text), naive_join(bytes_of(text), merges));
  }
}

TEST(many_words_at_once_become_what_they_become_alone) {
  std::mt19937 random(7);
  const auto merges = random_merges(random, false);
  const auto words = merges::words_of(merges);
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) texts.push_back(random_letters(random, 1 + random() % 30));
  std::vector<Words::Word> all;
  for (const auto& text : texts) all.push_back({text});
  Ids ids;
  words.encode(all, ids);
  std::size_t n = 0;
  for (const auto& word : all) {
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(word.start);
    CHECK_EQ(Ids(begin, begin + word.n_ids), naive_join(bytes_of(word.text), merges));
    n += word.n_ids;
  }
  CHECK_EQ(ids.size(), n);
}

TEST(large_ids_are_ids_like_any_other) {
  auto tokens = TokenList::plain_bytes();
  for (TokenId id = 0; id < 256; ++id) tokens.ids.push_back(id);
  tokens.ids.push_back(std::numeric_limits<TokenId>::max());
  tokens.add(256, "aa");
  for (const bool whole : {false, true}) {
    const auto words = words_of(tokens, {{'a', 'a', 256, 0}}, {}, whole);
    CHECK_EQ(encode(words, "aaaa"), Ids(2, tokens.ids.back()));
    CHECK_EQ(encode(words, "aa"), Ids(1, tokens.ids.back()));
  }
}

TEST(millions_of_symbols_are_joined_too) {
  const Symbol large = 3'000'000;
  CHECK_EQ(encode({{'a', 'a', large, 0}, {large, large, large + 1, 1}}, "aaaaaa"),
           (Ids{large + 1, large}));
}

TEST(a_pre_token_that_is_a_token_is_not_merged) {
  auto tokens = TokenList::plain_bytes();
  tokens.add(256, "ab");
  tokens.add(300, "abc");
  tokens.add(301, "a long token, longer than a lane");
  const auto words = words_of(tokens, {{'a', 'b', 256, 0}}, {}, true);
  CHECK_EQ(encode(words, "abc"), Ids{300});
  CHECK_EQ(encode(words, "abc", false), (Ids{256, 'c'}));
  CHECK_EQ(encode(words, "a long token, longer than a lane"), Ids{301});
  CHECK_EQ(encode(words, "ab"), Ids{256});
}

TEST(characters_have_ids_and_unknown_ones_fall_back_to_bytes) {
  const auto words = words_of(characters(true), {{1, 2, 7, 0}}, by_character(true));
  CHECK_EQ(encode(words, "a\xC3\xA9\xF0\x9F\x98\x80"), (Ids{7, 3}));
  CHECK_EQ(encode(words, "a\xC3\xA4"), (Ids{1, 100 + 0xC3, 100 + 0xA4}));
  CHECK_EQ(encode(words, "\xC3"), (Ids{100 + 0xC3}));
  CHECK_EQ(encode(words, "\xF0\x9F\x98"), (Ids{100 + 0xF0, 100 + 0x9F, 100 + 0x98}));
}

TEST(unknown_characters_that_fall_back_to_bytes_leave_borders) {
  for (const bool byte_fallback : {false, true}) {
    auto rules = by_character(byte_fallback);
    rules.unknown = 50;
    rules.fuse_unknown = true;  // which means nothing where each byte has a symbol
    const auto words = words_of(characters(byte_fallback), {{1, 2, 7, 0}}, rules);
    CHECK_EQ(words.borders().empty(), !byte_fallback);
  }
}

TEST(the_spelling_of_a_fallback_byte_is_a_whole_token) {
  const auto words = words_of(characters(true), {}, by_character(true), true);
  CHECK_EQ(encode(words, "<0xC3>"), (Ids{100 + 0xC3}));
  CHECK_EQ(encode(words, "a"), Ids{1});
}

TEST(a_fallback_byte_by_itself_is_no_whole_token) {
  auto rules = by_character(true);
  rules.end = 9;
  const auto words = words_of(characters(true), {}, rules, true);
  CHECK_EQ(encode(words, "a"), Ids{1});
  CHECK_EQ(encode(words, "b"), (Ids{100 + 'b', 9}));
  CHECK_EQ(encode(words, "\xC3"), (Ids{100 + 0xC3, 9}));
}

TEST(the_end_mark_follows_each_pre_token) {
  auto rules = by_character(true);
  rules.end = 9;
  const auto words = words_of(characters(true), {{1, 9, 10, 0}}, rules);
  CHECK_EQ(encode(words, "a"), Ids{10});
  CHECK_EQ(encode(words, "a\xC3\xA9"), (Ids{1, 2, 9}));
  CHECK_EQ(encode(words, std::string(15, 'a')).size(), std::size_t{15});
}

TEST(parts_that_begin_or_end_a_word_have_symbols_of_their_own) {
  TokenList tokens;
  tokens.add(1, "a");
  tokens.add(2, "a", Tokens::kContinuesWord);
  tokens.add(3, "a", Tokens::kEndsWord);
  tokens.add(4, "a", Tokens::kContinuesWord | Tokens::kEndsWord);
  auto rules = by_character(false);
  rules.marks_begin = rules.marks_end = true;
  const auto words = words_of(tokens, {}, rules);
  CHECK_EQ(encode(words, "a"), Ids{3});
  CHECK_EQ(encode(words, "aaa"), (Ids{1, 2, 4}));
}

TEST(unknown_parts_are_one_token_each_or_fused) {
  for (const bool fuse : {false, true}) {
    auto rules = by_character(false);
    rules.unknown = 50;
    rules.fuse_unknown = fuse;
    const auto words = words_of(characters(false), {{1, 1, 7, 0}}, rules);
    CHECK_EQ(encode(words, "xyaaz"), fuse ? (Ids{50, 7, 50}) : (Ids{50, 50, 7, 50}));
    const auto placed = words.encode_placed("xyaaz");
    CHECK_EQ(placed.starts, fuse ? (std::vector<std::size_t>{0, 2, 4})
                                 : (std::vector<std::size_t>{0, 1, 2, 4}));
  }
}

TEST(an_unknown_character_throws_its_bytes) {
  const auto words = words_of(characters(false), {}, by_character(false));
  try {
    encode(words, "a\xE2\x82\xAC");
    CHECK(false);
  } catch (const UnknownCharacter& error) {
    CHECK_EQ(error.bytes, std::string("\xE2\x82\xAC"));
  }
  CHECK_THROWS(UnknownCharacter, encode(words, "a\xFF"));
  CHECK_THROWS(UnknownCharacter, encode(words, std::string(100, 'a') + "b"));
}

TEST(without_chance_and_with_a_chance_of_zero_the_same_is_joined) {
  std::mt19937 random(9);
  for (int round = 0; round < 50; ++round) {
    const auto words = merges::words_of(random_merges(random, round % 2 == 0));
    const auto text = random_letters(random, 1 + random() % 100);
    Chance never(0, 1);
    Chance always(1, 1);
    CHECK_EQ(words.encode_placed(text, &never).ids, encode(words, text));
    CHECK_EQ(words.encode_placed(text, &always).ids, bytes_of(text));
  }
}

TEST(parts_that_do_not_fit_together_are_refused) {
  auto uneven = TokenList::plain_bytes();
  uneven.kinds.pop_back();
  CHECK_THROWS(std::invalid_argument, words_of(uneven, {}, {}));
  auto descending = TokenList::plain_bytes();
  std::swap(descending.offsets[3], descending.offsets[4]);
  CHECK_THROWS(std::invalid_argument, words_of(descending, {}, {}));
  auto short_bytes = TokenList::plain_bytes();
  short_bytes.bytes.pop_back();
  CHECK_THROWS(std::invalid_argument, words_of(short_bytes, {}, {}));
  auto few_ids = TokenList::plain_bytes();
  few_ids.ids = {1, 2, 3};
  CHECK_THROWS(std::invalid_argument, words_of(few_ids, {}, {}));
  auto rules = by_character(true);
  rules.fallback.pop_back();
  CHECK_THROWS(std::invalid_argument, words_of(characters(true), {}, rules));
}

/// Merges of pairs of letters that are no more than a stage, then merges over spaces.
Merges merges_in_stages(std::mt19937& random) {
  Merges merges;
  std::vector<Symbol> inner = {'a', 'b', 'c', ' '};
  for (Symbol joined = 256; joined < 256 + 300; ++joined) {
    const Symbol left = inner[random() % inner.size()];
    const Symbol right = inner[random() % 3];  // no space: what begins with one stays on the left
    merges.push_back({left, right, joined, joined});
    if (joined % 5 == 0) inner.push_back(joined);
  }
  std::vector<Symbol> all = inner;
  for (Symbol joined = 556; joined < 556 + 100; ++joined) {
    merges.push_back({all[random() % all.size()], all[random() % all.size()], joined, joined});
    all.push_back(joined);
  }
  return merges;
}

TEST(a_first_stage_and_the_rest_make_what_one_would) {
  std::mt19937 random(9);
  int n_with_stage = 0;
  for (int round = 0; round < 30; ++round) {
    const auto merges = merges_in_stages(random);
    auto words = words_of(merges);
    const auto stage = words.take_first_stage();
    if (stage == nullptr) continue;
    ++n_with_stage;
    std::vector<std::string> texts;
    for (std::size_t size : {1, 2, 9, 30, 70, 400}) {
      texts.push_back(random_letters(random, size));
      for (auto& letter : texts.back()) letter = random() % 3 == 0 ? ' ' : letter;
    }
    Ids symbols;
    std::vector<Words::Word> rows;
    for (const auto& text : texts) {
      rows.push_back({text});
      const auto first = encode(*stage, text);
      symbols.insert(symbols.end(), first.begin(), first.end());
    }
    Ids ids;
    words.finish(symbols, rows, ids);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto first = ids.begin() + static_cast<std::ptrdiff_t>(rows[i].start);
      CHECK_EQ(Ids(first, first + rows[i].n_ids), naive_join(bytes_of(texts[i]), merges));
    }
  }
  CHECK(n_with_stage > 20);
}

TEST(merges_that_join_spaces_early_or_never_have_no_first_stage) {
  Merges merges = {{'a', ' ', 256, 0}};
  for (Symbol joined = 257; joined < 800; ++joined) merges.push_back({'b', joined - 1, joined, joined});
  CHECK(words_of(merges).take_first_stage() == nullptr);
  merges.front().right = 'a';
  CHECK(words_of(merges).take_first_stage() == nullptr);
  merges.push_back({'a', ' ', 900, 900});
  CHECK(words_of(merges).take_first_stage() != nullptr);
}

int main() { return check::run_all(); }
