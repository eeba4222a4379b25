// encode_test.cpp: texts through all stages, against splitting and joining by hand.
#include "bytepair/encode.hpp"

#include <random>

#include "check.hpp"
#include "merges.hpp"
#include "tables.hpp"

using namespace merges;
using bytepair::AddedToken;
using bytepair::AddedTokens;
using bytepair::Cutter;
using bytepair::Encoder;
using bytepair::ForbiddenToken;
using bytepair::Normalizer;
using bytepair::SpecialMatcher;
using bytepair::SplitChain;
using bytepair::Splitter;
using bytepair::Symbol;
using bytepair::UnknownCharacter;

namespace {

constexpr std::size_t kCacheBytes = std::size_t{1} << 20;

Encoder make(const Merges& merges, SplitChain chain = {}, Encoder::Edit edit = {},
             std::vector<Normalizer::Step> steps = {}) {
  return Encoder(Normalizer(std::move(steps)), std::move(edit), std::move(chain), words_of(merges),
                 kCacheBytes);
}

Ids encode(const Encoder& encoder, std::string_view text, const Cutter& cutter = Cutter()) {
  Encoder::Run run(encoder);
  run.encode(text, cutter);
  Encoder::Run counted(encoder, 0, false);
  counted.encode(text, cutter);
  CHECK_EQ(counted.n_ids(), run.n_ids());
  const auto ids = run.ids.ids();
  return {ids.begin(), ids.end()};
}

Cutter cutter_of(std::vector<AddedToken> original, std::vector<AddedToken> normalized = {},
                 std::vector<std::string> forbidden = {}) {
  return {AddedTokens(std::move(original), {}), AddedTokens(std::move(normalized), {}),
          SpecialMatcher(std::move(forbidden))};
}

AddedToken added(std::string content, TokenId id) { return {std::move(content), id}; }

/// Words of letters and spaces, joined one by one.
Ids naive(const Merges& merges, std::string_view text) {
  Ids ids;
  std::size_t start = 0;
  for (const auto end : tables::naive_cuts(tables::match_letters, text)) {
    const auto word = naive_join(bytes_of(text.substr(start, end - start)), merges);
    ids.insert(ids.end(), word.begin(), word.end());
    start = end;
  }
  return ids;
}

/// "e" and an accent become one character.
Normalizer::Form acute() {
  const std::vector<std::uint32_t> codes = {0x301};
  const std::vector<std::uint8_t> values = {bytepair::QuickCheck::kMayChange};
  return {bytepair::QuickCheck(codes, values), [](std::string_view window) {
            std::string text(window);
            for (std::size_t at = 0; (at = text.find("e\xCC\x81")) != text.npos;) {
              text = text.substr(0, at) + "\xC3\xA9" + text.substr(at + 3);
            }
            return text;
          }};
}

}  // namespace

TEST(merges_do_not_cross_pre_tokens) {
  const Merges merges = {{'a', 'b', 256, 0}, {'b', ' ', 257, 1}};
  const auto encoder = make(merges, Splitter(tables::letters()));
  CHECK_EQ(encode(encoder, "ab ab"), (Ids{256, ' ', 256}));
  CHECK_EQ(encode(encoder, ""), Ids{});
}

TEST(texts_equal_splitting_and_joining_by_hand) {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    const auto merges = random_merges(random, round % 2 == 0);
    const auto encoder = make(merges, Splitter(tables::letters()));
    std::string all;
    for (int i = 0; i < 30; ++i) {
      const auto text = random_letters(random, random() % 40) + tables::random_text(random, 8);
      // Twice: the second time its words are known.
      for (int again = 0; again < 2; ++again) CHECK_EQ(encode(encoder, text), naive(merges, text));
      all += text;
    }
    CHECK_EQ(encode(encoder, all), naive(merges, all));
  }
}

TEST(one_pre_token_is_cut_only_where_nothing_joins) {
  std::mt19937 random(2);
  for (int round = 0; round < 20; ++round) {
    const auto merges = random_merges(random, round % 2 == 0);
    const auto encoder = make(merges);
    for (const std::size_t size : {10, 30, 100, 1000}) {
      std::string text;
      while (text.size() < size) {
        text += random_letters(random, 1 + random() % 20);
        text += random() % 2 == 0 ? " " : "\xE4\xB8\xAD";
      }
      CHECK_EQ(encode(encoder, text), naive_join(bytes_of(text), merges));
    }
  }
}

TEST(words_that_wait_may_be_the_same) {
  std::mt19937 random(3);
  const auto merges = random_merges(random, false);
  std::vector<std::string> words;
  for (const std::size_t size : {1, 2, 5, 15, 16, 40}) {
    words.push_back(random_letters(random, size));
  }
  std::string text;
  for (int i = 0; i < 3000; ++i) text += words[random() % words.size()] + " ";
  CHECK_EQ(encode(make(merges, Splitter(tables::letters())), text), naive(merges, text));
}

TEST(a_word_that_waits_is_not_a_piece_of_the_same_bytes) {
  TokenList tokens;
  for (unsigned byte = 0; byte < 256; ++byte) {
    tokens.add(byte, std::string(1, static_cast<char>(byte)));
  }
  tokens.add(256, "ab");
  tokens.add(257, "ab");  // counts for whole pre-tokens
  const Merges merges = {{'a', 'b', 256, 0}};
  const Encoder encoder(Normalizer(), {}, Splitter(tables::letters()),
                        Words(tokens.view(), Columns(merges).view(), {}, true), kCacheBytes);
  std::string text = "ab ";
  Ids ids = {257, ' '};
  for (int i = 0; i < 40; ++i) text += "ab";  // long enough to be cut where nothing joins
  ids.insert(ids.end(), 40, 256);
  ids.insert(ids.end(), {' ', 257});
  CHECK_EQ(encode(encoder, text + " ab"), ids);
}

TEST(whole_tokens_count_whether_the_cache_begins_with_them_or_not) {
  std::mt19937 random(4);
  const auto merges = random_merges(random, false);
  TokenList tokens;
  for (unsigned byte = 0; byte < 256; ++byte) {
    tokens.add(byte, std::string(1, static_cast<char>(byte)));
  }
  const std::string longer = "cccccccccccccccccccc";
  for (Symbol id = 300; id < 330; ++id) tokens.add(id, random_letters(random, 4 + id % 5));
  tokens.add(330, longer);
  const Encoder encoder(Normalizer(), {}, Splitter(tables::letters()),
                        Words(tokens.view(), Columns(merges).view(), {}, true), kCacheBytes);
  const auto id_by_content = [&](std::string_view word) -> const TokenId* {
    return encoder.words().whole().find(word);
  };
  std::string text;
  Ids ids;
  for (int i = 0; i < 3000; ++i) {
    const auto word = i % 20 == 0 ? longer : random_letters(random, 1 + random() % 8);
    const auto* whole = id_by_content(word);
    const auto joined = whole != nullptr ? Ids{*whole} : naive_join(bytes_of(word), merges);
    ids.insert(ids.end(), joined.begin(), joined.end());
    ids.push_back(' ');
    text += word + " ";
  }
  for (const std::size_t expected_bytes : {std::size_t{0}, kCacheBytes}) {
    Encoder::Run run(encoder, expected_bytes);
    run.encode(text, Cutter());
    CHECK(std::ranges::equal(run.ids.ids(), ids));
  }
}

TEST(huge_words_are_encoded_and_counted) {
  const auto encoder = make({{'a', 'a', 256, 0}});
  CHECK_EQ(encode(encoder, std::string(200'001, 'a')).size(), std::size_t{100'001});
}

TEST(added_tokens_cut_the_text) {
  const auto encoder = make({{'a', 'b', 256, 0}});
  const auto cutter = cutter_of({added("<x>", 900), added("ba", 901)});
  CHECK_EQ(encode(encoder, "ab<x>abab", cutter), (Ids{256, 900, 'a', 901, 'b'}));
  CHECK_EQ(encode(encoder, "<x>", cutter), Ids{900});
  CHECK_EQ(encode(encoder, "<x><x>", cutter), (Ids{900, 900}));
}

TEST(white_space_that_one_token_takes_may_hold_another) {
  auto first = added("x", 900);
  first.rstrip = true;
  const auto cutter = cutter_of({first, added(" y", 901)});
  CHECK_EQ(encode(make({}), "x yz", cutter), (Ids{900, 901, 'z'}));
}

TEST(a_forbidden_token_throws_where_and_which) {
  const auto cutter = cutter_of({}, {}, {"<x>"});
  try {
    encode(make({}), "ab<x>", cutter);
    CHECK(false);
  } catch (const ForbiddenToken& error) {
    CHECK_EQ(error.at, std::size_t{2});
    CHECK_EQ(error.content, std::string("<x>"));
  }
}

TEST(text_is_normalised_between_tokens_and_tokens_are_found_in_it) {
  const auto encoder = make({{'a', 'b', 256, 0}}, {}, {},
                            {Normalizer::Replace{"x", "ab"}, Normalizer::Prepend{"_"}});
  const auto cutter = cutter_of({added("x<", 900)}, {added("b_", 901), added("ba", 902)});
  CHECK_EQ(encode(encoder, "xx"), (Ids{'_', 256, 256}));
  CHECK_EQ(encode(encoder, "xx", cutter), (Ids{'_', 'a', 902, 'b'}));
  CHECK_EQ(encode(encoder, "xx<x", cutter), (Ids{'_', 256, 900, '_', 256}));
}

TEST(a_pre_tokeniser_replaces_spaces_and_puts_a_prefix_before_stretches) {
  const auto cutter = cutter_of({added("<x>", 900)});
  const auto always = make({}, {}, {"_", "_", false});
  CHECK_EQ(encode(always, "a b<x>c", cutter), (Ids{'_', 'a', '_', 'b', 900, '_', 'c'}));
  CHECK_EQ(encode(always, " a"), (Ids{'_', 'a'}));
  CHECK_EQ(encode(always, "<x>", cutter), Ids{900});
  const auto first = make({}, {}, {"_", "_", true});
  CHECK_EQ(encode(first, "a<x>c", cutter), (Ids{'_', 'a', 900, 'c'}));
  CHECK_EQ(encode(first, "<x>c", cutter), (Ids{900, 'c'}));
}

TEST(pieces_that_are_removed_give_no_ids) {
  const auto encoder = make({}, SplitChain({{Splitter(tables::letters()),
                                             bytepair::Behavior::kRemoved, false}}));
  CHECK_EQ(encode(encoder, "ab cd"), Ids{});
}

TEST(parts_of_a_text_give_the_ids_of_the_whole) {
  std::mt19937 random(3);
  const auto merges = random_merges(random, false);
  const auto encoder = make(merges, Splitter(tables::words()));
  for (int round = 0; round < 50; ++round) {
    const auto text = random_letters(random, random() % 40) + tables::random_text(random, 30);
    Ids ids;
    std::size_t start = 0;
    for (std::size_t end = 0; end <= text.size(); end += 1 + random() % 5) {
      Encoder::Run run(encoder);
      start += run.encode_part(std::string_view(text).substr(start, end - start), false, start == 0);
      ids.insert(ids.end(), run.ids.ids().begin(), run.ids.ids().end());
    }
    Encoder::Run run(encoder);
    CHECK_EQ(run.encode_part(std::string_view(text).substr(start), true, false), text.size() - start);
    ids.insert(ids.end(), run.ids.ids().begin(), run.ids.ids().end());
    CHECK_EQ(ids, encode(encoder, text));
  }
}

TEST(where_text_is_changed_a_part_waits_for_the_end) {
  const auto encoder = make({}, {}, {}, {Normalizer::Prepend{"_"}});
  Encoder::Run run(encoder);
  CHECK_EQ(run.encode_part("ab", false, true), std::size_t{0});
  CHECK_EQ(run.n_ids(), std::size_t{0});
  CHECK_EQ(run.encode_part("ab", true, true), std::size_t{2});
  CHECK_EQ(run.n_ids(), std::size_t{3});
}

TEST(an_observer_sees_pre_tokens_and_added_tokens) {
  struct Seen : Encoder::Run::Observer {
    std::vector<std::string> parts;
    void pre_token(std::string_view text) override { parts.emplace_back(text); }
    void added_token(std::string_view text, TokenId id) override {
      parts.push_back(std::string(text) + "=" + std::to_string(id));
    }
  };
  const auto encoder = make({}, Splitter(tables::letters()));
  Seen seen;
  Encoder::Run(encoder).show("ab, c<x>d", cutter_of({added("<x>", 9)}), seen);
  CHECK_EQ(seen.parts, (std::vector<std::string>{"ab", ", ", "c", "<x>=9", "d"}));
}

TEST(long_texts_pause_now_and_then) {
  const auto encoder = make({}, Splitter(tables::letters()));
  std::string text;
  for (int i = 0; i < 400'000; ++i) text += "abc 123 ";
  int n_pauses = 0;
  Encoder::Run run(encoder);
  run.pause = [&] { ++n_pauses; };
  run.encode(text, Cutter());
  CHECK_EQ(n_pauses, 3);
}

TEST(a_text_divided_at_a_border_has_the_ids_of_the_whole) {
  std::mt19937 random(11);
  const std::vector<std::string> parts = {"a", "b", "e", " ", " ", "\n", "\xCC\x81", "\xC3\xA9", "<x>",
                                          "<y> ", "<z", ">", "\xE3\x80\x80", "\xFF", "ab e"};
  const AddedToken open{"<x>", 1000, true, true, false};
  const AddedToken word{"ab e", 1001, false, false, true};
  const auto with_tokens = cutter_of({open}, {word, added("<y> ", 1002)}, {"<z>"});
  std::size_t n_borders = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<Normalizer::Step> steps;
    if (round % 2 == 1) steps.emplace_back(acute());
    const auto encoder = make(random_merges(random, false), Splitter(tables::words()), {}, steps);
    const Cutter cutter = round % 3 == 0 ? Cutter() : with_tokens;
    std::string text;
    for (std::size_t n = random() % 30; n > 0; --n) text += parts[random() % parts.size()];
    if (cutter.forbidden.find(text, 0, text.size()).size > 0) continue;
    const auto border = encoder.border(text, random() % (text.size() + 1), cutter);
    if (border == Encoder::kNone) continue;
    ++n_borders;
    auto ids = encode(encoder, text.substr(0, border), cutter);
    const auto rest = encode(encoder, text.substr(border), cutter);
    ids.insert(ids.end(), rest.begin(), rest.end());
    CHECK_EQ(ids, encode(encoder, text, cutter));
  }
  CHECK(n_borders > 500);
}

TEST(nothing_of_a_text_that_failed_is_in_the_next_one) {
  TokenList tokens;
  for (const char c : std::string("a ")) tokens.add(static_cast<Symbol>(c), std::string(1, c));
  const Encoder encoder(Normalizer(), {}, Splitter(tables::letters()),
                        Words(tokens.view(), Columns({}).view(), {}, false), kCacheBytes);
  Encoder::Run run(encoder);
  CHECK_THROWS(UnknownCharacter, run.encode("aa a b a", Cutter()));
  const std::size_t before = run.n_ids();
  run.encode("a a", Cutter());
  CHECK_EQ(Ids(run.ids.data() + before, run.ids.data() + run.n_ids()), (Ids{'a', ' ', 'a'}));
}

TEST(borders_worked_by_hand) {
  const auto encoder = make({}, Splitter(tables::words()));
  const auto border = [&](std::string_view text, const Cutter& cutter) {
    return encoder.border(text, 0, cutter);
  };
  CHECK_EQ(border("ab cd", Cutter()), std::size_t{2});
  CHECK_EQ(border("ab cd ef gh", cutter_of({added("b c", 1000)})), std::size_t{8});
  CHECK_EQ(border("ab cd ef gh", cutter_of({}, {}, {"b c"})), std::size_t{8});
  CHECK_EQ(border("ab cd", cutter_of({added(" cd", 1000)})), Encoder::kNone);
  CHECK_EQ(border("ab cd", cutter_of({added("ab", 1000)})), Encoder::kNone);
  const auto changed = make({}, Splitter(tables::words()), {"_", "", false});
  CHECK_EQ(changed.border("ab cd", 0, Cutter()), Encoder::kNone);
  const auto replaced = make({}, Splitter(tables::words()), {}, {Normalizer::Replace{"b ", "b"}});
  CHECK_EQ(replaced.border("ab cd", 0, Cutter()), Encoder::kNone);
}

TEST(text_is_not_divided_where_other_than_ascii_may_hide_a_token) {
  const auto encoder = make({}, Splitter(tables::words()), {}, {acute()});
  const auto cutter = cutter_of({}, {added("xyz", 1000)});
  CHECK_EQ(encoder.border("ab cd", 0, cutter), std::size_t{2});
  CHECK_EQ(encoder.border("a\xC3\xA9 cd", 0, cutter), Encoder::kNone);
  CHECK_EQ(encoder.border("ab \xC3\xA9 cd", 0, cutter), Encoder::kNone);
  CHECK_EQ(encoder.border("a\xC3\xA9 cd", 0, Cutter()), std::size_t{1});  // no letter there
}

int main() { return check::run_all(); }
