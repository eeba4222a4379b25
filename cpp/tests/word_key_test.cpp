// word_key_test.cpp: the loops for every kind of processor do the same.
#include "bytepair/word_key.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "check.hpp"

using bytepair::LookupKernel;
using bytepair::TokenId;
using bytepair::WordEntries;
using bytepair::WordEntry;
using bytepair::WordKey;

namespace {

constexpr std::size_t kEntries = 256;

bool same(const WordKey& a, const WordKey& b) { return a.low == b.low && a.high == b.high; }

/// A small table with words of one to three ids.
struct Table {
  std::vector<WordEntry> entries = std::vector<WordEntry>(kEntries);
  WordEntries view{entries.data(), 24};

  void add(const LookupKernel& kernel, const WordKey& key, std::uint64_t n_ids) {
    auto place = kernel.hash(key) >> view.shift;
    if (entries[place].second != 0) place ^= 1;
    if (entries[place].second != 0) return;
    entries[place].low = key.low;
    entries[place].high = key.high;
    entries[place].first = key.low;
    entries[place].second = n_ids << 32 | 7;
  }
};

}  // namespace

TEST(keys_of_words_in_a_text_are_the_keys_of_the_words) {
  std::mt19937 random(1);
  std::string text(300, ' ');
  for (auto& c : text) c = static_cast<char>(random());
  for (const auto* kernel : bytepair::lookup_kernels()) {
    const Table table;
    for (const std::uint64_t mark : {std::uint64_t{0}, WordKey::kPiece}) {
      std::vector<std::size_t> ends;
      for (std::size_t at = 3; (at += 1 + random() % 15) < text.size() - 16;) ends.push_back(at);
      std::vector<WordKey> keys(ends.size());
      std::vector<std::uint32_t> places(ends.size());
      CHECK_EQ(kernel->prepare(text.data(), 3, ends.data(), ends.size(), mark, table.view,
                               keys.data(), places.data()),
               ends.size());
      std::size_t start = 3;
      for (std::size_t i = 0; i < ends.size(); start = ends[i++]) {
        auto key = WordKey::of(std::string_view(text).substr(start, ends[i] - start));
        CHECK_EQ(key.short_word(), std::string_view(text).substr(start, ends[i] - start));
        if (mark != 0) key = key.of_piece();
        CHECK(same(keys[i], key));
        CHECK_EQ(places[i], kernel->hash(key) >> 24);
        CHECK_EQ(key.is_piece(), mark != 0);
      }
    }
  }
}

TEST(preparing_stops_before_a_word_that_is_not_short) {
  const std::string text(100, 'x');
  constexpr std::size_t kBeyond = ~(static_cast<std::size_t>(-1) >> 1);
  for (const auto* kernel : bytepair::lookup_kernels()) {
    const Table table;
    for (const std::size_t odd : {std::size_t{20}, kBeyond | 6}) {
      const std::vector<std::size_t> ends = {1, 4, odd, 21};
      std::vector<WordKey> keys(4);
      std::vector<std::uint32_t> places(4);
      CHECK_EQ(kernel->prepare(text.data(), 0, ends.data(), 4, 0, table.view, keys.data(),
                               places.data()),
               std::size_t{2});
    }
  }
}

TEST(words_are_found_up_to_the_first_that_is_not_there) {
  for (const auto* kernel : bytepair::lookup_kernels()) {
    Table table;
    std::vector<WordKey> keys;
    std::vector<std::uint32_t> places;
    for (std::uint64_t i = 0; i < 40; ++i) {
      keys.push_back(WordKey::of("word " + std::to_string(i)));
      places.push_back(kernel->hash(keys.back()) >> table.view.shift);
      if (i != 30) table.add(*kernel, keys.back(), 1 + i % 3);
    }
    std::vector<TokenId> ids(200);
    std::size_t n_ids = 0;
    const auto n = kernel->find(table.view, keys.data(), places.data(), 40, ids.data(), n_ids);
    CHECK(n <= 30 && n > 5);
    std::size_t n_expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      CHECK_EQ(ids[n_expected], static_cast<TokenId>(keys[i].low));
      n_expected += 1 + i % 3;
    }
    CHECK_EQ(n_ids, n_expected);
    std::size_t n_counted = 0;
    CHECK_EQ(kernel->count(table.view, keys.data(), places.data(), 40, n_counted), n);
    CHECK_EQ(n_counted, n_expected);
  }
}

TEST(hashes_of_words_spread) {
  for (const auto* kernel : bytepair::lookup_kernels()) {
    std::vector<int> n_at(1024);
    for (int i = 0; i < 10'240; ++i) {
      ++n_at[kernel->hash(WordKey::of(std::to_string(i))) >> 22];
    }
    CHECK(*std::ranges::max_element(n_at) < 40);
  }
}

/// All words of three different letters and blanks before them, the letters doubled or not: 130,000.
std::set<std::string> words_with_doubled_letters() {
  const auto repeated = [](int letter, int n) {
    return std::string(static_cast<std::size_t>(n), static_cast<char>('a' + letter));
  };
  std::set<std::string> words;
  for (int letters = 0; letters < 26 * 26 * 26; ++letters) {
    for (int doubled = 0; doubled < 8; ++doubled) {
      words.insert(" " + repeated(letters % 26, 1 + (doubled & 1)) +
                   repeated(letters / 26 % 26, 1 + (doubled >> 1 & 1)) +
                   repeated(letters / 676, 1 + (doubled >> 2)));
    }
  }
  return words;
}

TEST(words_with_doubled_letters_have_hashes_that_differ) {
  const auto words = words_with_doubled_letters();
  for (const auto* kernel : bytepair::lookup_kernels()) {
    std::set<std::uint32_t> hashes;
    for (const auto& word : words) hashes.insert(kernel->hash(WordKey::of(word)));
    // By chance two in 2^32: n^2 / 2^33 pairs, which is 2.
    CHECK(words.size() - hashes.size() < 100);
  }
}

int main() { return check::run_all(); }
