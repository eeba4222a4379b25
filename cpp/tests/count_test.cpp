// count_test.cpp: counts against a map, in one go, in parts, and merged.
#include "bytepair/count.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <numeric>
#include <stdexcept>
#include <system_error>

#include "check.hpp"
#include "tables.hpp"

using bytepair::Counter;
using bytepair::SpecialMatcher;
using bytepair::Splitter;
using tables::Random;

namespace {

using Word = std::tuple<std::string, std::int64_t, std::int64_t>;  // bytes, count, first
using Words = std::vector<Word>;
using Tokens = std::vector<std::string>;

Counter make(const Tokens& special = {}) {
  static const Splitter letters{tables::letters()};
  return {letters, SpecialMatcher(special)};
}

/// A counter without a pattern: what it is fed is one word.
Counter make_whole() { return {Splitter(), SpecialMatcher()}; }

Words words(const Counter& counter, int n_bits = 0, std::size_t share = 0) {
  const auto counts = counter.result(n_bits, share);
  CHECK_EQ(counts.offsets.size(), counts.counts.size() + 1);
  Words words;
  for (std::size_t i = 0; i < counts.counts.size(); ++i) {
    const auto start = static_cast<std::size_t>(counts.offsets[i]);
    const auto end = static_cast<std::size_t>(counts.offsets[i + 1]);
    words.emplace_back(counts.data.substr(start, end - start), counts.counts[i], counts.first[i]);
  }
  return words;
}

/// Counts in a map, cut at special tokens by trying each at each position.
class NaiveCounter {
 public:
  explicit NaiveCounter(Tokens special) : special_(std::move(special)) {}

  void feed(std::string_view document, std::int64_t position) {
    std::size_t start = 0;
    for (std::size_t at = 0; at < document.size();) {
      const auto size = special_at(document.substr(at));
      if (size > 0) count(document.substr(start, at - start), position + to_signed(start));
      at += std::max<std::size_t>(size, 1);
      if (size > 0) start = at;
    }
    count(document.substr(start), position + to_signed(start));
  }

  [[nodiscard]] Words words() const {
    std::map<std::int64_t, Word> by_first;
    for (const auto& [word, entry] : entries_) {
      by_first[entry.second] = {word, entry.first, entry.second};
    }
    Words words;
    for (const auto& [first, word] : by_first) words.push_back(word);
    return words;
  }

 private:
  static std::int64_t to_signed(std::size_t n) { return static_cast<std::int64_t>(n); }

  [[nodiscard]] std::size_t special_at(std::string_view text) const {
    std::size_t longest = 0;
    for (const auto& token : special_) {
      if (text.starts_with(token)) longest = std::max(longest, token.size());
    }
    return longest;
  }

  void count(std::string_view stretch, std::int64_t position) {
    std::size_t start = 0;
    for (const auto end : tables::naive_cuts(tables::match_letters, stretch)) {
      const auto place = position + to_signed(start);
      auto& entry = entries_.try_emplace(std::string(stretch.substr(start, end - start)), 0, place)
                        .first->second;
      ++entry.first;
      entry.second = std::min(entry.second, place);
      start = end;
    }
  }

  Tokens special_;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> entries_;
};

/// Feeds a document in parts of random size, as a reader of large files does.
void feed_in_parts(Counter& counter, std::string_view document, std::int64_t position,
                   Random& random) {
  std::size_t arrived = 0;
  std::size_t done = 0;
  while (arrived < document.size()) {
    arrived = std::min<std::size_t>(document.size(), arrived + random() % 9);
    const auto part = document.substr(done, arrived - done);
    const bool is_last = arrived == document.size();
    const auto used = counter.feed_part(part, position + static_cast<std::int64_t>(done), is_last);
    CHECK(used <= part.size());
    CHECK(!is_last || used == part.size());
    done += used;
  }
}

const Tokens kSpecial = {"<s>", "<s>ab", "ab<", "z"};

/// Text in which special tokens, pieces of them, and other bytes meet.
std::string random_document(Random& random) {
  std::string text;
  for (auto n = random() % 12; n > 0; --n) {
    const auto choice = random() % 8;
    text += choice < 4   ? kSpecial[choice].substr(0, random() % 6)
            : choice < 7 ? std::string(1 + random() % 3, "ab<"[choice - 4])
                         : tables::random_text(random, 2);
  }
  return text;
}

std::string number_as_letters(std::uint32_t number) {
  std::string letters;
  for (int i = 0; i < 5; ++i, number /= 16) letters += static_cast<char>('a' + number % 16);
  return letters;
}

}  // namespace

TEST(words_come_in_order_of_first_position_with_their_counts) {
  auto counter = make();
  counter.feed("b a b", 0);
  CHECK_EQ(words(counter), (Words{{"b", 2, 0}, {" ", 2, 1}, {"a", 1, 2}}));
}

TEST(positions_count_from_the_start_of_the_corpus) {
  auto counter = make();
  counter.feed("b", 100);
  counter.feed("a b", 0);
  CHECK_EQ(words(counter), (Words{{"a", 1, 0}, {" ", 1, 1}, {"b", 2, 2}}));
}

TEST(words_do_not_cross_documents) {
  auto counter = make();
  counter.feed("ab", 0);
  counter.feed("cd", 2);
  CHECK_EQ(words(counter), (Words{{"ab", 1, 0}, {"cd", 1, 2}}));
}

TEST(empty_documents_hold_no_words) {
  auto counter = make({"<s>"});
  counter.feed("", 0);
  CHECK_EQ(counter.feed_part("", 0, false), std::size_t{0});
  CHECK_EQ(words(counter), Words{});
  CHECK_EQ(counter.result().offsets, std::vector<std::int64_t>{0});
  counter.feed("<s><s>", 0);
  CHECK_EQ(words(counter), Words{});
}

TEST(special_tokens_are_cut_out_the_longest_first) {
  auto counter = make({"<s>", "<s>ab"});
  counter.feed("ab<s>abab<s>ab", 0);
  CHECK_EQ(words(counter), (Words{{"ab", 2, 0}}));
}

TEST(a_special_token_cut_in_two_is_found_when_its_rest_comes) {
  auto counter = make({"<s>"});
  CHECK_EQ(counter.feed_part("ab<s", 0, false), std::size_t{0});  // "ab" might go on
  CHECK_EQ(counter.feed_part("ab<s>cd", 0, false), std::size_t{5});
  CHECK_EQ(counter.feed_part("cd", 5, true), std::size_t{2});
  CHECK_EQ(words(counter), (Words{{"ab", 1, 0}, {"cd", 1, 5}}));
}

TEST(a_file_is_counted_in_blocks_like_the_whole) {
  Random random;
  std::string text;
  while (text.size() < 3'000'000) text += tables::random_text(random, 20) + "<s>";
  const std::string path = "count_test.txt";
  std::ofstream(path, std::ios::binary) << text;
  auto whole = make({"<s>"});
  whole.feed(text, 7);
  auto counter = make({"<s>"});
  CHECK_EQ(counter.feed_file(path, 0, text.size(), 7), text.size());
  CHECK(words(counter) == words(whole));
  auto part = make();
  CHECK_EQ(part.feed_file(path, text.size() - 3, text.size() + 9, 0), std::size_t{3});
  CHECK_EQ(words(part).size(), std::size_t{3});
  std::remove(path.c_str());
  CHECK_THROWS(std::system_error, (void)part.feed_file(path, 0, 1, 0));
}

TEST(a_counter_that_is_stopped_or_told_to_counts_no_further) {
  auto counter = make();
  counter.stop();
  CHECK_THROWS(bytepair::Stopped, counter.feed("some words", 0));
  auto watched = make();
  watched.watch([] { return false; });
  std::string text;
  while (text.size() < 3'000'000) text += "a ";
  CHECK_THROWS(bytepair::Stopped, watched.feed(text, 0));
}

TEST(what_later_text_could_change_is_left_for_later) {
  auto counter = make();
  CHECK_EQ(counter.feed_part("ab 12 cd", 0, false), std::size_t{6});
  CHECK_EQ(counter.feed_part("cd", 6, false), std::size_t{0});
  CHECK_EQ(counter.feed_part("cdef", 6, true), std::size_t{4});
  CHECK_EQ(words(counter), (Words{{"ab", 1, 0}, {" 12 ", 1, 2}, {"cdef", 1, 6}}));
}

TEST(without_a_pattern_an_unfinished_document_is_never_certain) {
  auto counter = make_whole();
  CHECK_EQ(counter.feed_part("ab cd", 0, false), std::size_t{0});
  CHECK_EQ(counter.feed_part("ab cd", 0, true), std::size_t{5});
  CHECK_EQ(words(counter), (Words{{"ab cd", 1, 0}}));
}

TEST(random_documents_are_counted_as_a_map_counts_them) {
  Random random(1);
  for (int round = 0; round < 1000; ++round) {
    auto counter = make(kSpecial);
    NaiveCounter naive(kSpecial);
    std::int64_t position = 0;
    for (auto n = random() % 4; n > 0; --n) {
      const auto document = random_document(random);
      counter.feed(document, position);
      naive.feed(document, position);
      position += static_cast<std::int64_t>(document.size());
    }
    CHECK_EQ(words(counter), naive.words());
  }
}

TEST(a_document_in_parts_is_counted_like_the_whole) {
  Random random(2);
  for (int round = 0; round < 3000; ++round) {
    const auto document = random_document(random);
    auto whole = make(kSpecial);
    auto parts = make(kSpecial);
    whole.feed(document, 7);
    feed_in_parts(parts, document, 7, random);
    CHECK_EQ(words(parts), words(whole));
  }
}

TEST(a_document_divided_at_a_border_is_counted_like_the_whole) {
  Random random(4);
  std::size_t n_borders = 0;
  for (int round = 0; round < 5000; ++round) {
    const auto& special = round % 2 == 0 ? kSpecial : Tokens();
    const auto document = random_document(random) + random_document(random);
    const std::string_view so_far = std::string_view(document).substr(0, random() % 40);
    auto parts = make(special);
    const auto border = parts.border(so_far, random() % (so_far.size() + 1));
    if (border == Counter::kNone) continue;
    ++n_borders;
    parts.feed(document.substr(0, border), 7);
    parts.feed(document.substr(border), 7 + static_cast<std::int64_t>(border));
    auto whole = make(special);
    whole.feed(document, 7);
    CHECK_EQ(words(parts), words(whole));
  }
  CHECK(n_borders > 500);
}

TEST(borders_worked_by_hand) {
  CHECK_EQ(make().border("ab cd", 0), std::size_t{2});
  CHECK_EQ(make().border("ab cd", 3), Counter::kNone);
  CHECK_EQ(make({"<s>"}).border("ab cd", 0), std::size_t{2});
  CHECK_EQ(make({"b c"}).border("ab cd ef gh", 0), std::size_t{6});
  CHECK_EQ(make({"long token"}).border("ab cd", 0), Counter::kNone);  // " cd" may go on as one
  CHECK_EQ(make_whole().border("ab cd", 0), Counter::kNone);
}

TEST(merging_adds_counts_and_keeps_the_smaller_position) {
  auto one = make();
  auto two = make();
  one.feed("b a", 10);
  two.feed("a c", 0);
  one.merge(two);
  CHECK_EQ(words(one), (Words{{"a", 2, 0}, {" ", 2, 1}, {"c", 1, 2}, {"b", 1, 10}}));
  CHECK_EQ(words(two), (Words{{"a", 1, 0}, {" ", 1, 1}, {"c", 1, 2}}));
}

TEST(merged_counters_equal_one_counter_whatever_the_order) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    auto all = make(kSpecial);
    std::vector<Counter> some;
    for (int i = 0; i < 3; ++i) some.push_back(make(kSpecial));
    for (std::int64_t position = 0; position < 600; position += 100) {
      const auto document = random_document(random);
      all.feed(document, position);
      some[random() % 3].feed(document, position);
    }
    some[2].merge(some[0]);
    some[2].merge(some[1]);
    CHECK_EQ(words(some[2]), words(all));
  }
}

TEST(merging_an_empty_counter_changes_nothing) {
  auto counter = make();
  counter.feed("ab", 0);
  counter.merge(make());
  CHECK_EQ(words(counter), (Words{{"ab", 1, 0}}));
}

TEST(a_hundred_thousand_words_survive_the_growth_of_the_table) {
  constexpr std::uint32_t kWords = 100'000;
  auto counter = make();
  std::string text;
  for (std::uint32_t i = 0; i < kWords; ++i) text += number_as_letters(i) + " ";
  for (std::uint32_t i = 0; i < kWords; i += 2) text += number_as_letters(i) + " ";
  counter.feed(text, 0);
  const auto found = words(counter);
  CHECK_EQ(found.size(), std::size_t{kWords + 1});
  CHECK_EQ(std::get<1>(found[1]), kWords + kWords / 2);  // the space
  for (std::uint32_t i = 0; i < kWords && i + 1 < found.size(); ++i) {
    const Word expected{number_as_letters(i), i % 2 == 0 ? 2 : 1, std::int64_t{i} * 6};
    if (found[i == 0 ? 0 : i + 1] != expected) CHECK_EQ(found[i == 0 ? 0 : i + 1], expected);
  }
}

TEST(words_larger_than_a_block_of_memory_stay_whole) {
  // The counter keeps short words in blocks of 1 MiB and gives words above 256 KiB a block each.
  auto counter = make_whole();
  Words expected;
  std::int64_t position = 0;
  std::size_t number = 0;
  for (const std::size_t size : {3'000'000, 5, 262'144, 262'145, 262'143, 262'144, 262'140, 7,
                                 1'048'576, 9, 1'048'577, 200'000, 100'000}) {
    std::string word(size, static_cast<char>('a' + number++));
    counter.feed(word, position);
    expected.emplace_back(word, 1, position);
    position += static_cast<std::int64_t>(size);
  }
  CHECK_EQ(words(counter), expected);
}

TEST(words_that_differ_only_in_length_or_in_one_byte_are_distinct) {
  auto counter = make_whole();
  std::int64_t position = 0;
  Words expected;
  for (std::size_t size = 1; size <= 40; ++size) {
    for (std::size_t at = 0; at <= size; ++at) {  // at == size: all zero
      std::string word(size, '\0');
      if (at < size) word[at] = '\1';
      counter.feed(word, position);
      expected.emplace_back(word, 1, position);
      position += static_cast<std::int64_t>(size);
    }
  }
  CHECK_EQ(words(counter), expected);
}

TEST(a_moved_counter_goes_on_counting) {
  auto counter = make();
  counter.feed("ab", 0);
  auto moved = std::move(counter);
  moved.feed("ab", 2);
  CHECK_EQ(words(moved), (Words{{"ab", 2, 0}}));
}

TEST(a_table_that_is_added_counts_as_what_it_was_counted_from) {
  const std::string text = "ab a ab abcdefghijklmnopqrstuvwxyz a ab";
  auto whole = make();
  whole.feed(text, 0);
  whole.feed(text, 100);
  auto counter = make();
  counter.feed(text, 0);
  const auto table = counter.result();
  counter.add(table.data, table.offsets, table.counts, table.first, 100);
  CHECK_EQ(words(counter), words(whole));
  const std::vector<std::int64_t> offsets = {0, 1, 1};
  const std::vector<std::int64_t> two = {1, 1};
  CHECK_THROWS(std::invalid_argument, counter.add("a", offsets, two, two, 0));
  CHECK_THROWS(std::invalid_argument, counter.add("a", {}, {}, {}, 0));
}

TEST(shares_are_the_whole_divided_and_a_word_has_the_same_share_in_every_counter) {
  Random random(5);
  std::string text;
  for (int i = 0; i < 4000; ++i) {
    text += number_as_letters(static_cast<std::uint32_t>(random() % 3000)) + " ";
  }
  text += std::string(70, 'x') + " " + std::string(71, 'x');
  auto whole = make();
  auto part = make();
  whole.feed(text, 0);
  part.feed(std::string_view(text).substr(text.size() / 2), 0);
  std::map<std::string, std::size_t> share_of;
  Words all;
  for (std::size_t share = 0; share < 8; ++share) {
    const auto some = words(whole, 3, share);
    CHECK(std::ranges::is_sorted(some, {}, [](const Word& word) { return std::get<2>(word); }));
    CHECK(some.size() > 200);  // of some 2,200
    for (const auto& word : some) share_of[std::get<0>(word)] = share;
    all.insert(all.end(), some.begin(), some.end());
  }
  std::ranges::sort(all, {}, [](const Word& word) { return std::get<2>(word); });
  CHECK(all == words(whole));
  for (std::size_t share = 0; share < 8; ++share) {
    for (const auto& word : words(part, 3, share)) {
      if (!share_of.contains(std::get<0>(word))) continue;  // what the cut in the middle made
      CHECK_EQ(share_of[std::get<0>(word)], share);
    }
  }
}

TEST(pieces_that_a_split_removes_are_no_words) {
  using Step = bytepair::SplitChain::Step;
  const Splitter letters{tables::letters()};
  const std::vector<Step> steps = {{letters, bytepair::Behavior::kRemoved}, {letters}};
  Counter counter{bytepair::SplitChain(steps), SpecialMatcher()};
  counter.feed("ab 12 cd ab", 0);
  CHECK_EQ(words(counter), Words{});
}

TEST(a_counter_that_is_cleared_gives_its_memory_back_and_counts_anew) {
  auto counter = make();
  const auto empty = counter.n_bytes();
  std::string text;
  for (std::uint32_t i = 0; i < 100'000; ++i) text += number_as_letters(i) + " ";
  counter.feed(text, 0);
  counter.feed(std::string(400'000, 'x'), 1);
  CHECK(counter.n_bytes() > empty + 100'000 * 32 + 400'000);  // an entry is 32 bytes
  counter.clear();
  CHECK_EQ(counter.n_bytes(), empty);
  CHECK_EQ(words(counter), Words{});
  counter.feed("ab " + std::string(60, 'y') + " ab", 5);
  CHECK_EQ(words(counter),
           (Words{{"ab", 2, 5}, {" ", 2, 7}, {std::string(60, 'y'), 1, 8}}));
}

TEST(words_of_a_table_are_cut_and_count_as_often_as_they_do) {
  auto counter = make();
  const std::string data = "ab 1ab;ab?";
  counter.add_cut(data, std::vector<std::int64_t>{0, 6, 9}, std::vector<std::int64_t>{3, 5},
                  std::vector<std::int64_t>{40, 7});
  CHECK_EQ(words(counter), (Words{{";", 5, 7}, {"ab", 11, 8}, {" 1", 3, 42}}));
}

TEST(a_table_to_be_cut_that_does_not_fit_is_refused) {
  using Numbers = std::vector<std::int64_t>;
  const auto cut = [](const Numbers& offsets, const Numbers& counts, const Numbers& first) {
    auto counter = make();
    counter.add_cut("abc", offsets, counts, first);
  };
  cut({1, 1, 2}, {1, 1}, {0, 0});
  CHECK_THROWS(std::invalid_argument, cut({0, 2, 4}, {1, 1}, {0, 0}));
  CHECK_THROWS(std::invalid_argument, cut({0, 2, 1}, {1, 1}, {0, 0}));
  CHECK_THROWS(std::invalid_argument, cut({-1, 2}, {1}, {0}));
  CHECK_THROWS(std::invalid_argument, cut({0, 2}, {1, 1}, {0, 0}));
  CHECK_THROWS(std::invalid_argument, cut({0, 2}, {1}, {}));
}

int main() { return check::run_all(); }
