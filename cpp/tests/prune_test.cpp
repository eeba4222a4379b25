// prune_test.cpp: removals against an oracle that joins every word anew for every cost.
#include "bytepair/prune.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "check.hpp"

using bytepair::Pruner;
using bytepair::PruneStrategy;
using bytepair::PruneTask;
using bytepair::Symbol;

namespace {

using Word = std::vector<Symbol>;
using Gone = std::set<Symbol>;
using Step = std::pair<Symbol, std::int64_t>;  // symbol, cost

struct Row {
  Symbol left, right, joined;
  std::uint32_t rank;
};

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kAnyNumber = 99;
constexpr Symbol kFirst = 3;  // symbols before it are first symbols, and stay

/// A vocabulary and words, and views of them as the pruner takes them.
struct Case {
  std::vector<Word> contents = {{0}, {1}, {2}};
  std::vector<Row> rows;
  std::vector<Word> words;
  std::vector<std::int64_t> counts;
  bool looks_up = false;

  struct Flat {
    std::vector<Symbol> values;
    std::vector<std::int64_t> offsets = {0};
    explicit Flat(const std::vector<Word>& lists) {
      for (const auto& list : lists) {
        values.insert(values.end(), list.begin(), list.end());
        offsets.push_back(static_cast<std::int64_t>(values.size()));
      }
    }
  };

  [[nodiscard]] std::int64_t whole(const Word& word) const {
    const auto at = std::ranges::find(contents, word);
    return looks_up && at != contents.end() ? at - contents.begin() : -1;
  }

  [[nodiscard]] Pruner pruner(PruneStrategy strategy,
                              const bytepair::KeepGoing& keep_going = {}) const {
    const Flat flat_words(words);
    const Flat flat_contents(contents);
    std::vector<std::int64_t> wholes;
    for (const auto& word : words) wholes.push_back(whole(word));
    std::vector<Symbol> left, right, joined;
    std::vector<std::uint32_t> rank;
    for (const auto& row : rows) {
      left.push_back(row.left);
      right.push_back(row.right);
      joined.push_back(row.joined);
      rank.push_back(row.rank);
    }
    std::vector<std::uint8_t> removable(contents.size(), 1);
    std::fill_n(removable.begin(), kFirst, std::uint8_t{0});
    return Pruner(PruneTask{flat_words.values, flat_words.offsets, counts, wholes,
                            {left, right, joined, rank}, flat_contents.values,
                            flat_contents.offsets, removable},
                  strategy, keep_going);
  }
};

/// What is left of a word, and the row that joined last.
std::pair<Word, const Row*> naive_join(const Case& c, Word word, const Gone& gone) {
  const Row* last = nullptr;
  while (true) {
    const Row* best = nullptr;
    std::size_t best_at = 0;
    for (std::size_t i = 0; i + 1 < word.size(); ++i) {
      for (const auto& row : c.rows) {
        const bool joins = row.left == word[i] && row.right == word[i + 1];
        const bool is_there = !gone.contains(row.left) && !gone.contains(row.right) &&
                              !gone.contains(row.joined);
        if (!joins || !is_there || (best != nullptr && best->rank <= row.rank)) continue;
        best = &row;
        best_at = i;
      }
    }
    if (best == nullptr) return {word, last};
    word[best_at] = best->joined;
    word.erase(word.begin() + static_cast<std::ptrdiff_t>(best_at) + 1);
    last = best;
  }
}

std::int64_t visible_size(const Case& c, Symbol symbol, const Gone& gone) {
  if (!gone.contains(symbol)) return 1;
  const auto [rest, last] = naive_join(c, c.contents[symbol], {});
  if (rest == Word{symbol}) {
    return visible_size(c, last->left, gone) + visible_size(c, last->right, gone);
  }
  std::int64_t size = 0;
  for (const Symbol part : rest) size += visible_size(c, part, gone);
  return size;
}

std::int64_t size_of(const Case& c, PruneStrategy strategy, const Gone& gone) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < c.words.size(); ++i) {
    const auto whole = c.whole(c.words[i]);
    std::int64_t size = 1;
    if (whole < 0 || gone.contains(static_cast<Symbol>(whole))) {
      const bool hides = strategy == PruneStrategy::kResidues;
      size = 0;
      for (const Symbol symbol : naive_join(c, c.words[i], hides ? Gone{} : gone).first) {
        size += visible_size(c, symbol, gone);
      }
    }
    total += size * c.counts[i];
  }
  return total;
}

bool is_made(const Case& c, Symbol symbol, const Gone& gone) {
  return naive_join(c, c.contents[symbol], gone).first == Word{symbol};
}

/// What goes with a symbol, the longest first.
Word group_of(const Case& c, PruneStrategy strategy, Symbol symbol, const Gone& gone) {
  Word group = {symbol};
  Gone without = gone;
  without.insert(symbol);
  for (Symbol other = kFirst; other < c.contents.size(); ++other) {
    if (strategy != PruneStrategy::kLeaves || without.contains(other)) continue;
    if (is_made(c, other, gone) && !is_made(c, other, without)) group.push_back(other);
  }
  std::ranges::sort(group, {}, [&](Symbol one) { return std::pair(-std::ssize(c.contents[one]), one); });
  return group;
}

std::vector<Step> naive_removals(const Case& c, PruneStrategy strategy) {
  Gone gone;
  std::vector<Step> steps;
  while (true) {
    const std::int64_t now = size_of(c, strategy, gone);
    Word best;
    std::int64_t best_cost = 0;
    for (Symbol symbol = kFirst; symbol < c.contents.size(); ++symbol) {
      if (gone.contains(symbol)) continue;
      const Word group = group_of(c, strategy, symbol, gone);
      Gone more = gone;
      more.insert(group.begin(), group.end());
      const std::int64_t cost = size_of(c, strategy, more) - now;
      if (!best.empty() && cost * std::ssize(best) > best_cost * std::ssize(group)) continue;
      best = group;
      best_cost = cost;
    }
    if (best.empty()) return steps;
    for (const Symbol symbol : best) {
      const std::int64_t before = size_of(c, strategy, gone);
      gone.insert(symbol);
      steps.emplace_back(symbol, size_of(c, strategy, gone) - before);
    }
  }
}

std::vector<Step> removals(Pruner& pruner) {
  std::vector<Step> steps;
  while (true) {
    const auto group = pruner.next(kAnyNumber, kNoLimit, kNoLimit);
    if (group.empty()) return steps;
    for (const auto& removal : group) steps.emplace_back(removal.symbol, removal.cost);
  }
}

Word random_word(std::mt19937& random, std::size_t size) {
  Word word(size);
  for (auto& symbol : word) symbol = static_cast<Symbol>(random() % kFirst);
  return word;
}

/// Merges of 0, 1, 2 and of what came of them, in any order; or every way to a token with its rank.
Case random_case(std::mt19937& random, std::size_t longest) {
  Case c;
  std::map<Word, Symbol> by_content = {{{0}, 0}, {{1}, 1}, {{2}, 2}};
  std::set<std::pair<Symbol, Symbol>> seen;
  for (std::uint32_t i = 0; i < 10; ++i) {
    const auto left = static_cast<Symbol>(random() % c.contents.size());
    const auto right = static_cast<Symbol>(random() % c.contents.size());
    if (!seen.insert({left, right}).second) continue;
    Word content = c.contents[left];
    content.insert(content.end(), c.contents[right].begin(), c.contents[right].end());
    const auto fresh = static_cast<Symbol>(c.contents.size());
    const auto joined = by_content.try_emplace(content, fresh).first->second;
    if (joined == fresh) c.contents.push_back(content);
    c.rows.push_back({left, right, joined, i});
  }
  if (random() % 2 == 0) {
    for (auto& row : c.rows) row.rank = row.joined * 7 % 10;  // ways to a token share its rank
  } else if (random() % 2 == 0) {
    std::ranges::shuffle(c.rows, random);
    for (std::uint32_t i = 0; i < c.rows.size(); ++i) c.rows[i].rank = i;
  }
  std::ranges::stable_sort(c.rows, {}, &Row::rank);
  c.looks_up = random() % 2 == 0;
  for (int i = 0; i < 8; ++i) {
    c.words.push_back(random_word(random, 1 + random() % longest));
    c.counts.push_back(1 + random() % 5);
  }
  for (const auto& content : c.contents) {
    if (random() % 3 != 0) continue;
    c.words.push_back(content);
    c.counts.push_back(2);
  }
  return c;
}

void check_against_oracle(PruneStrategy strategy, std::size_t longest, int n_cases) {
  std::mt19937 random(static_cast<unsigned>(longest));
  for (int i = 0; i < n_cases; ++i) {
    const Case c = random_case(random, longest);
    auto pruner = c.pruner(strategy);
    CHECK_EQ(pruner.n_tokens(), size_of(c, strategy, {}));
    const auto steps = removals(pruner);
    CHECK_EQ(steps, naive_removals(c, strategy));
    Gone gone;
    for (const auto& step : steps) gone.insert(step.first);
    CHECK_EQ(pruner.n_tokens(), size_of(c, strategy, gone));
    std::int64_t n_uses = 0;
    for (const auto uses : pruner.uses()) n_uses += uses;
    CHECK_EQ(n_uses, pruner.n_tokens());
  }
}

}  // namespace

TEST(leaves_go_in_the_order_of_what_they_cost) {
  check_against_oracle(PruneStrategy::kLeaves, 9, 300);
}

TEST(any_token_may_go_where_whole_words_are_looked_up) {
  check_against_oracle(PruneStrategy::kWholeWords, 9, 300);
}

TEST(residues_leave_their_parts) { check_against_oracle(PruneStrategy::kResidues, 9, 300); }

TEST(long_words_are_joined_as_short_ones_are) {
  check_against_oracle(PruneStrategy::kLeaves, 120, 6);
  check_against_oracle(PruneStrategy::kWholeWords, 120, 6);
}

TEST(nothing_goes_that_costs_more_than_it_may) {
  Case c;
  c.contents.push_back({0, 1});
  c.rows = {{0, 1, 3, 0}};
  c.words = {{0, 1}};
  c.counts = {5};
  auto pruner = c.pruner(PruneStrategy::kLeaves);
  CHECK(pruner.next(kAnyNumber, 4, kNoLimit).empty());
  CHECK(pruner.next(kAnyNumber, kNoLimit, 4).empty());
  CHECK(pruner.next(0, kNoLimit, kNoLimit).empty());
  CHECK_EQ(pruner.n_tokens(), 5);
  CHECK_EQ(pruner.next(1, 5, 5).at(0).cost, 5);
  CHECK_EQ(pruner.n_tokens(), 10);
  CHECK(pruner.next(kAnyNumber, kNoLimit, kNoLimit).empty());
}

TEST(tokens_that_go_together_are_chosen_by_what_they_cost_each) {
  Case c;  // without 4, 0 1 2 is 3 2; without 3, which 4 needs, it is 0 5: not longer
  c.contents.insert(c.contents.end(), {{0, 1}, {0, 1, 2}, {1, 2}});
  c.rows = {{0, 1, 3, 0}, {3, 2, 4, 1}, {1, 2, 5, 2}};
  c.words = {{0, 1, 2}, {1, 2}};
  c.counts = {10, 7};
  auto pruner = c.pruner(PruneStrategy::kLeaves);
  CHECK(pruner.next(kAnyNumber, 4, kNoLimit).empty());
  CHECK(pruner.next(kAnyNumber, 5, 9).empty());
  CHECK(pruner.next(1, 6, kNoLimit).empty());
  const auto group = pruner.next(2, 5, 10);
  CHECK_EQ(group.size(), 2U);
  CHECK_EQ(group[0].symbol, 4U);
  CHECK_EQ(group[0].cost, 10);
  CHECK_EQ(group[1].symbol, 3U);
  CHECK_EQ(group[1].cost, 0);
}

TEST(whoever_says_no_is_heard_while_words_are_looked_at) {
  Case c;
  c.words.assign(2000, Word(20, 0));
  c.counts.assign(2000, 1);
  for (const auto strategy : {PruneStrategy::kLeaves, PruneStrategy::kWholeWords,
                              PruneStrategy::kResidues}) {
    CHECK_THROWS(bytepair::Stopped, c.pruner(strategy, [] { return false; }));
    CHECK_EQ(c.pruner(strategy, [] { return true; }).n_tokens(), 40'000);
  }
}

TEST(what_does_not_fit_together_is_refused) {
  const auto broken = [](auto change) {
    Case c;
    c.contents.push_back({0, 1});
    c.rows = {{0, 1, 3, 0}};
    c.words = {{0, 1}};
    c.counts = {5};
    change(c);
    return c;
  };
  const auto refused = [](const Case& c) {
    CHECK_THROWS(std::invalid_argument, c.pruner(PruneStrategy::kLeaves));
  };
  refused(broken([](Case& c) { c.words[0][0] = 4; }));
  refused(broken([](Case& c) { c.rows[0].joined = 4; }));
  refused(broken([](Case& c) { c.contents[3][1] = 9; }));
  refused(broken([](Case& c) { c.counts[0] = -1; }));
  refused(broken([](Case& c) { c.counts[0] = kNoLimit; }));
  refused(broken([](Case& c) { c.counts.push_back(1); }));
}

int main() { return check::run_all(); }
