// cache_test.cpp: what is found is what was added, whoever adds and however much.
#include "bytepair/cache.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

using bytepair::TokenId;
using bytepair::TokenTable;
using bytepair::WordCache;
using bytepair::WordKey;

namespace {

using Ids = std::vector<TokenId>;

WordKey key_of(std::string_view word) { return WordKey::of(word); }

Ids find(const WordCache::View& view, const WordKey& key, std::string_view word) {
  std::array<TokenId, 4> storage;
  const auto found = view.find(key, word, storage);
  // The loops over many words find most short ones, and never anything else.
  std::array<TokenId, 4> fast{};
  const auto place = view.place(key);
  std::size_t n = 0;
  std::size_t n_counted = 0;
  const auto& kernel = bytepair::lookup_kernel();
  const auto n_found = kernel.find(view.entries(), &key, &place, 1, fast.data(), n);
  CHECK_EQ(n_found, kernel.count(view.entries(), &key, &place, 1, n_counted));
  CHECK_EQ(n, n_counted);
  CHECK(n == 0 || (n == found.size() && std::equal(found.begin(), found.end(), fast.begin())));
  return {found.begin(), found.end()};
}
Ids find(const WordCache::View& view, std::string_view word) {
  return find(view, key_of(word), word);
}

void add(WordCache::View& view, const WordKey& key, std::string_view word, const Ids& ids) {
  view.add(view.place(key), key, word, ids);
}
void add(WordCache::View& view, std::string_view word, const Ids& ids) {
  add(view, key_of(word), word, ids);
}

/// Some ids that depend on nothing but the word.
Ids ids_of(std::string_view word) {
  const auto hash = std::hash<std::string_view>{}(word);
  Ids ids(1 + hash % 6);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<TokenId>(hash >> i);
  return ids;
}

std::string random_word(std::mt19937& random, std::size_t most) {
  std::string word(1 + random() % most, '\0');
  for (auto& letter : word) letter = static_cast<char>(random());
  return word;
}

/// "token 0" and so on; every tenth is longer than what counts as short.
TokenTable some_tokens(std::size_t n) {
  TokenTable tokens(n, n * 10);
  for (std::size_t i = 0; i < n; ++i) {
    const std::string ending(i % 10 == 3 ? 20 : 0, '.');
    tokens.add("token " + std::to_string(i) + ending, static_cast<TokenId>(i));
  }
  return tokens;
}

bool is_held(const WordCache::View& view, const TokenTable& tokens, std::size_t i) {
  const auto bytes = tokens.bytes(i);
  std::array<TokenId, 4> storage;
  const auto found = view.find(key_of(bytes), bytes, storage);
  return found.size() == 1 && found[0] == tokens.id(i);
}

}  // namespace

TEST(words_of_any_length_are_found_with_all_their_ids) {
  WordCache cache(1 << 20);
  WordCache::View view(cache, 1 << 20);
  for (const std::size_t size : {1, 7, 8, 14, 15, 16, 17, 100, 4096}) {
    for (std::size_t n = 1; n <= std::min<std::size_t>(size, 9); ++n) {
      const std::string word = std::string(size - 1, 'x') + static_cast<char>('0' + n);
      Ids ids(n);
      for (std::size_t i = 0; i < n; ++i) ids[i] = static_cast<TokenId>(0xFFFF'FFFF - size - i);
      CHECK_EQ(find(view, word), Ids{});
      add(view, word, ids);
      CHECK_EQ(find(view, word), ids);
    }
  }
}

TEST(words_that_begin_alike_are_different_words) {
  WordCache cache(1 << 20);
  WordCache::View view(cache);
  const std::string zeros(20, '\0');
  for (std::size_t size = 1; size <= 20; ++size) {
    add(view, std::string_view(zeros).substr(0, size), {static_cast<TokenId>(size)});
  }
  for (std::size_t size = 1; size <= 20; ++size) {
    CHECK_EQ(find(view, std::string_view(zeros).substr(0, size)), Ids{static_cast<TokenId>(size)});
  }
}

TEST(a_piece_is_not_the_word_of_the_same_bytes) {
  WordCache cache(1 << 20);
  WordCache::View view(cache);
  for (const std::string word : {"ab", "a long word, longer than fifteen bytes"}) {
    add(view, word, {1});
    CHECK_EQ(find(view, key_of(word).of_piece(), word), Ids{});
    add(view, key_of(word).of_piece(), word, Ids{2});
    CHECK_EQ(find(view, word), Ids{1});
    CHECK_EQ(find(view, key_of(word).of_piece(), word), Ids{2});
  }
}

TEST(very_long_words_are_not_remembered) {
  WordCache cache(1 << 24);
  WordCache::View view(cache);
  const std::string word(5000, 'x');
  add(view, word, {1});
  CHECK_EQ(find(view, word), Ids{});
}

TEST(a_cache_that_grows_keeps_what_it_has) {
  std::mt19937 random(1);
  WordCache cache(64 << 20);
  WordCache::View view(cache);
  std::map<std::string, Ids> expected;
  for (int i = 0; i < 50'000; ++i) {
    const auto word = random_word(random, 20);
    add(view, word, ids_of(word));
    expected[word] = ids_of(word);
    view.settle();
  }
  std::size_t n_missing = 0;  // a crowded place may have no room
  for (const auto& [word, ids] : expected) {
    const auto found = find(view, word);
    n_missing += found.empty() ? 1 : 0;
    CHECK(found.empty() || found == ids);
  }
  CHECK(n_missing < expected.size() / 20);
}

TEST(a_full_cache_begins_anew_and_stays_right) {
  std::mt19937 random(2);
  WordCache cache(1 << 16);
  WordCache::View view(cache);
  std::size_t n_found = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto word = random_word(random, 2);
    const auto found = find(view, word);
    CHECK(found.empty() || found == ids_of(word));
    n_found += found.empty() ? 0 : 1;
    if (found.empty()) add(view, word, ids_of(word));
    view.settle();
  }
  CHECK(n_found > 0);
}

TEST(a_large_table_begins_with_all_tokens) {
  const auto tokens = some_tokens(100);
  WordCache cache(1 << 20);
  WordCache::View view(cache, 1 << 20);
  CHECK(!view.holds_tokens());
  view.begin_with(tokens);
  CHECK(view.holds_tokens());
  for (std::size_t i = 0; i < tokens.size(); ++i) CHECK(is_held(view, tokens, i));
  CHECK(WordCache::View(cache).holds_tokens());
}

TEST(a_small_table_begins_without_them) {
  WordCache cache(1 << 20);
  WordCache::View view(cache);
  view.begin_with(some_tokens(100));
  CHECK(!view.holds_tokens());
  CHECK_EQ(find(view, "token 7"), Ids{});
}

TEST(whoever_says_that_it_holds_tokens_does) {
  // The first one grows once or twice, the other one begins anew.
  for (const std::size_t max_bytes : {std::size_t{64} << 20, std::size_t{1} << 18}) {
    const auto tokens = some_tokens(100);
    std::mt19937 random(4);
    WordCache cache(max_bytes);
    WordCache::View view(cache, 1 << 17);
    view.begin_with(tokens);
    int n_held = 0;
    for (int i = 0; i < 20'000; ++i) {
      add(view, random_word(random, 20), {static_cast<TokenId>(i)});
      view.settle();
      n_held += view.holds_tokens() ? 1 : 0;
      if (view.holds_tokens()) CHECK(is_held(view, tokens, static_cast<std::size_t>(i) % 100));
    }
    CHECK(n_held > 0);
    CHECK_EQ(view.holds_tokens(), max_bytes > (1 << 20));
  }
}

TEST(tokens_that_come_while_others_look_are_all_there_or_not_promised) {
  const auto tokens = some_tokens(5000);
  WordCache cache(16 << 20);
  std::atomic<std::size_t> n_wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      WordCache::View view(cache, 16 << 20);
      view.begin_with(tokens);
      for (std::size_t i = 0; i < 50'000; ++i) {
        if (view.holds_tokens() && !is_held(view, tokens, i % tokens.size())) ++n_wrong;
        view.settle();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK_EQ(n_wrong.load(), std::size_t{0});
  CHECK(WordCache::View(cache).holds_tokens());
}

TEST(the_smallest_cache_works) {
  WordCache cache(0);
  WordCache::View view(cache, std::size_t{1} << 40);
  add(view, "a", {1});
  CHECK_EQ(find(view, "a"), Ids{1});
}

TEST(threads_see_complete_entries_only) {
  for (const std::size_t max_bytes : {1 << 14, 1 << 22}) {
    WordCache cache(max_bytes);
    std::atomic<std::size_t> n_wrong{0};
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(t);
        for (int round = 0; round < 20; ++round) {
          WordCache::View view(cache);
          for (int i = 0; i < 2000; ++i) {
            const auto word = std::to_string(random() % 5000) + std::string(random() % 2 * 20, 'x');
            std::array<TokenId, 4> storage;
            const auto found = view.find(key_of(word), word, storage);
            const auto ids = ids_of(word);
            if (found.empty()) {
              add(view, key_of(word), word, ids);
            } else if (!std::equal(found.begin(), found.end(), ids.begin(), ids.end())) {
              ++n_wrong;
            }
            view.settle();
          }
        }
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK_EQ(n_wrong.load(), std::size_t{0});
  }
}

TEST(after_a_fork_the_threads_of_the_other_process_are_forgotten) {
  WordCache cache(1 << 16);
  // Of a thread that is not in this process: nobody will end it.
  alignas(WordCache::View) std::array<std::byte, sizeof(WordCache::View)> lost;
  new (lost.data()) WordCache::View(cache);
  bytepair::note_fork();
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    WordCache::View view(cache);
    for (int w = 0; w < 1000; ++w) {
      const auto word = random_word(random, 8);
      add(view, word, ids_of(word));
      view.settle();
      const auto found = find(view, word);
      CHECK(found.empty() || found == ids_of(word));
    }
  }
}

int main() { return check::run_all(); }
