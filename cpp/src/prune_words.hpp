// prune_words.hpp: words, and what merging makes of them while tokens go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "bytepair/pair_map.hpp"
#include "bytepair/pair_table.hpp"

namespace bytepair {

/// Rows of symbols, one after the other.
struct Rows {
  std::vector<Symbol> values;
  std::vector<std::int64_t> offsets;

  Rows(std::span<const Symbol> symbols, std::span<const std::int64_t> borders)
      : values(symbols.begin(), symbols.end()), offsets(borders.begin(), borders.end()) {}
  [[nodiscard]] std::size_t size() const { return offsets.size() - 1; }
  [[nodiscard]] std::span<const Symbol> operator[](std::size_t row) const {
    const auto begin = static_cast<std::size_t>(offsets[row]);
    return std::span(values).subspan(begin, static_cast<std::size_t>(offsets[row + 1]) - begin);
  }
};

/// Joins words by the merges of all symbols but those that are gone.
class Joiner {
 public:
  Joiner(const MergeColumns& merges, std::size_t n_symbols)
      : rows_(merges.rank.size()), is_gone_(n_symbols) {
    for (std::size_t i = 0; i < merges.rank.size(); ++i) {
      rows_.insert(merges.left[i], merges.right[i], {merges.rank[i], merges.joined[i]});
    }
  }

  static constexpr Symbol kNoSymbol = 0xFFFF'FFFF;

  // Of the word joined last: what is left of it, all that was joined on the way, and the last pair.
  std::vector<Symbol> tokens;
  std::vector<Symbol> made;
  std::pair<Symbol, Symbol> last;

  void join(std::span<const Symbol> word, Symbol without = kNoSymbol) {
    tokens.assign(word.begin(), word.end());
    made.clear();
    last = {kNoSymbol, kNoSymbol};
    without_ = without;
    word.size() <= kShort ? join_short() : join_long();
  }

  /// As if a word had become one token at once.
  void take(Symbol token) {
    tokens.assign(1, token);
    made.assign(1, token);
  }
  [[nodiscard]] bool is(Symbol token) const { return tokens.size() == 1 && tokens[0] == token; }

  void remove(Symbol symbol) { is_gone_[symbol] = 1; }
  [[nodiscard]] bool is_gone(Symbol symbol) const { return is_gone_[symbol] != 0; }

 private:
  static constexpr std::size_t kShort = 48;  // beyond, a queue beats looking through all pairs
  static constexpr std::uint32_t kNoRank = 0xFFFF'FFFF;

  struct Row {
    std::uint32_t rank;
    Symbol joined;
  };
  struct Site {
    std::uint32_t rank;
    std::uint32_t at;
    Symbol left;
    Symbol right;
    [[nodiscard]] bool operator>(const Site& other) const {
      return std::pair(rank, at) > std::pair(other.rank, other.at);
    }
  };

  [[nodiscard]] Row row_of(Symbol left, Symbol right) const {
    const Row* row = rows_.find(left, right);
    const bool joins = row != nullptr && row->joined != without_ && !is_gone_[row->joined];
    return joins ? *row : Row{kNoRank, kNoSymbol};
  }

  void join_short() {
    Row pairs[kShort];
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      pairs[i] = row_of(tokens[i], tokens[i + 1]);
    }
    while (tokens.size() > 1) {
      std::size_t best = 0;
      for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
        if (pairs[i].rank < pairs[best].rank) best = i;
      }
      if (pairs[best].rank == kNoRank) return;
      last = {tokens[best], tokens[best + 1]};
      tokens[best] = pairs[best].joined;
      made.push_back(tokens[best]);
      tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(best) + 1);
      for (std::size_t i = best + 1; i < tokens.size(); ++i) pairs[i - 1] = pairs[i];
      if (best > 0) pairs[best - 1] = row_of(tokens[best - 1], tokens[best]);
      if (best + 1 < tokens.size()) pairs[best] = row_of(tokens[best], tokens[best + 1]);
    }
  }

  void join_long() {
    const auto end = static_cast<std::uint32_t>(tokens.size());
    following_.resize(end);
    preceding_.resize(end);
    sites_ = {};
    for (std::uint32_t i = 0; i < end; ++i) {
      following_[i] = i + 1;
      preceding_[i] = i - 1;
      if (i + 1 < end) offer(i, i + 1);
    }
    while (!sites_.empty()) {
      const Site site = sites_.top();
      sites_.pop();
      const std::uint32_t second = tokens[site.at] == site.left ? following_[site.at] : end;
      if (second == end || tokens[second] != site.right) continue;
      last = {site.left, site.right};
      tokens[site.at] = row_of(site.left, site.right).joined;
      made.push_back(tokens[site.at]);
      tokens[second] = kNoSymbol;
      const auto after = following_[site.at] = following_[second];
      if (after < end) {
        preceding_[after] = site.at;
        offer(site.at, after);
      }
      if (site.at > 0) offer(preceding_[site.at], site.at);
    }
    std::erase(tokens, kNoSymbol);
  }

  void offer(std::uint32_t left, std::uint32_t right) {
    const Row row = row_of(tokens[left], tokens[right]);
    if (row.rank != kNoRank) sites_.push({row.rank, left, tokens[left], tokens[right]});
  }

  PairMap<Row> rows_;
  std::vector<std::uint8_t> is_gone_;
  Symbol without_ = kNoSymbol;
  std::vector<std::uint32_t> following_;
  std::vector<std::uint32_t> preceding_;
  std::priority_queue<Site, std::vector<Site>, std::greater<>> sites_;
};

}  // namespace bytepair
