// learn_join.cpp: words after the merges that were learned before.
#include <algorithm>
#include <stdexcept>

#include "bytepair/learn.hpp"
#include "prune_words.hpp"

namespace bytepair {
namespace {

constexpr std::size_t kWordsPerLook = std::size_t{1} << 14;  // a few milliseconds

void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(what);
}

void require_fit(const Words& words, const MergeColumns& merges, std::size_t n_symbols) {
  const std::size_t size = words.symbols.size() + words.byte_symbols.size();
  const auto n_merges = merges.left.size();
  const auto is_known = [n_symbols](Symbol symbol) { return symbol < n_symbols; };
  require(words.symbols.empty() || words.byte_symbols.empty(), "there are two arrays of symbols");
  require(words.offsets.size() == words.counts.size() + 1 && words.offsets.front() == 0 &&
              std::ranges::is_sorted(words.offsets) &&
              words.offsets.back() == static_cast<std::int64_t>(size),
          "offsets do not cover the symbols");
  require(merges.right.size() == n_merges && merges.joined.size() == n_merges &&
              merges.rank.size() == n_merges,
          "the columns of the merges differ in size");
  require(std::ranges::all_of(words.symbols, is_known) &&
              std::ranges::all_of(words.byte_symbols, is_known) &&
              std::ranges::all_of(merges.joined, is_known),
          "a symbol is not in the alphabet");
}

}  // namespace

SymbolRows join_words(const Words& words, const MergeColumns& merges, std::size_t n_symbols,
                      const KeepGoing& keep_going) {
  require_fit(words, merges, n_symbols);
  Joiner joiner(merges, n_symbols);
  SymbolRows joined;
  joined.offsets.reserve(words.offsets.size());
  joined.offsets.push_back(0);
  std::vector<Symbol> word;
  for (std::size_t i = 0; i < words.counts.size(); ++i) {
    if (i % kWordsPerLook == 0 && keep_going && !keep_going()) throw Stopped();
    const auto begin = static_cast<std::size_t>(words.offsets[i]);
    const auto size = static_cast<std::size_t>(words.offsets[i + 1]) - begin;
    if (words.symbols.empty()) {
      const auto bytes = words.byte_symbols.subspan(begin, size);
      word.assign(bytes.begin(), bytes.end());
    } else {
      const auto symbols = words.symbols.subspan(begin, size);
      word.assign(symbols.begin(), symbols.end());
    }
    joiner.join(word);
    joined.symbols.insert(joined.symbols.end(), joiner.tokens.begin(), joiner.tokens.end());
    joined.offsets.push_back(static_cast<std::int64_t>(joined.symbols.size()));
  }
  return joined;
}

}  // namespace bytepair
