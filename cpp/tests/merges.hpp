// merges.hpp: small vocabularies, and what they make of words by looking at every pair.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bytepair/words.hpp"

namespace merges {

using bytepair::FirstSymbols;
using bytepair::MergeColumns;
using bytepair::Symbol;
using bytepair::TokenId;
using bytepair::Tokens;
using bytepair::Words;

using Ids = std::vector<TokenId>;

struct Merge {
  Symbol left;
  Symbol right;
  Symbol joined;
  std::uint32_t rank;
};
using Merges = std::vector<Merge>;

/// Joins the leftmost pair of the lowest rank until no pair has a rank.
inline Ids naive_join(Ids symbols, const Merges& merges) {
  std::map<std::pair<Symbol, Symbol>, Merge> merge_by_pair;
  for (const auto& merge : merges) merge_by_pair.try_emplace({merge.left, merge.right}, merge);
  while (true) {
    std::optional<std::size_t> best_at;
    Merge best{};
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = merge_by_pair.find({symbols[i], symbols[i + 1]});
      if (found == merge_by_pair.end()) continue;
      if (best_at && found->second.rank >= best.rank) continue;
      best_at = i;
      best = found->second;
    }
    if (!best_at) return symbols;
    symbols[*best_at] = best.joined;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(*best_at) + 1);
  }
}

/// The columns of merges, for as long as they live.
struct Columns {
  std::vector<Symbol> left, right, joined;
  std::vector<std::uint32_t> rank;

  explicit Columns(const Merges& merges) {
    for (const auto& merge : merges) {
      left.push_back(merge.left);
      right.push_back(merge.right);
      joined.push_back(merge.joined);
      rank.push_back(merge.rank);
    }
  }
  [[nodiscard]] MergeColumns view() const { return {left, right, joined, rank}; }
};

/// Tokens with their bytes, for as long as they live.
struct TokenList {
  std::vector<Symbol> symbols;
  std::vector<std::uint8_t> kinds;
  std::string bytes;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<TokenId> ids;  // by symbol; none: symbols are ids

  void add(Symbol symbol, std::string_view content, unsigned kind = 0) {
    symbols.push_back(symbol);
    kinds.push_back(static_cast<std::uint8_t>(kind));
    bytes += content;
    offsets.push_back(bytes.size());
  }
  /// Byte b has the symbol b.
  static TokenList plain_bytes() {
    TokenList tokens;
    for (unsigned byte = 0; byte < 256; ++byte) {
      tokens.add(byte, std::string(1, static_cast<char>(byte)));
    }
    return tokens;
  }
  [[nodiscard]] Tokens view() const { return {symbols, kinds, bytes, offsets, ids}; }
};

/// Words over plain bytes.
inline Words words_of(const Merges& merges) {
  return Words(TokenList::plain_bytes().view(), Columns(merges).view(), {}, false);
}

inline Ids bytes_of(std::string_view text) {
  Ids ids;
  for (const char byte : text) ids.push_back(static_cast<unsigned char>(byte));
  return ids;
}

inline std::string random_letters(std::mt19937& random, std::size_t size) {
  std::string text(size, '\0');
  for (auto& letter : text) letter = static_cast<char>('a' + random() % 3);
  return text;
}

/// Merges of a, b, c and of what came of them: a list in any order, or a table in which all ways to
/// a symbol share its rank.
inline Merges random_merges(std::mt19937& random, bool share_ranks) {
  Merges merges;
  std::map<std::string, Symbol> symbol_by_content = {{"a", 'a'}, {"b", 'b'}, {"c", 'c'}};
  std::vector<std::string> contents = {"a", "b", "c"};
  std::map<std::pair<Symbol, Symbol>, bool> seen;
  for (std::uint32_t i = 0; i < 30; ++i) {
    const auto& left = contents[random() % contents.size()];
    const auto& right = contents[random() % contents.size()];
    const auto pair = std::pair(symbol_by_content[left], symbol_by_content[right]);
    if (std::exchange(seen[pair], true)) continue;
    const auto content = left + right;
    const auto joined = symbol_by_content.try_emplace(content, 256 + i).first->second;
    merges.push_back({pair.first, pair.second, joined, share_ranks ? joined * 7 : i});
    if (joined == 256 + i) contents.push_back(content);
  }
  if (share_ranks || random() % 2 == 0) return merges;
  std::vector<Merge> shuffled = merges;
  std::ranges::shuffle(shuffled, random);
  for (std::size_t i = 0; i < merges.size(); ++i) merges[i].rank = shuffled[i].rank;
  return merges;
}

}  // namespace merges
