// learn_join.cpp: words after the merges that were learned before.
//
// A word is cut where no merge joins what stands side by side; the pieces are joined each for
// itself, and most of them were seen before. So a phrase costs little more than its words.
#include <algorithm>
#include <functional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "bytepair/hash.hpp"
#include "bytepair/learn.hpp"
#include "learn_scan.hpp"
#include "prune_words.hpp"
#include "team.hpp"

namespace bytepair {
namespace {

constexpr std::size_t kStepsPerSymbol = 16;
constexpr std::int64_t kLeastShared = std::int64_t{1} << 20;  // symbols that are worth a thread

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


/// Tells between which symbols of the words no merge joins anything. Conservative.
class Seams {
 public:
  Seams(const Words& words, const MergeColumns& merges, std::size_t n_symbols) {
    struct Edges {
      Symbol first;
      Symbol last;
    };
    std::vector<Edges> edges(n_symbols);
    std::vector<std::uint8_t> is_made(n_symbols);
    for (Symbol symbol = 0; symbol < n_symbols; ++symbol) edges[symbol] = {symbol, symbol};
    for (const auto joined : merges.joined) is_made[joined] = 1;
    // Nothing follows from a symbol that is made and stands in a word as well.
    const auto is_first = [&](Symbol symbol) { return is_made[symbol] == 0; };
    if (!std::ranges::all_of(words.symbols, is_first)) return;
    if (!std::ranges::all_of(words.byte_symbols, is_first)) return;
    joins_.resize((std::size_t{1} << kBits) / 64);
    std::vector<std::uint8_t> is_known(n_symbols);
    for (std::size_t i = 0; i < merges.left.size(); ++i) {
      const Symbol left = merges.left[i];
      const Symbol right = merges.right[i];
      const auto knows = [&](Symbol one) { return one < n_symbols && (!is_made[one] || is_known[one]); };
      const Symbol joined = merges.joined[i];
      // Or from merges in another order than symbols are made in, or several ways to make one.
      if (!knows(left) || !knows(right) || is_known[joined]) {
        joins_.clear();
        return;
      }
      edges[joined] = {edges[left].first, edges[right].last};
      is_known[joined] = 1;
      const auto bit = bit_of(edges[left].last, edges[right].first);
      joins_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  }

  [[nodiscard]] bool may_join(Symbol left, Symbol right) const noexcept {
    if (joins_.empty()) return true;
    const auto bit = bit_of(left, right);
    return (joins_[bit / 64] >> (bit % 64) & 1) != 0;
  }

 private:
  static constexpr std::size_t kBits = 20;  // no two pairs of bytes share one
  static std::size_t bit_of(Symbol left, Symbol right) noexcept {
    return (std::size_t{left} << 10 ^ right) & ((std::size_t{1} << kBits) - 1);
  }

  std::vector<std::uint64_t> joins_;  // empty: any two may
};

/// What became of pieces, by their symbols.
class Pieces {
 public:
  Pieces(const MergeColumns& merges, std::size_t n_symbols)
      : joiner_(merges, n_symbols), entries_(kFirstSize) {}

  /// Appends what is left of a piece of the words, which must stay where it is.
  template <class T>
  void join(std::span<const T> piece, std::vector<Symbol>& out) {
    if (piece.size() == 1) return out.push_back(piece[0]);
    const std::string_view key(reinterpret_cast<const char*>(piece.data()), piece.size_bytes());
    Entry& entry = entry_of(key);
    if (entry.key.empty()) {
      word_.assign(piece.begin(), piece.end());
      joiner_.join(word_);
      entry = {key, kept_.size(), joiner_.tokens.size()};
      kept_.insert(kept_.end(), joiner_.tokens.begin(), joiner_.tokens.end());
      out.insert(out.end(), joiner_.tokens.begin(), joiner_.tokens.end());
      if (++n_entries_ * 2 > entries_.size()) grow();
      return;
    }
    const auto kept = std::span(kept_).subspan(entry.start, entry.size);
    out.insert(out.end(), kept.begin(), kept.end());
  }

 private:
  static constexpr std::size_t kFirstSize = std::size_t{1} << 12;

  struct Entry {
    std::string_view key;  // empty: free
    std::size_t start = 0;  // in `kept_`
    std::size_t size = 0;
  };

  Entry& entry_of(std::string_view key) {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = hash_bytes(key) & mask;
    while (!entries_[at].key.empty() && entries_[at].key != key) at = (at + 1) & mask;
    return entries_[at];
  }

  void grow() {
    std::vector<Entry> old(entries_.size() * 2);
    old.swap(entries_);
    for (const auto& entry : old) {
      if (!entry.key.empty()) entry_of(entry.key) = entry;
    }
  }

  Joiner joiner_;
  std::vector<Entry> entries_;
  std::size_t n_entries_ = 0;
  std::vector<Symbol> kept_;
  std::vector<Symbol> word_;
};

/// Words `begin` to `end`, joined; offsets from 0 on.
template <class T>
SymbolRows joined_share(const Words& words, std::span<const T> symbols, const Seams& seams,
                        Pieces& pieces, std::size_t begin, std::size_t end,
                        const std::function<void(std::size_t)>& step) {
  SymbolRows rows;
  rows.offsets.reserve(end - begin + 1);
  rows.offsets.push_back(0);
  for (std::size_t i = begin; i < end; ++i) {
    auto start = static_cast<std::size_t>(words.offsets[i]);
    const auto stop = static_cast<std::size_t>(words.offsets[i + 1]);
    step(stop - start);
    for (std::size_t at = start; at < stop; ++at) {
      if (at + 1 < stop && seams.may_join(symbols[at], symbols[at + 1])) continue;
      pieces.join(symbols.subspan(start, at + 1 - start), rows.symbols);
      start = at + 1;
    }
    rows.offsets.push_back(static_cast<std::int64_t>(rows.symbols.size()));
  }
  return rows;
}

SymbolRows put_together(std::vector<SymbolRows> shares) {
  SymbolRows all = std::move(shares[0]);
  for (auto& share : std::span(shares).subspan(1)) {
    const auto n_before = static_cast<std::int64_t>(all.symbols.size());
    all.symbols.insert(all.symbols.end(), share.symbols.begin(), share.symbols.end());
    for (const auto offset : std::span(share.offsets).subspan(1)) {
      all.offsets.push_back(n_before + offset);
    }
    share = {};
  }
  return all;
}

}  // namespace

SymbolRows join_words(const Words& words, const MergeColumns& merges, std::size_t n_symbols,
                      const KeepGoing& keep_going, std::size_t n_threads) {
  require_fit(words, merges, n_symbols);
  const Seams seams(words, merges, n_symbols);
  Team team(words.offsets.back() < kLeastShared ? 1 : n_threads);
  Pulse pulse;
  pulse.listen_to(keep_going);
  std::vector<SymbolRows> shares(team.size());
  const auto total = static_cast<std::size_t>(words.offsets.back());
  const auto word_at = [&](std::size_t share) {  // where a share begins
    const auto place = static_cast<std::int64_t>(total / team.size() * share);
    const auto end = words.offsets.end() - 1;
    if (share == team.size()) return words.counts.size();
    return static_cast<std::size_t>(std::lower_bound(words.offsets.begin(), end, place) -
                                    words.offsets.begin());
  };
  team.run([&](std::size_t i) {
    Pieces pieces(merges, n_symbols);
    const auto step = [&](std::size_t n_steps) { pulse.step(i, n_steps * kStepsPerSymbol); };
    shares[i] = words.symbols.empty()
                    ? joined_share(words, words.byte_symbols, seams, pieces, word_at(i),
                                   word_at(i + 1), step)
                    : joined_share(words, words.symbols, seams, pieces, word_at(i),
                                   word_at(i + 1), step);
  });
  return put_together(std::move(shares));
}

}  // namespace bytepair
