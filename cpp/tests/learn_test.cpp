// learn_test.cpp: merges against a learner that counts everything anew for each merge.
#include "bytepair/learn.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>

#include "check.hpp"

using bytepair::Learner;
using bytepair::LearnOptions;
using bytepair::Symbol;
using bytepair::Ties;

namespace {

using Word = std::vector<Symbol>;
using Step = std::tuple<Symbol, Symbol, Symbol, std::int64_t>;  // left, right, joined, count
using Steps = std::vector<Step>;
using Pair = std::pair<Symbol, Symbol>;

/// Words and options; what both learners are made of.
struct Task {
  std::vector<Word> words;
  std::vector<std::int64_t> counts;
  LearnOptions options;
};

/// Words over a, b, c, ... (symbols 0, 1, 2, ...).
Task task_of(const std::vector<std::pair<std::string, std::int64_t>>& count_by_word,
             Ties ties = Ties::kOrder) {
  Task task;
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    task.options.order.push_back(static_cast<std::uint32_t>(task.options.alphabet.size()));
    task.options.alphabet.emplace_back(1, letter);
  }
  task.options.ties = ties;
  for (const auto& [word, count] : count_by_word) {
    auto& symbols = task.words.emplace_back();
    for (const char letter : word) symbols.push_back(static_cast<Symbol>(letter - 'a'));
    task.counts.push_back(count);
  }
  return task;
}

Learner learner_of(const Task& task, const bytepair::KeepGoing& keep_going = {}) {
  std::vector<Symbol> symbols;
  std::vector<std::int64_t> offsets = {0};
  for (const auto& word : task.words) {
    symbols.insert(symbols.end(), word.begin(), word.end());
    offsets.push_back(static_cast<std::int64_t>(symbols.size()));
  }
  return Learner({symbols, offsets, task.counts}, task.options, keep_going);
}

Steps learn(const Task& task, std::size_t n_merges = 1000) {
  auto learner = learner_of(task);
  Steps steps;
  while (steps.size() < n_merges) {
    const auto merge = learner.next();
    if (!merge) break;
    steps.emplace_back(merge->left, merge->right, merge->joined, merge->count);
  }
  return steps;
}

/// Counts all pairs of all words before every merge, and joins by copying.
class NaiveLearner {
 public:
  explicit NaiveLearner(const Task& task)
      : words_(task.words), counts_(task.counts), options_(task.options) {
    for (const auto& content : options_.alphabet) length_.push_back(content.empty() ? 0 : 1);
  }

  Steps learn() {
    Steps steps;
    while (const auto best = best_pair()) {
      const auto [pair, count] = *best;
      const auto joined = static_cast<Symbol>(options_.alphabet.size());
      options_.alphabet.push_back(options_.alphabet[pair.first] + options_.alphabet[pair.second]);
      options_.order.push_back(joined);
      length_.push_back(length_[pair.first] + length_[pair.second]);
      for (auto& word : words_) word = join(word, pair, joined);
      steps.emplace_back(pair.first, pair.second, joined, count);
    }
    return steps;
  }

 private:
  static Word join(const Word& word, Pair pair, Symbol joined) {
    Word result;
    for (std::size_t i = 0; i < word.size(); ++i) {
      const bool here = i + 1 < word.size() && Pair{word[i], word[i + 1]} == pair;
      result.push_back(here ? joined : word[i]);
      if (here) ++i;
    }
    return result;
  }

  [[nodiscard]] std::optional<std::pair<Pair, std::int64_t>> best_pair() const {
    std::map<Pair, std::int64_t> count_by_pair;
    std::vector<Pair> in_order;  // of first occurrence
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::size_t i = 0; i + 1 < words_[w].size(); ++i) {
        const Pair pair{words_[w][i], words_[w][i + 1]};
        if (length_[pair.first] + length_[pair.second] > options_.max_token_length) continue;
        if (is_blocked(pair)) continue;
        if (!count_by_pair.contains(pair)) in_order.push_back(pair);
        count_by_pair[pair] += counts_[w];
      }
    }
    std::optional<std::pair<Pair, std::int64_t>> best;
    for (const auto& pair : in_order) {
      const auto count = count_by_pair[pair];
      if (count < std::max<std::int64_t>(options_.min_frequency, 1)) continue;
      if (!best || count > best->second || (count == best->second && wins(pair, best->first))) {
        best = {pair, count};
      }
    }
    return best;
  }

  [[nodiscard]] bool is_blocked(Pair pair) const {
    const std::pair parts(options_.alphabet[pair.first], options_.alphabet[pair.second]);
    return std::ranges::count(options_.blocked, parts.first + parts.second) > 0 ||
           std::ranges::count(options_.blocked_pairs, parts) > 0;
  }

  /// True if `a`, which occurs later in the words, comes before `b` all the same.
  [[nodiscard]] bool wins(Pair a, Pair b) const {
    const auto& order = options_.order;
    const auto& content = options_.alphabet;
    if (options_.ties == Ties::kFirst) return false;
    if (options_.ties == Ties::kOrder) {
      return std::pair(order[a.first], order[a.second]) <
             std::pair(order[b.first], order[b.second]);
    }
    const std::pair bytes_a(content[a.first], content[a.second]);
    const std::pair bytes_b(content[b.first], content[b.second]);
    return bytes_a != bytes_b ? bytes_a > bytes_b : a < b;
  }

  std::vector<Word> words_;
  std::vector<std::int64_t> counts_;
  LearnOptions options_;
  std::vector<std::uint32_t> length_;
};

std::uint32_t number_below(std::mt19937& random, std::uint32_t limit) {
  return static_cast<std::uint32_t>(random() % limit);
}

/// A few short words over a small alphabet, in which ties and runs are everywhere.
Task random_task(std::mt19937& random) {
  Task task;
  const std::uint32_t n_symbols = 1 + number_below(random, 4);
  for (std::uint32_t i = 0; i < n_symbols; ++i) task.options.alphabet.emplace_back(1, "bca\xFF"[i]);
  task.options.order.resize(n_symbols);
  std::iota(task.options.order.begin(), task.options.order.end(), 0);
  std::ranges::shuffle(task.options.order, random);
  if (random() % 4 == 0) task.options.max_token_length = 1 + number_below(random, 5);
  task.options.min_frequency = random() % 4;
  const auto spelling = [&] {
    std::string text;
    for (auto n = 1 + random() % 4; n > 0; --n) {
      text += task.options.alphabet[number_below(random, n_symbols)];
    }
    return text;
  };
  for (auto n = random() % 3; n > 0; --n) task.options.blocked.push_back(spelling());
  for (auto n = random() % 3; n > 0; --n) {
    task.options.blocked_pairs.emplace_back(spelling(), spelling());
  }
  const bool large = random() % 4 == 0;
  for (auto n = random() % 8; n > 0; --n) {
    auto& word = task.words.emplace_back(random() % 14);
    for (auto& symbol : word) symbol = number_below(random, n_symbols);
    task.counts.push_back(number_below(random, 4) * (large ? std::int64_t{1} << 40 : 1));
  }
  return task;
}

/// Puts an end mark, a symbol without bytes, behind each word.
void add_end_marks(Task& task) {
  const auto mark = static_cast<Symbol>(task.options.alphabet.size());
  task.options.alphabet.emplace_back();
  task.options.order.push_back(mark);
  for (auto& word : task.words) word.push_back(mark);
}

void compare_on_random_tasks(Ties ties, std::uint32_t seed) {
  std::mt19937 random(seed);
  for (int round = 0; round < 1500; ++round) {
    auto task = random_task(random);
    task.options.ties = ties;
    if (random() % 3 == 0) add_end_marks(task);
    const auto expected = NaiveLearner(task).learn();
    CHECK_EQ(learn(task), expected);
    // The least that is kept in view, and the least that is worth another thread.
    task.options.effort = {.n_threads = 1 + random() % 3,
                           .least_share = 1,
                           .short_words = 0,
                           .depth = 2,
                           .few_symbols = random() % 8};
    CHECK_EQ(learn(task), expected);
  }
}

void construct(const std::vector<Symbol>& symbols, const std::vector<std::int64_t>& offsets,
               const std::vector<std::int64_t>& counts, std::size_t n_ranks = 2) {
  LearnOptions options;
  options.alphabet = {"a", "b"};
  options.order.resize(n_ranks);
  const Learner learner({symbols, offsets, counts}, options);
}

constexpr auto kMost = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST(the_textbook_words_give_the_textbook_merges) {
  // low 5, lower 2, newest 6, widest 3 (Sennrich et al. 2016), counted by hand: es and st are
  // equally frequent, and es occurs first.
  const auto steps =
      learn(task_of({{"low", 5}, {"lower", 2}, {"newest", 6}, {"widest", 3}}, Ties::kFirst), 5);
  const Symbol d = 'l' - 'a', e = 'e' - 'a', n = 'n' - 'a', o = 'o' - 'a', s = 's' - 'a';
  const Symbol t = 't' - 'a', w = 'w' - 'a';
  CHECK_EQ(steps,
           (Steps{{e, s, 26, 9}, {26, t, 27, 9}, {d, o, 28, 7}, {28, w, 29, 7}, {n, e, 30, 6}}));
}

TEST(a_run_is_joined_from_the_left_and_every_pair_in_it_counts) {
  CHECK_EQ(learn(task_of({{"aaaa", 1}})), (Steps{{0, 0, 26, 3}, {26, 26, 27, 1}}));
  CHECK_EQ(learn(task_of({{"aaaaa", 1}})), (Steps{{0, 0, 26, 4}, {26, 0, 27, 1}, {26, 27, 28, 1}}));
  CHECK_EQ(learn(task_of({{"aaa", 2}})), (Steps{{0, 0, 26, 4}, {26, 0, 27, 2}}));
}

TEST(neighbouring_sites_give_the_pair_of_two_joined_symbols) {
  CHECK_EQ(learn(task_of({{"ababab", 1}})),
           (Steps{{0, 1, 26, 3}, {26, 26, 27, 2}, {27, 26, 28, 1}}));
}

TEST(equally_frequent_pairs_are_joined_in_the_order_of_the_policy) {
  const std::vector<std::pair<std::string, std::int64_t>> words = {{"bc", 1}, {"cb", 1}, {"ab", 1}};
  CHECK_EQ(learn(task_of(words, Ties::kFirst), 1), (Steps{{1, 2, 26, 1}}));
  CHECK_EQ(learn(task_of(words, Ties::kOrder), 1), (Steps{{0, 1, 26, 1}}));
  CHECK_EQ(learn(task_of(words, Ties::kBytes), 1), (Steps{{2, 1, 26, 1}}));
}

TEST(order_ranks_first_symbols_and_later_ones_come_after_all_of_them) {
  auto task = task_of({{"ab", 2}, {"ba", 2}});
  std::swap(task.options.order[0], task.options.order[1]);
  CHECK_EQ(learn(task), (Steps{{1, 0, 26, 2}, {0, 1, 27, 2}}));
}

TEST(bytes_compare_as_unsigned_and_a_beginning_comes_before_the_whole) {
  Task task;
  task.options = {{"\x7F", "\x80"}, {}, {0, 1}, Ties::kBytes, 1, 99};
  task.words = {{0, 1}, {1, 0}};
  task.counts = {1, 1};
  CHECK_EQ(learn(task), (Steps{{1, 0, 2, 1}, {0, 1, 3, 1}}));
}

TEST(the_first_pair_is_the_first_in_the_words_as_they_are_now) {
  // (b, c) occurs first at the beginning, but "ab" is joined there; then (c, b) is first.
  const auto steps = learn(task_of({{"abc", 5}, {"ab", 9}, {"cb", 7}, {"bc", 2}}, Ties::kFirst), 3);
  CHECK_EQ(steps, (Steps{{0, 1, 26, 14}, {2, 1, 27, 7}, {26, 2, 28, 5}}));
}

TEST(random_words_are_learned_in_the_given_order_as_by_recounting) {
  compare_on_random_tasks(Ties::kOrder, 1);
}

TEST(random_words_are_learned_first_pair_first_as_by_recounting) {
  compare_on_random_tasks(Ties::kFirst, 2);
}

TEST(random_words_are_learned_greatest_bytes_first_as_by_recounting) {
  compare_on_random_tasks(Ties::kBytes, 3);
}

TEST(no_token_is_longer_than_the_limit) {
  auto task = task_of({{"aaaaaaaa", 3}});
  task.options.max_token_length = 4;
  CHECK_EQ(learn(task), (Steps{{0, 0, 26, 21}, {26, 26, 27, 9}}));
  task.options.max_token_length = 1;
  CHECK_EQ(learn(task), Steps{});
}

TEST(an_end_mark_does_not_count_as_length) {
  auto task = task_of({{"ab", 1}});
  add_end_marks(task);
  task.options.max_token_length = 2;
  CHECK_EQ(learn(task).size(), std::size_t{2});
}

TEST(pairs_below_the_minimum_are_never_joined) {
  auto task = task_of({{"ab", 3}, {"cd", 2}});
  task.options.min_frequency = 3;
  CHECK_EQ(learn(task), (Steps{{0, 1, 26, 3}}));
}

TEST(weights_beyond_32_bits_are_counted_exactly) {
  const std::int64_t large = std::int64_t{1} << 33;
  const auto steps = learn(task_of({{"ab", large}, {"ab", large + 1}, {"cd", 2 * large}}));
  CHECK_EQ(steps, (Steps{{0, 1, 26, 2 * large + 1}, {2, 3, 27, 2 * large}}));
}

TEST(a_word_that_never_occurs_teaches_nothing) {
  CHECK_EQ(learn(task_of({{"ab", 0}, {"cd", 1}})), (Steps{{2, 3, 26, 1}}));
}

TEST(nothing_comes_of_nothing) {
  CHECK_EQ(learn(task_of({})), Steps{});
  CHECK_EQ(learn(task_of({{"", 5}, {"a", 5}})), Steps{});
}

TEST(a_learner_that_has_ended_stays_ended) {
  auto learner = learner_of(task_of({{"ab", 1}}));
  CHECK(learner.next().has_value());
  CHECK(!learner.next().has_value());
  CHECK(!learner.next().has_value());
}

TEST(a_million_equal_letters_are_learned_by_doubling) {
  const auto steps = learn(task_of({{std::string(1 << 20, 'a'), 1}}));
  CHECK_EQ(steps.size(), std::size_t{20});
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const auto sites = (std::int64_t{1} << (20 - i)) - 1;
    CHECK_EQ(steps[i], (Step{25 + i, 25 + i, 26 + i, sites}));
  }
}

TEST(whoever_says_no_is_heard_while_words_are_read_and_amid_a_merge) {
  const auto task = task_of({{std::string(std::size_t{1} << 21, 'a'), 1}});
  CHECK_THROWS(bytepair::Stopped, learner_of(task, [] { return false; }));
  auto learner = learner_of(task);
  CHECK_THROWS(bytepair::Stopped, (void)learner.next([] { return false; }));
  CHECK_THROWS(std::logic_error, (void)learner.next());
}

TEST(a_learner_that_is_stopped_between_merges_goes_on_where_it_was) {
  std::mt19937 random(4);
  auto task = task_of({});
  for (int i = 0; i < 30'000; ++i) {
    auto& word = task.words.emplace_back(3);
    for (auto& symbol : word) symbol = number_below(random, 26);
    task.counts.push_back(1);
  }
  auto learner = learner_of(task);
  Steps steps;
  int n_stops = 0;
  while (true) {
    try {
      const auto merge = learner.next([] { return false; });
      if (!merge) break;
      steps.emplace_back(merge->left, merge->right, merge->joined, merge->count);
    } catch (const bytepair::Stopped&) {
      ++n_stops;
    }
  }
  CHECK(n_stops > 0);
  CHECK_EQ(steps, learn(task, steps.size()));
}

TEST(arrays_that_do_not_fit_together_are_refused) {
  construct({0, 1, 0}, {0, 2, 3}, {1, 1});
  CHECK_THROWS(std::invalid_argument, construct({0, 1}, {}, {}));
  CHECK_THROWS(std::invalid_argument, construct({0, 1}, {0, 2}, {}));
  CHECK_THROWS(std::invalid_argument, construct({0, 1}, {0, 2}, {1, 1}));
  CHECK_THROWS(std::invalid_argument, construct({0, 1}, {0, 1}, {1}));
  CHECK_THROWS(std::invalid_argument, construct({0, 1}, {1, 2}, {1}));
  CHECK_THROWS(std::invalid_argument, construct({0, 1}, {0, 3}, {1}));
  CHECK_THROWS(std::invalid_argument, construct({0, 1}, {0, 2, 1, 2}, {1, 1, 1}));
  CHECK_THROWS(std::invalid_argument, construct({0, 1}, {0, -1, 2}, {1, 1}));
  CHECK_THROWS(std::invalid_argument, construct({0, 2}, {0, 2}, {1}));
  CHECK_THROWS(std::invalid_argument, construct({0, 1}, {0, 2}, {1}, 3));
}

TEST(counts_that_are_negative_or_overflow_in_sum_are_refused) {
  construct({0, 1, 0}, {0, 2, 3}, {kMost / 2, 1});
  CHECK_THROWS(std::invalid_argument, construct({0, 1}, {0, 2}, {-1}));
  CHECK_THROWS(std::invalid_argument, construct({0, 1, 0, 1}, {0, 2, 4}, {kMost, kMost}));
  CHECK_THROWS(std::invalid_argument, construct({0, 0, 0}, {0, 3}, {kMost}));
}

/// The task that is left after the first merges of it.
Task task_after(const Task& task, const Steps& done) {
  Task rest = task;
  std::vector<Symbol> columns[4];
  rest.options.lengths.assign(task.options.alphabet.size(), 1);
  for (const auto& [left, right, joined, count] : done) {
    columns[0].push_back(left);
    columns[1].push_back(right);
    columns[2].push_back(joined);
    columns[3].push_back(static_cast<std::uint32_t>(columns[3].size()));
    rest.options.alphabet.push_back(rest.options.alphabet[left] + rest.options.alphabet[right]);
    rest.options.lengths.push_back(rest.options.lengths[left] + rest.options.lengths[right]);
    rest.options.order.push_back(joined);
  }
  std::vector<Symbol> symbols;
  std::vector<std::int64_t> offsets = {0};
  for (const auto& word : task.words) {
    symbols.insert(symbols.end(), word.begin(), word.end());
    offsets.push_back(static_cast<std::int64_t>(symbols.size()));
  }
  const auto rows = bytepair::join_words({symbols, offsets, task.counts},
                                         {columns[0], columns[1], columns[2], columns[3]},
                                         rest.options.alphabet.size());
  for (std::size_t i = 0; i < task.words.size(); ++i) {
    rest.words[i].assign(rows.symbols.begin() + rows.offsets[i],
                         rows.symbols.begin() + rows.offsets[i + 1]);
  }
  return rest;
}

TEST(learning_goes_on_from_any_merge_as_if_it_had_not_stopped) {
  for (const auto ties : {Ties::kOrder, Ties::kFirst, Ties::kBytes}) {
    auto task = task_of({{"aababaab", 2}, {"abaab", 3}, {"aaaaaaaaa", 1}, {"b", 4}}, ties);
    task.words.push_back(Word(200, 0));  // long enough for the queue
    task.counts.push_back(1);
    task.options.max_token_length = 12;
    const auto all = learn(task);
    for (std::size_t n = 0; n <= all.size(); ++n) {
      const Steps done(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
      const Steps rest(all.begin() + static_cast<std::ptrdiff_t>(n), all.end());
      CHECK_EQ(learn(task_after(task, done)), rest);
    }
  }
}

TEST(a_symbol_may_be_spelt_otherwise_than_it_is) {
  auto task = task_of({{"ab", 5}, {"abc", 3}});
  task.options.spellings = task.options.alphabet;
  task.options.spellings[1] = "x";
  task.options.blocked = {"ax"};
  CHECK_EQ(learn(task, 2), (Steps{{1, 2, 26, 3}, {0, 26, 27, 3}}));
  task.options.spellings.pop_back();
  CHECK_THROWS(std::invalid_argument, (void)learn(task));
}

TEST(what_is_in_view_shrinks_to_nothing) {
  auto learner = learner_of(task_of({{"abab", 2}}));
  CHECK_EQ(learner.in_view().second, std::size_t{2});  // ab, ba
  while (learner.next()) continue;
  CHECK_EQ(learner.in_view(), (std::pair<std::size_t, std::size_t>{0, 0}));
}

int main() { return check::run_all(); }
