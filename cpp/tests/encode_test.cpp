// encode_test.cpp: ids against a replay that looks for the lowest rank again and again.
#include "bytepair/encode.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>

#include "check.hpp"
#include "tables.hpp"

using bytepair::Encoder;
using bytepair::FirstSymbols;
using bytepair::PairMap;
using bytepair::Splitter;
using bytepair::TokenByBytes;
using bytepair::TokenId;
using bytepair::UnknownCharacter;

namespace {

using Ids = std::vector<TokenId>;
using Documents = std::vector<std::string_view>;

struct Merge {
  TokenId left;
  TokenId right;
  TokenId joined;
  std::uint32_t rank;
};
using Merges = std::vector<Merge>;

bool always() { return true; }

/// Byte b has the id b.
FirstSymbols plain_bytes() {
  FirstSymbols first;
  first.byte_ids.resize(256);
  std::iota(first.byte_ids.begin(), first.byte_ids.end(), 0);
  return first;
}

Encoder make(const Merges& merges, FirstSymbols first = plain_bytes(),
             Splitter splitter = Splitter(), TokenByBytes whole = {}) {
  Ids left, right, joined;
  std::vector<std::uint32_t> rank;
  for (const auto& merge : merges) {
    left.push_back(merge.left);
    right.push_back(merge.right);
    joined.push_back(merge.joined);
    rank.push_back(merge.rank);
  }
  return Encoder(std::move(splitter), std::move(first), {left, right, joined, rank},
                 std::move(whole));
}

Ids encode(const Encoder& encoder, std::string_view text) {
  Ids ids;
  CHECK(encoder.encode(text, ids, always));
  return ids;
}

Ids bytes_of(std::string_view text) {
  Ids ids;
  for (const char byte : text) ids.push_back(static_cast<unsigned char>(byte));
  return ids;
}

/// Joins the leftmost pair of the lowest rank until no pair has a rank.
Ids naive_join(Ids symbols, const Merges& merges) {
  std::map<std::pair<TokenId, TokenId>, Merge> merge_by_pair;
  for (const auto& merge : merges) merge_by_pair[{merge.left, merge.right}] = merge;
  while (true) {
    std::optional<std::size_t> best_at;
    Merge best{};
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = merge_by_pair.find({symbols[i], symbols[i + 1]});
      if (found == merge_by_pair.end()) continue;
      if (best_at && found->second.rank >= best.rank) continue;
      best_at = i;
      best = found->second;
    }
    if (!best_at) return symbols;
    symbols[*best_at] = best.joined;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(*best_at) + 1);
  }
}

std::string random_letters(std::mt19937& random, std::size_t size) {
  std::string text(size, '\0');
  for (auto& letter : text) letter = static_cast<char>('a' + random() % 3);
  return text;
}

/// Merges of a, b, c and of what came of them; ranks are shuffled, or shared by several.
Merges random_merges(std::mt19937& random, bool share_ranks) {
  Merges merges;
  std::map<std::pair<TokenId, TokenId>, bool> seen;
  Ids symbols = {'a', 'b', 'c'};
  for (std::uint32_t i = 0; i < 30; ++i) {
    const auto left = symbols[random() % symbols.size()];
    const auto right = symbols[random() % symbols.size()];
    if (std::exchange(seen[{left, right}], true)) continue;
    // Some pairs give a symbol that there is already: many ways may lead to one token.
    const auto joined = random() % 5 == 0 ? symbols.back() : TokenId{256 + i};
    const auto rank = share_ranks ? static_cast<std::uint32_t>(random() % 6) : i;
    merges.push_back({left, right, joined, rank});
    symbols.push_back(joined);
  }
  if (share_ranks || random() % 2 == 0) return merges;
  std::vector<Merge> shuffled = merges;
  std::ranges::shuffle(shuffled, random);
  for (std::size_t i = 0; i < merges.size(); ++i) merges[i].rank = shuffled[i].rank;
  return merges;
}

void compare_on_random_words(std::uint32_t seed, bool share_ranks, std::size_t least,
                             std::size_t most) {
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    const auto merges = random_merges(random, share_ranks);
    const auto encoder = make(merges);
    for (int i = 0; i < 5; ++i) {
      const auto word = random_letters(random, least + random() % (most - least + 1));
      CHECK_EQ(encode(encoder, word), naive_join(bytes_of(word), merges));
    }
  }
}

/// "a", "e" with an accent and a face are characters; bytes are 100 + their value.
FirstSymbols characters(bool byte_fallback) {
  FirstSymbols first;
  first.by_character = true;
  first.characters = {{"a", 1}, {"\xC3\xA9", 2}, {"\xF0\x9F\x98\x80", 3}};
  if (byte_fallback) {
    first.byte_ids.resize(256);
    std::iota(first.byte_ids.begin(), first.byte_ids.end(), 100);
  }
  return first;
}

constexpr TokenId kLargest = std::numeric_limits<TokenId>::max();

}  // namespace

TEST(the_pair_learned_first_is_joined_first) {
  const Merges merges = {{'a', 'b', 256, 1}, {'b', 'c', 257, 0}};
  CHECK_EQ(encode(make(merges), "abc"), (Ids{'a', 257}));
}

TEST(a_run_is_joined_from_the_left) {
  const Merges merges = {{'a', 'a', 256, 0}};
  CHECK_EQ(encode(make(merges), "aaaaa"), (Ids{256, 256, 'a'}));
  Ids expected(500, 256);
  expected.push_back('a');
  CHECK_EQ(encode(make(merges), std::string(1001, 'a')), expected);
}

TEST(words_without_merges_keep_their_bytes) {
  CHECK_EQ(encode(make({}), ""), Ids{});
  CHECK_EQ(encode(make({}), std::string("\0\xFF", 2)), (Ids{0, 255}));
  CHECK_EQ(encode(make({}), std::string(1000, 'a')), Ids(1000, 'a'));
}

TEST(ids_are_appended_and_what_stood_before_is_not_joined) {
  const auto encoder = make({{'a', 'a', 256, 0}});
  for (const std::size_t size : {1, 41}) {
    Ids ids = {'a'};
    CHECK(encoder.encode(std::string(size, 'a'), ids, always));
    CHECK_EQ(ids.size(), 1 + size / 2 + size % 2);
    CHECK_EQ(ids.front(), TokenId{'a'});
  }
}

TEST(short_words_equal_the_naive_replay) { compare_on_random_words(1, false, 0, 12); }

TEST(words_around_the_change_of_method_equal_the_naive_replay) {
  compare_on_random_words(2, false, 38, 43);
}

TEST(long_words_equal_the_naive_replay) { compare_on_random_words(3, false, 44, 300); }

TEST(short_words_equal_the_naive_replay_where_ranks_are_shared) {
  compare_on_random_words(4, true, 0, 12);
}

TEST(words_around_the_change_of_method_equal_the_naive_replay_where_ranks_are_shared) {
  compare_on_random_words(5, true, 38, 43);
}

TEST(long_words_equal_the_naive_replay_where_ranks_are_shared) {
  compare_on_random_words(6, true, 44, 300);
}

TEST(the_largest_id_is_an_id_like_any_other) {
  for (const std::size_t size : {4, 100}) {
    const auto encoder = make({{'a', 'a', kLargest, 0}});
    CHECK_EQ(encode(encoder, std::string(size, 'a')), Ids(size / 2, kLargest));
  }
}

TEST(merges_do_not_cross_pre_tokens) {
  const Merges merges = {{'a', 'b', 256, 0}, {'b', ' ', 257, 1}};
  const auto encoder = make(merges, plain_bytes(), Splitter(tables::letters()));
  CHECK_EQ(encode(encoder, "ab ab"), (Ids{256, ' ', 256}));
}

TEST(cut_text_is_encoded_by_its_ends) {
  const auto encoder = make({{'a', 'b', 256, 0}});
  Ids ids;
  encoder.encode_cut("abab", std::vector<std::size_t>{1, 4}, ids);
  CHECK_EQ(ids, (Ids{'a', 'b', 256}));
  encoder.encode_cut("", std::vector<std::size_t>{}, ids);
  CHECK_EQ(ids.size(), std::size_t{3});
}

TEST(a_pre_token_that_is_a_token_is_not_merged) {
  const auto encoder = make({{'a', 'b', 256, 0}}, plain_bytes(), Splitter(tables::letters()),
                            {{"abc", 300}, {"b", 301}});
  CHECK_EQ(encode(encoder, "abc ab b"), (Ids{300, ' ', 256, ' ', 301}));
}

TEST(byte_ids_may_be_any) {
  auto first = plain_bytes();
  std::ranges::reverse(first.byte_ids);
  CHECK_EQ(encode(make({}, first), std::string("\0\x01\xFF", 3)), (Ids{255, 254, 0}));
}

TEST(characters_have_ids_and_unknown_ones_fall_back_to_bytes) {
  const auto encoder = make({{1, 2, 7, 0}}, characters(true));
  CHECK_EQ(encode(encoder, "a\xC3\xA9\xF0\x9F\x98\x80"), (Ids{7, 3}));
  CHECK_EQ(encode(encoder, "a\xC3\xA4"), (Ids{1, 100 + 0xC3, 100 + 0xA4}));
  CHECK_EQ(encode(encoder, "\xC3"), (Ids{100 + 0xC3}));
  CHECK_EQ(encode(encoder, "\xF0\x9F\x98"), (Ids{100 + 0xF0, 100 + 0x9F, 100 + 0x98}));
}

TEST(the_end_mark_follows_each_pre_token) {
  auto first = characters(true);
  first.end_of_word = 9;
  const auto encoder = make({{1, 9, 10, 0}}, first, Splitter(tables::letters()));
  CHECK_EQ(encode(encoder, "a\xC3\xA9"), (Ids{10, 2, 9}));
  CHECK_EQ(encode(encoder, ""), Ids{});
}

TEST(an_unknown_character_without_fallback_throws_its_bytes_in_hex) {
  const auto encoder = make({}, characters(false));
  Ids ids;
  try {
    encoder.encode("a\xE2\x82\xAC", ids, always);
    CHECK(false);
  } catch (const UnknownCharacter& error) {
    CHECK_EQ(std::string_view(error.what()), "e282ac");
  }
  CHECK_THROWS(UnknownCharacter, encode(encoder, "a\xFF"));
  CHECK_THROWS(UnknownCharacter,
               encoder.encode_batch(Documents{"a", "a", "b", "a", "a"}, 3, always));
}

TEST(a_batch_has_the_rows_of_its_documents_whatever_the_number_of_threads) {
  std::mt19937 random(7);
  const auto encoder =
      make(random_merges(random, false), plain_bytes(), Splitter(tables::letters()));
  for (const std::size_t n_documents : {0, 1, 2, 3, 7, 50, 5000}) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < n_documents; ++i) {
      texts.push_back(random_letters(random, random() % 50) + tables::random_text(random, 3));
    }
    const Documents documents(texts.begin(), texts.end());
    Ids ids;
    std::vector<std::int64_t> offsets = {0};
    for (const auto text : documents) {
      CHECK(encoder.encode(text, ids, always));
      offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }
    for (std::size_t n_threads = 1; n_threads <= 4; ++n_threads) {
      const auto rows = encoder.encode_batch(documents, n_threads, always);
      CHECK(rows.complete);
      CHECK_EQ(rows.offsets, offsets);
      CHECK_EQ(rows.ids, ids);
    }
  }
}

TEST(more_threads_than_there_can_be_are_not_too_many) {
  const Documents documents = {"ab", "", "c"};
  const auto rows = make({}).encode_batch(documents, std::size_t{1} << 61, always);
  CHECK_EQ(rows.ids, (Ids{'a', 'b', 'c'}));
  CHECK_EQ(rows.offsets, (std::vector<std::int64_t>{0, 2, 2, 3}));
}

TEST(long_text_is_given_up_when_asked) {
  const auto encoder = make({}, plain_bytes(), Splitter(tables::letters()));
  std::string text;
  for (int i = 0; i < 400'000; ++i) text += "abc 123 ";
  int n_questions = 0;
  Ids ids;
  CHECK(!encoder.encode(text, ids, [&] { return ++n_questions < 2; }));
  CHECK_EQ(n_questions, 2);
  CHECK(ids.size() > 0 && ids.size() < text.size());
}

TEST(short_text_asks_nothing) {
  Ids ids;
  CHECK(make({}).encode("abc", ids, [] { return false; }));
  CHECK_EQ(ids.size(), std::size_t{3});
}

TEST(a_batch_is_given_up_when_asked) {
  const Documents documents(10'000, "abc");
  for (std::size_t n_threads = 1; n_threads <= 4; ++n_threads) {
    int n_questions = 0;
    const auto rows = make({}).encode_batch(documents, n_threads, [&] {
      ++n_questions;
      return false;
    });
    // The other threads may have done all the work before this one had anything to ask.
    CHECK_EQ(n_questions, rows.complete ? 0 : 1);
    CHECK(!rows.complete || n_threads > 1);
    CHECK_EQ(rows.offsets.size(), documents.size() + 1);
  }
}

TEST(a_batch_can_be_given_up_while_other_threads_finish) {
  const auto encoder = make({}, plain_bytes(), Splitter(tables::letters()));
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "abc 123 ";
  const Documents documents = {"short", text};
  int n_questions = 0;
  const auto rows = encoder.encode_batch(documents, 2, [&] { return ++n_questions < 3; });
  CHECK_EQ(rows.complete, n_questions < 3);
  CHECK(n_questions <= 3);
}

TEST(parts_that_do_not_fit_together_are_refused) {
  const Ids one = {1};
  const Ids none;
  const auto build = [](const Ids& left, const Ids& right, const Ids& joined, const Ids& rank,
                        FirstSymbols first) {
    return Encoder(Splitter(), std::move(first), {left, right, joined, rank}, {});
  };
  build(one, one, one, one, plain_bytes());
  CHECK_THROWS(std::invalid_argument, build(one, none, one, one, plain_bytes()));
  CHECK_THROWS(std::invalid_argument, build(one, one, none, one, plain_bytes()));
  CHECK_THROWS(std::invalid_argument, build(one, one, one, none, plain_bytes()));
  CHECK_THROWS(std::invalid_argument, build(one, one, one, one, FirstSymbols{}));
  CHECK_THROWS(std::invalid_argument, build(one, one, one, {kLargest}, plain_bytes()));
  auto too_few = plain_bytes();
  too_few.byte_ids.pop_back();
  CHECK_THROWS(std::invalid_argument, build(one, one, one, one, too_few));
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
