// split_test.cpp: cuts against naive matchers, UTF-8 against a list of all characters.
#include "bytepair/split.hpp"

#include <array>
#include <optional>
#include <stdexcept>
#include <unordered_set>

#include "bytepair/utf8.hpp"
#include "check.hpp"
#include "tables.hpp"

using bytepair::DeadEnds;
using bytepair::PatternTables;
using bytepair::read_utf8;
using bytepair::Splitter;
using bytepair::Utf8;
using tables::Random;

using Ends = std::vector<std::size_t>;

namespace {

struct Case {
  Splitter splitter;
  tables::Match match;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {Splitter(tables::letters()), tables::match_letters},
      {Splitter(tables::words()), tables::match_words},
      {Splitter(tables::back_off()), tables::match_back_off},
      {Splitter(tables::far()), tables::match_far},
      {Splitter(tables::scripts()), tables::match_scripts},
  };
  return all;
}

Ends cuts(const Splitter& splitter, std::string_view text) {
  Ends ends;
  DeadEnds dead_ends;
  for (std::size_t at = 0; at < text.size(); ends.push_back(at)) {
    at = splitter.next(text, at, true, dead_ends);
  }
  return ends;
}

/// The end of the first pre-token from `start` on.
std::size_t next(const Splitter& splitter, std::string_view text, std::size_t start, bool is_last) {
  DeadEnds dead_ends;
  return splitter.next(text, start, is_last, dead_ends);
}

/// The cuts of a text that arrives in parts of random size.
Ends cuts_in_parts(const Splitter& splitter, std::string_view text, Random& random) {
  Ends ends;
  DeadEnds dead_ends;
  std::size_t arrived = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    arrived = std::min<std::size_t>(text.size(), arrived + random() % 6);
    const bool is_last = arrived == text.size();
    while (at < arrived) {
      const auto end = splitter.next(text.substr(0, arrived), at, is_last, dead_ends);
      if (end == Splitter::kOpen) break;
      ends.push_back(at = end);
    }
  }
  return ends;
}

/// What `read_utf8` must answer, by looking the bytes up among all characters.
struct NaiveUtf8 {
  std::unordered_set<std::string> begun;  // what more bytes may complete to a character

  NaiveUtf8() {
    for (const auto& [bytes, code] : tables::code_by_character()) {
      for (std::size_t n = 1; n < bytes.size(); ++n) begun.insert(bytes.substr(0, n));
    }
  }

  [[nodiscard]] std::pair<std::size_t, std::uint32_t> read(const std::string& bytes) const {
    const auto& codes = tables::code_by_character();
    for (std::size_t n = 1; n <= bytes.size(); ++n) {
      const auto found = codes.find(bytes.substr(0, n));
      if (found != codes.end()) return {n, found->second};
    }
    return {begun.contains(bytes) ? 0 : 1, Utf8::kInvalid};
  }
};

std::pair<std::size_t, std::uint32_t> read(const std::string& bytes) {
  // A copy of exactly this size: the sanitizer sees a read beyond the end.
  const std::vector<unsigned char> exact(bytes.begin(), bytes.end());
  const auto [size, code] = read_utf8(exact.data(), exact.data() + exact.size());
  return {size, code};
}

bool is_rejected(PatternTables tables) {
  try {
    const Splitter splitter(std::move(tables));
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

}  // namespace

TEST(utf8_reads_every_sequence_near_the_borders_as_the_list_of_all_characters_says) {
  const NaiveUtf8 naive;
  constexpr std::array kSeconds = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF};
  constexpr std::array kOthers = {0x00, 0x7F, 0x80, 0xBF, 0xC0, 0xFF};
  const auto check = [&](const std::string& bytes) { CHECK_EQ(read(bytes), naive.read(bytes)); };
  for (int first = 0; first < 256; ++first) {
    const std::string one{static_cast<char>(first)};
    check(one);
    for (const int second : kSeconds) {
      const std::string two = one + static_cast<char>(second);
      check(two);
      for (const int third : kOthers) {
        const std::string three = two + static_cast<char>(third);
        check(three);
        for (const int fourth : kOthers) check(three + static_cast<char>(fourth));
      }
    }
  }
}

TEST(utf8_reads_every_character) {
  for (const auto& [bytes, code] : tables::code_by_character()) {
    const auto found = read(bytes);
    if (found.first != bytes.size() || found.second != code) CHECK_EQ(found.second, code);
  }
}

TEST(examples_worked_by_hand) {
  CHECK_EQ(cuts(Splitter(tables::letters()), "ab12cd"), (Ends{2, 4, 6}));
  CHECK_EQ(cuts(Splitter(tables::words()), "ab  cd\n 1"), (Ends{2, 3, 6, 7, 8, 9}));
  CHECK_EQ(cuts(Splitter(tables::back_off()), "aabbxba"), (Ends{1, 3, 6, 7}));
  CHECK_EQ(cuts(Splitter(tables::scripts()), "x\xD0\xB0\xD0\xB1\xF0\x9F\x98\x80"), (Ends{1, 5, 9}));
}

TEST(without_a_pattern_a_document_is_one_pre_token) {
  const Splitter splitter;
  CHECK_EQ(cuts(splitter, "ab 12\n"), (Ends{6}));
  CHECK_EQ(cuts(splitter, ""), Ends{});
  CHECK_EQ(next(splitter, "ab", 0, false), Splitter::kOpen);
}

TEST(a_moved_and_a_copied_splitter_cut_alike) {
  Splitter original(tables::letters());
  const Splitter copy = original;
  const Splitter moved = std::move(original);
  CHECK_EQ(cuts(copy, "ab12cd"), cuts(moved, "ab12cd"));
}

TEST(any_bytes_are_cut_as_the_naive_matcher_cuts_them) {
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    const auto text = tables::random_text(random, random() % 20);
    for (const auto& [splitter, match] : cases()) {
      CHECK_EQ(cuts(splitter, text), tables::naive_cuts(match, text));
    }
  }
}

TEST(ends_ascend_and_cover_every_byte) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    std::string text(random() % 300, '\0');
    for (auto& byte : text) byte = static_cast<char>(random());
    for (const auto& [splitter, match] : cases()) {
      std::size_t at = 0;
      while (at < text.size()) {
        const auto end = next(splitter, text, at, true);
        CHECK(end > at && end <= text.size());
        if (end <= at) return;
        at = end;
      }
    }
  }
}

TEST(a_text_that_comes_in_parts_is_cut_like_the_whole) {
  Random random(3);
  for (int round = 0; round < 3000; ++round) {
    const auto text = tables::random_text(random, random() % 20);
    for (const auto& [splitter, match] : cases()) {
      CHECK_EQ(cuts_in_parts(splitter, text, random), cuts(splitter, text));
    }
  }
}

TEST(an_end_that_later_text_could_move_is_open) {
  const Splitter letters{tables::letters()};
  CHECK_EQ(next(letters, "ab", 0, false), Splitter::kOpen);
  CHECK_EQ(next(letters, "ab1", 0, false), std::size_t{2});
  CHECK_EQ(next(letters, "ab\xD0", 0, false), Splitter::kOpen);  // a character cut in two
  CHECK_EQ(next(letters, "ab\xD0", 0, true), std::size_t{2});    // a stray byte
  const Splitter words{tables::words()};
  CHECK_EQ(next(words, "  ", 0, false), Splitter::kOpen);
  CHECK_EQ(next(words, "  1", 0, false), std::size_t{1});
  CHECK_EQ(next(words, "11", 0, false), Splitter::kOpen);  // a gap ends where a match begins
}

TEST(a_position_in_the_middle_of_a_text_is_a_start_like_any_other) {
  const Splitter splitter{tables::letters()};
  CHECK_EQ(next(splitter, "abcd", 2, true), std::size_t{4});
  CHECK_EQ(next(splitter, "\xD0\xB0z", 1, true), std::size_t{2});
}

TEST(a_million_letters_are_one_pre_token) {
  const std::string text(1'000'000, 'a');
  CHECK_EQ(cuts(Splitter(tables::letters()), text), (Ends{1'000'000}));
  CHECK_EQ(cuts(Splitter(tables::words()), text), (Ends{1'000'000}));
}

/// Runs of a and b that are far longer than what is remembered between two looks ahead.
std::string long_runs(Random& random) {
  std::string text;
  for (int run = 0; run < 6; ++run) {
    text.append(random() % 200, 'a');
    text += std::array{"b", "x", "\xD0\xB0", "\xF0\x9F", "", "bb"}[random() % 6];
  }
  return text;
}

TEST(looking_far_and_giving_back_cuts_as_the_naive_matcher_does) {
  Random random(4);
  for (int round = 0; round < 500; ++round) {
    const auto text = long_runs(random);
    for (const auto& [splitter, match] : cases()) {
      CHECK_EQ(cuts(splitter, text), tables::naive_cuts(match, text));
      CHECK_EQ(cuts_in_parts(splitter, text, random), cuts(splitter, text));
    }
  }
}

TEST(a_million_looks_ahead_in_vain_are_a_million_pre_tokens) {
  // Half a million million steps if every look went to the end.
  const std::string text(1'000'000, 'a');
  const Splitter far{tables::far()};
  CHECK_EQ(cuts(far, text).size(), text.size());
  CHECK_EQ(cuts(far, text + "b"), (Ends{1'000'001}));
}

TEST(tables_that_do_not_fit_together_are_refused) {
  CHECK(is_rejected({}));
  const auto broken = [](auto damage) {
    auto tables = tables::letters();
    damage(tables);
    return is_rejected(std::move(tables));
  };
  CHECK(!broken([](PatternTables&) {}));
  CHECK(broken([](PatternTables& t) { t.pages.pop_back(); }));
  CHECK(broken([](PatternTables& t) { t.pages[7] = 0x1100; }));
  CHECK(broken([](PatternTables& t) { t.classes.pop_back(); }));
  CHECK(broken([](PatternTables& t) { t.classes[7] = 2; }));
  CHECK(broken([](PatternTables& t) { t.invalid_class = 2; }));
  CHECK(broken([](PatternTables& t) { t.transitions.pop_back(); }));
  CHECK(broken([](PatternTables& t) { t.transitions[4] = 4 << 1; }));  // no such state
  CHECK(broken([](PatternTables& t) { t.transitions.resize(3); }));    // no start
}

TEST(tables_that_go_on_after_the_end_of_the_text_are_refused) {
  auto tables = tables::letters();
  tables.transitions[2 * 3 + 2] = 2 << 1;
  CHECK(is_rejected(std::move(tables)));
}

TEST(more_classes_than_fit_a_byte_beside_the_end_of_the_text_are_refused) {
  // The end of the text is a class too: with 256 others it would be read as class 0.
  const auto no_class = [](std::uint32_t) { return 0; };
  CHECK(!is_rejected(tables::make(255, no_class, std::vector<std::uint16_t>(256 * 2))));
  CHECK(is_rejected(tables::make(256, no_class, std::vector<std::uint16_t>(257 * 2))));
}

int main() { return check::run_all(); }
