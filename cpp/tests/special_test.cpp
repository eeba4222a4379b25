// special_test.cpp: the leftmost special token, the longest where several start.
#include "bytepair/special.hpp"

#include <random>
#include <stdexcept>

#include "check.hpp"

using bytepair::SpecialMatcher;

namespace {

using Place = std::pair<std::size_t, std::size_t>;  // start, size

Place find(const SpecialMatcher& matcher, std::string_view text, std::size_t from, std::size_t to) {
  const auto found = matcher.find(text, from, to);
  return {found.start, found.size};
}

Place find(const SpecialMatcher& matcher, std::string_view text) {
  return find(matcher, text, 0, text.size());
}

/// Tries every token at every position.
Place naive_find(const std::vector<std::string>& tokens, std::string_view text, std::size_t from,
                 std::size_t to) {
  for (std::size_t at = from; at < to; ++at) {
    std::size_t longest = 0;
    for (const auto& token : tokens) {
      if (text.substr(at).starts_with(token)) longest = std::max(longest, token.size());
    }
    if (longest > 0) return {at, longest};
  }
  return {text.size(), 0};
}

std::string random_letters(std::mt19937& random, std::size_t size) {
  std::string text(size, '\0');
  for (auto& letter : text) letter = "abc"[random() % 3];
  return text;
}

}  // namespace

TEST(the_leftmost_token_wins_also_over_a_longer_one) {
  const SpecialMatcher matcher({"bcd", "ab"});
  CHECK_EQ(find(matcher, "xabcd"), (Place{1, 2}));
}

TEST(the_longest_of_several_that_start_at_one_place_wins) {
  const SpecialMatcher matcher({"<|a|>", "<|a|><|b|>", "<|a"});
  CHECK_EQ(find(matcher, "x<|a|><|b|>y"), (Place{1, 10}));
  CHECK_EQ(find(matcher, "x<|a|><|b"), (Place{1, 5}));
  CHECK_EQ(find(matcher, "x<|a|"), (Place{1, 3}));
}

TEST(nothing_is_found_where_nothing_is) {
  CHECK_EQ(find(SpecialMatcher({"ab"}), "aacb"), (Place{4, 0}));
  CHECK_EQ(find(SpecialMatcher({"ab"}), ""), (Place{0, 0}));
  CHECK_EQ(find(SpecialMatcher(), "ab"), (Place{2, 0}));
  CHECK_EQ(find(SpecialMatcher({"ab"}), "a"), (Place{1, 0}));  // must not read beyond the end
}

TEST(a_match_must_start_in_the_range_but_may_end_beyond_it) {
  const SpecialMatcher matcher({"abc"});
  CHECK_EQ(find(matcher, "abcabc", 1, 4), (Place{3, 3}));
  CHECK_EQ(find(matcher, "abcabc", 1, 3), (Place{6, 0}));
  CHECK_EQ(find(matcher, "abc", 0, 99), (Place{0, 3}));
}

TEST(tokens_are_bytes_and_any_byte_may_be_in_them) {
  const std::string token{'\0', '\xFF'};
  CHECK_EQ(find(SpecialMatcher({token}), std::string("\xFF\0\xFF", 3)), (Place{1, 2}));
}

TEST(longest_is_the_length_of_the_longest_token) {
  CHECK_EQ(SpecialMatcher().longest(), std::size_t{0});
  CHECK_EQ(SpecialMatcher({"abc", "a", "xy"}).longest(), std::size_t{3});
}

TEST(an_empty_token_is_refused) { CHECK_THROWS(std::invalid_argument, SpecialMatcher({"a", ""})); }

TEST(random_tokens_are_found_as_by_trying_each_at_each_position) {
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::string> tokens;
    for (auto n = random() % 5; n > 0; --n)
      tokens.push_back(random_letters(random, 1 + random() % 4));
    const SpecialMatcher matcher(tokens);
    const auto text = random_letters(random, random() % 12);
    const std::size_t from = random() % (text.size() + 1);
    const std::size_t to = from + random() % (text.size() - from + 1);
    CHECK_EQ(find(matcher, text, from, to), naive_find(tokens, text, from, to));
  }
}


TEST(every_token_of_many_is_found_and_the_first_of_equal_ones_counts) {
  std::vector<std::string> tokens;
  for (int i = 0; i < 5'000; ++i) tokens.push_back(std::string("<").append(std::to_string(i)).append(">"));
  tokens.emplace_back("<7>");
  const SpecialMatcher matcher(tokens);
  for (std::size_t i = 0; i < 5'000; i += 37) {
    const auto found = matcher.find("a <x " + tokens[i] + "0>", 0, 99);
    CHECK_EQ(found.start, std::size_t{5});
    CHECK_EQ(found.number, i);
  }
}

TEST(what_is_begun_at_the_end_of_a_text_is_known) {
  const SpecialMatcher matcher({"<|a|>", "<|ab", "x"});
  CHECK_EQ(matcher.begun("..<|"), std::size_t{2});
  CHECK_EQ(matcher.begun("..<|a"), std::size_t{2});
  CHECK_EQ(matcher.begun("..<|a|>"), std::size_t{7});
  CHECK_EQ(matcher.begun("..<<"), std::size_t{3});
  CHECK_EQ(matcher.begun("x"), std::size_t{1});
  CHECK_EQ(matcher.begun(""), std::size_t{0});
}

namespace {

std::vector<std::array<std::size_t, 3>> all(const bytepair::AddedTokens& tokens,
                                            std::string_view text) {
  std::vector<std::array<std::size_t, 3>> places;
  bytepair::AddedTokens::Cursor cursor;
  for (bytepair::AddedTokens::Found found; tokens.next(text, cursor, found);) {
    places.push_back({found.start, found.end, found.id});
  }
  return places;
}

using Places = std::vector<std::array<std::size_t, 3>>;

}  // namespace

TEST(flags_take_white_space_and_stand_off_words) {
  const bytepair::AddedTokens tokens({{"<l>", 1, true, false, false},
                                      {"<r>", 2, false, true, false},
                                      {"w", 3, false, false, true}},
                                     {{'a', 'z'}});
  CHECK_EQ(all(tokens, "a \u3000<l> b"), (Places{{1, 8, 1}}));
  CHECK_EQ(all(tokens, "a <r> \n\u00a0b"), (Places{{2, 9, 2}}));
  CHECK_EQ(all(tokens, "<r>  <l>"), (Places{{0, 5, 2}, {5, 8, 1}}));
  CHECK_EQ(all(tokens, "w aw wa w"), (Places{{0, 1, 3}, {8, 9, 3}}));
  CHECK_EQ(all(bytepair::AddedTokens(), "w"), Places{});
}

TEST(a_token_that_may_grow_is_not_certain) {
  const bytepair::AddedTokens tokens({{"<r>", 2, false, true, false}, {"<l>", 1, true, false, false}},
                                     {});
  CHECK_EQ(tokens.certain("ab <r>"), std::size_t{2});
  CHECK_EQ(tokens.certain("ab <r> x"), std::size_t{8});
  CHECK_EQ(tokens.certain("ab  "), std::size_t{2});
  CHECK_EQ(tokens.certain("ab\xe3\x80"), std::size_t{2});
}

TEST(a_token_may_begin_within_a_space_that_another_may_take) {
  const bytepair::AddedTokens tokens({{"<l>", 1, true, false, false}, {"\x80yz", 2}}, {});
  CHECK_EQ(tokens.certain("ab\u3000"), std::size_t{2});
  CHECK_EQ(all(tokens, "ab\u3000<l>"), (Places{{2, 8, 1}}));
  CHECK_EQ(all(tokens, "ab\u3000yz"), (Places{{4, 7, 2}}));
}

int main() { return check::run_all(); }
