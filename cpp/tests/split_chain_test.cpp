// split_chain_test.cpp: splits one inside the other against the same made step by step, by hand.
#include <array>

#include "bytepair/split.hpp"
#include "check.hpp"
#include "scan.hpp"
#include "tables.hpp"

using bytepair::Behavior;
using bytepair::PatternTables;
using bytepair::scan_kernels;
using bytepair::SplitChain;
using bytepair::Splitter;
using tables::Random;

namespace {

using Piece = std::pair<std::size_t, std::size_t>;  // start and end
using Pieces = std::vector<Piece>;

/// A step as tables, and as a matcher that knows nothing of them.
struct Rule {
  PatternTables tables;
  tables::Match match;
  Behavior behavior = Behavior::kIsolated;
  bool invert = false;
};
using Rules = std::vector<Rule>;

constexpr std::array kBehaviors = {Behavior::kIsolated, Behavior::kRemoved,
                                   Behavior::kMergedWithPrevious, Behavior::kMergedWithNext,
                                   Behavior::kContiguous};

/// The patterns; made once, which takes a moment.
struct Patterns {
  Rule letters{tables::letters(), tables::match_letters};
  Rule words{tables::words(), tables::match_words};
  Rule back_off{tables::back_off(), tables::match_back_off};
  Rule far{tables::far(), tables::match_far};
  Rule scripts{tables::scripts(), tables::match_scripts};
};

const Patterns& patterns() {
  static const Patterns all;
  return all;
}

const Rule& random_pattern(Random& random) {
  const auto& all = patterns();
  const std::array<const Rule*, 5> each = {&all.letters, &all.words, &all.back_off, &all.far,
                                           &all.scripts};
  return *each[random() % each.size()];
}

Rules random_rules(Random& random, bool isolated) {
  Rules rules;
  for (auto n = 1 + random() % 3; n > 0; --n) {
    rules.push_back(random_pattern(random));
    if (isolated) continue;
    rules.back().behavior = kBehaviors[random() % kBehaviors.size()];
    rules.back().invert = random() % 4 == 0;
  }
  return rules;
}

SplitChain chain_of(const Rules& rules, bytepair::ScanKernel kernel) {
  std::vector<SplitChain::Step> steps;
  for (const auto& rule : rules) {
    steps.push_back({Splitter(rule.tables, kernel), rule.behavior, rule.invert});
  }
  return SplitChain(std::move(steps));
}

/// One chain that uses no kernel, and one for each kernel there is.
std::vector<SplitChain> chains_of(const Rules& rules) {
  std::vector<SplitChain> chains = {chain_of(rules, nullptr)};
  for (const auto kernel : scan_kernels()) chains.push_back(chain_of(rules, kernel));
  return chains;
}

/// What one rule makes of a text, as `tokenizers` documents its behaviours.
Pieces split_by(const Rule& rule, std::string_view text) {
  struct Element {
    Piece piece;
    bool is_match;
  };
  std::vector<Element> elements;
  std::size_t start = 0;
  for (const auto end : tables::naive_cuts(rule.match, text)) {
    const auto matches = rule.match(tables::characters(text.substr(start)), 0) > 0;
    elements.push_back({{start, end}, matches != rule.invert});
    start = end;
  }
  Pieces pieces;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    auto piece = elements[i].piece;
    const bool is_match = elements[i].is_match;
    const auto next_is = [&](bool match) {
      return i + 1 < elements.size() && elements[i + 1].is_match == match;
    };
    const auto take_next = [&] { piece.second = elements[++i].piece.second; };
    if (rule.behavior == Behavior::kRemoved && is_match) continue;
    if (rule.behavior == Behavior::kMergedWithPrevious && !is_match && next_is(true)) take_next();
    if (rule.behavior == Behavior::kMergedWithNext && is_match && next_is(false)) take_next();
    while (rule.behavior == Behavior::kContiguous && next_is(is_match)) take_next();
    pieces.push_back(piece);
  }
  return pieces;
}

Pieces split_by_hand(const Rules& rules, std::string_view text) {
  Pieces pieces = {{0, text.size()}};
  if (text.empty()) pieces.clear();
  for (const auto& rule : rules) {
    Pieces smaller;
    for (const auto& [start, end] : pieces) {
      for (const auto& [from, to] : split_by(rule, text.substr(start, end - start))) {
        smaller.emplace_back(start + from, start + to);
      }
    }
    pieces = std::move(smaller);
  }
  return pieces;
}

/// The pieces of a text that arrives in parts of up to `part` bytes.
Pieces pieces_of(const SplitChain& chain, std::string_view text, Random& random,
                 std::size_t part) {
  Pieces pieces;
  std::vector<std::size_t> batch(Splitter::kLeastBatch + random() % 100);
  SplitChain::Progress progress;
  std::size_t arrived = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    arrived = std::min<std::size_t>(text.size(), arrived + 1 + random() % part);
    const bool is_last = arrived == text.size();
    while (at < arrived) {
      const auto n = chain.cut(text.substr(0, arrived), at, is_last, progress, batch);
      CHECK(n > 0 || !is_last);
      if (n == 0) break;
      for (const auto marked : std::span(batch).first(n)) {
        const auto end = marked & ~SplitChain::kRemoved;
        CHECK(end > at && end <= arrived);
        if (end == marked) pieces.emplace_back(at, end);
        at = end;
      }
    }
  }
  return pieces;
}

Pieces pieces_of(const SplitChain& chain, std::string_view text) {
  Random random(0);
  return pieces_of(chain, text, random, text.size() + 1);
}

std::string random_text(Random& random) {
  auto text = tables::random_text(random, random() % (random() % 4 == 0 ? 300 : 30));
  if (random() % 8 == 0) text.insert(random() % (text.size() + 1), std::string(200, 'a'));
  return text;
}

}  // namespace

TEST(examples_worked_by_hand) {
  const auto& letters = patterns().letters;
  auto words = patterns().words;
  words.behavior = Behavior::kRemoved;
  CHECK_EQ(pieces_of(chain_of({letters}, nullptr), "ab 1"), (Pieces{{0, 2}, {2, 4}}));
  CHECK_EQ(pieces_of(chain_of({words}, nullptr), "ab 1.cd"), (Pieces{{3, 5}}));
  for (const auto& chain : chains_of({letters, patterns().back_off})) {
    CHECK_EQ(pieces_of(chain, "abb1"), (Pieces{{0, 2}, {2, 3}, {3, 4}}));
  }
}

TEST(without_steps_or_patterns_a_text_is_one_piece) {
  CHECK_EQ(pieces_of(SplitChain(), "a b\n"), (Pieces{{0, 4}}));
  CHECK_EQ(pieces_of(SplitChain(Splitter()), "a b\n"), (Pieces{{0, 4}}));
  CHECK_EQ(pieces_of(SplitChain({{Splitter()}, {Splitter(tables::letters())}, {Splitter()}}), "a 1"),
           (Pieces{{0, 1}, {1, 3}}));
}

TEST(only_a_chain_that_removes_something_says_so) {
  CHECK(!SplitChain(Splitter(tables::words())).removes());
  CHECK(SplitChain({{Splitter()}, {Splitter(tables::words()), Behavior::kRemoved}}).removes());
}

TEST(any_chain_cuts_as_its_steps_do_one_by_one) {
  Random random(1);
  for (int round = 0; round < 400; ++round) {
    const auto rules = random_rules(random, round % 3 == 0);
    const auto chains = chains_of(rules);
    for (int i = 0; i < 4; ++i) {
      const auto text = random_text(random);
      const auto expected = split_by_hand(rules, text);
      for (const auto& chain : chains) CHECK_EQ(pieces_of(chain, text), expected);
    }
  }
}

TEST(a_text_that_comes_in_parts_is_cut_like_the_whole) {
  Random random(2);
  for (int round = 0; round < 400; ++round) {
    const auto chains = chains_of(random_rules(random, round % 3 == 0));
    const auto text = random_text(random);
    const auto expected = pieces_of(chains[0], text);
    for (const auto& chain : chains) {
      CHECK_EQ(pieces_of(chain, text, random, 1 + random() % 40), expected);
    }
  }
}

TEST(what_is_left_of_an_unfinished_text_can_be_cut_anew) {
  Random random(5);
  std::vector<std::size_t> batch(Splitter::kBatch);
  for (int round = 0; round < 400; ++round) {
    const auto chains = chains_of(random_rules(random, round % 3 == 0));
    const auto text = random_text(random);
    for (const auto& chain : chains) {
      const auto arrived = random() % (text.size() + 1);
      SplitChain::Progress progress;
      std::size_t at = 0;
      while (at < arrived) {
        const auto part = text.substr(0, arrived);
        const auto n = chain.cut(part, at, false, progress, batch);
        if (n == 0) break;
        at = batch[n - 1] & ~SplitChain::kRemoved;
      }
      auto pieces = pieces_of(chain, text);
      std::erase_if(pieces, [&](const Piece& piece) { return piece.first < at; });
      for (auto& [start, end] : pieces) start -= at, end -= at;
      CHECK_EQ(pieces_of(chain, std::string_view(text).substr(at)), pieces);
    }
  }
}

TEST(texts_cut_apart_at_a_certain_border_are_cut_like_the_whole) {
  Random random(3);
  int n_borders = 0;
  for (int round = 0; round < 400; ++round) {
    const auto chain = chain_of(random_rules(random, round % 3 == 0), nullptr);
    for (int i = 0; i < 4; ++i) {
      const auto text = random_text(random);
      const auto border = chain.certain_border(text, random() % (text.size() + 1), text.size());
      if (border == SplitChain::kNone) continue;
      ++n_borders;
      auto pieces = pieces_of(chain, text.substr(0, border));
      for (const auto& [start, end] : pieces_of(chain, text.substr(border))) {
        pieces.emplace_back(border + start, border + end);
      }
      CHECK_EQ(pieces, pieces_of(chain, text));
    }
  }
  CHECK(n_borders > 200);
}

TEST(certain_borders_worked_by_hand) {
  const SplitChain words(Splitter{tables::words()});
  const auto border = [&](std::string_view text) {
    return words.certain_border(text, 0, text.size());
  };
  CHECK_EQ(border("ab cd"), std::size_t{2});  // before the space: behind it the word may go on
  CHECK_EQ(border("ab1"), std::size_t{2});
  CHECK_EQ(border("a\nb"), std::size_t{1});
  CHECK_EQ(border("  a"), SplitChain::kNone);  // the letter takes the space before it
  CHECK_EQ(border("12"), SplitChain::kNone);   // one gap
  CHECK_EQ(words.certain_border("ab cd", 0, 2), SplitChain::kNone);
  CHECK_EQ(words.certain_border("ab cd ef", 2, 8), std::size_t{5});  // the letter before is unseen
}

TEST(no_border_is_seen_inside_a_character) {
  const SplitChain letters(Splitter{tables::letters()});
  CHECK_EQ(letters.certain_border("\xD0\xB0z", 1, 3), SplitChain::kNone);
  CHECK_EQ(letters.certain_border("\xD0\xB0z", 0, 3), std::size_t{2});
  CHECK_EQ(letters.certain_border("z\xD0", 0, 2), SplitChain::kNone);  // cut off: not known yet
}

int main() { return check::run_all(); }
