// join_long.cpp: words of any length, one window after the other.
//
// A window is joined by itself. What comes out near its ends may be wrong for the word, so windows
// overlap, and one is put behind another where both agree (Prefix::append says why that is right).
// Mostly they do within a few symbols, and the windows are small. Where they do not, because tokens
// are long or because what becomes of a symbol depends on symbols far away, they grow, in the end
// to all of the word.
#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <stdexcept>

#include "bytepair/join.hpp"

namespace bytepair {
namespace {

/// Tokens of a part of a word, joined by itself.
struct Part {
  std::size_t start;  // symbols
  std::size_t size;
  const Symbol* symbols;       // a token stands at the place of its first symbol
  const std::uint64_t* alive;  // bit i: there is a token at place i
};

/// The tokens of the first symbols of a word, joined by themselves.
class Prefix {
 public:
  explicit Prefix(std::size_t n_symbols) : n_symbols_(n_symbols) {
    chain_.starts.resize(n_symbols / 64 + 2);
  }

  /// How many symbols.
  [[nodiscard]] std::size_t end() const { return end_; }
  [[nodiscard]] bool is_all() const { return end_ == n_symbols_; }
  [[nodiscard]] Chain result() { return std::move(chain_); }

  /// Where the token begins that takes the symbol at `place` < end().
  [[nodiscard]] std::size_t start_at(std::size_t place) const {
    std::size_t i = place / 64;
    std::uint64_t bits = chain_.starts[i] & (~std::uint64_t{0} >> (63 - place % 64));
    while (bits == 0) bits = chain_.starts[--i];
    return i * 64 + 63 - static_cast<std::size_t>(std::countl_zero(bits));
  }

  /// Goes on with a part that begins at or before the end and ends behind it. False if nothing
  /// shows that the two fit together.
  ///
  /// They do if two borders between tokens (or the ends of the two) are the same in both. Let i < j
  /// be these. What lies before i, between i and j, and behind j is joined each as if there was
  /// nothing else, as long as no merge crosses i or j; and which of two such stretches is next
  /// depends on nothing outside of them. So the first merge to cross i, in the whole, would have been
  /// the next one without what is behind j as well: but the tokens so far have a border at i. The
  /// first to cross j would have been the next one without what is before i: but the part has a
  /// border at j.
  bool append(const Part& part) {
    std::size_t cut = 0;
    if (part.start > 0) {
      cut = second_common_border(part);
      if (cut == kNone) return false;
    }
    drop_from(cut);
    add(part, cut);
    end_ = part.start + part.size;
    return true;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// 64 of the bits of `starts` from `place` on.
  [[nodiscard]] std::uint64_t starts_from(std::size_t place) const {
    const auto* word = &chain_.starts[place / 64];
    const std::size_t shift = place % 64;
    return shift == 0 ? *word : word[0] >> shift | word[1] << (64 - shift);
  }

  [[nodiscard]] std::size_t second_common_border(const Part& part) const {
    bool has_one = false;
    for (std::size_t at = part.start; at <= end_; at += 64) {
      std::uint64_t bits = starts_from(at);
      if (end_ - at < 64) bits |= std::uint64_t{1} << (end_ - at);
      bits &= part.alive[(at - part.start) / 64];
      if (bits != 0 && !has_one) {
        has_one = true;
        bits &= bits - 1;
      }
      if (bits != 0) return at + static_cast<std::size_t>(std::countr_zero(bits));
    }
    return kNone;
  }

  /// Takes the tokens back that begin at `cut` or behind it.
  void drop_from(std::size_t cut) {
    std::size_t n = 0;
    std::uint64_t kept = (std::uint64_t{1} << (cut % 64)) - 1;
    for (std::size_t i = cut / 64; i * 64 < end_; ++i, kept = 0) {
      n += static_cast<std::size_t>(std::popcount(chain_.starts[i] & ~kept));
      chain_.starts[i] &= kept;
    }
    chain_.tokens.resize(chain_.tokens.size() - n);
  }

  /// Adds the tokens of a part that begin at `cut` or behind it.
  void add(const Part& part, std::size_t cut) {
    std::size_t first = cut - part.start;
    for (std::size_t i = first / 64; i * 64 < part.size; ++i, first = 0) {
      const std::uint64_t alive = part.alive[i] & (~std::uint64_t{0} << (first % 64));
      const std::size_t n = chain_.tokens.size();
      chain_.tokens.resize(n + static_cast<std::size_t>(std::popcount(alive)));
      Symbol* to = chain_.tokens.data() + n;
      for (std::uint64_t left = alive; left != 0; left &= left - 1) {
        *to++ = part.symbols[i * 64 + static_cast<std::size_t>(std::countr_zero(left))];
      }
      const std::size_t place = part.start + i * 64;
      chain_.starts[place / 64] |= alive << (place % 64);
      if (place % 64 != 0) chain_.starts[place / 64 + 1] |= alive >> (64 - place % 64);
    }
  }

  std::size_t n_symbols_;
  std::size_t end_ = 0;
  Chain chain_;
};

/// Where pairs may be joined: the least order comes first, in an order the leftmost.
///
/// Nearly always the sites that are found while one order is at hand have greater orders, because
/// tokens are learned before what is made of them. Those wait in a radix heap (Ahuja et al. 1990,
/// https://doi.org/10.1145/77600.77615), where each moves a few times through memory, and the sites
/// of the order at hand are a list. Whatever else comes goes through an ordinary heap.
class Sites {
 public:
  struct Site {
    std::uint32_t order;  // < kMostOrders
    std::uint32_t place;
    auto operator<=>(const Site&) const = default;
  };

  void add(Site site) {
    if (site.order >= least_later_) {
      later_[bucket_of(site.order)].push_back(site);
    } else {
      sooner_.push_back(site);
      std::ranges::push_heap(sooner_, std::greater());
    }
  }

  /// Takes the next one; false if there is none.
  bool next(Site& site) {
    if (n_used_ == places_.size() && sooner_.empty() && !advance()) return false;
    if (!sooner_.empty() && (n_used_ == places_.size() || sooner_.front() < at_hand())) {
      site = sooner_.front();
      std::ranges::pop_heap(sooner_, std::greater());
      sooner_.pop_back();
    } else {
      site = at_hand();
      ++n_used_;
    }
    return true;
  }

  /// Passes over the next one if it is at this place. Never needed, but cheaper.
  void pass(std::uint32_t place) {
    if (n_used_ < places_.size() && places_[n_used_] == place) ++n_used_;
  }

  /// Once all are taken: any order may come next.
  void restart() { least_later_ = 0; }

 private:
  [[nodiscard]] Site at_hand() const { return {least_later_ - 1, places_[n_used_]}; }

  /// By the first bit in which the order differs from the one at hand; those of bucket 0 would not.
  [[nodiscard]] std::size_t bucket_of(std::uint32_t order) const {
    return static_cast<std::size_t>(std::bit_width((order + 1) ^ least_later_));
  }

  /// Goes on to the least order that waits.
  bool advance() {
    const auto bucket =
        std::ranges::find_if(later_, [](const auto& sites) { return !sites.empty(); });
    if (bucket == later_.end()) return false;
    const auto order = std::ranges::min(*bucket, {}, &Site::order).order;
    least_later_ = order + 1;
    places_.clear();
    n_used_ = 0;
    for (const Site site : *bucket) {
      if (site.order == order) {
        places_.push_back(site.place);
      } else {
        later_[bucket_of(site.order)].push_back(site);
      }
    }
    bucket->clear();
    if (!std::ranges::is_sorted(places_)) std::ranges::sort(places_);
    return true;
  }

  std::uint32_t least_later_ = 0;      // one more than the order at hand
  std::vector<std::uint32_t> places_;  // of the sites of the order at hand
  std::size_t n_used_ = 0;
  std::array<std::vector<Site>, std::bit_width(kMostOrders) + 1> later_;
  std::vector<Site> sooner_;  // a heap
};

/// A part of any size. O(n log n).
class LargePart {
 public:
  template <class Table, class Word>
  Part join(const Table& table, const Word& word, std::size_t start, std::size_t size) {
    if (size >= 0xFFFF'FFFF) throw std::length_error("a pre-token of 4 GiB or more");
    const auto n = static_cast<std::uint32_t>(size);
    begin(word, start, n);
    for (Sites::Site site; sites_.next(site);) {
      const std::uint32_t at = site.place;
      if (orders_[at] != site.order) continue;  // the pair has changed since
      const std::uint32_t second = next_[at];
      const std::uint32_t after = next_[second];
      const Symbol joined = table.joined(site.order);
      symbols_[at] = joined;
      next_[at] = after;
      orders_[second] = kMostOrders;
      sites_.pass(second);
      if (after < n) previous_[after] = at;
      if (at > 0) set_order(previous_[at], table.order(symbols_[previous_[at]], joined));
      set_order(at, after < n ? table.order(joined, symbols_[after]) : kMostOrders);
    }
    alive_.assign(size / 64 + 1, 0);
    for (std::uint32_t at = 0; at < n; at = next_[at]) {
      alive_[at / 64] |= std::uint64_t{1} << (at % 64);
    }
    return {start, size, symbols_.data(), alive_.data()};
  }

 private:
  template <class Word>
  void begin(const Word& word, std::size_t start, std::uint32_t n) {
    symbols_.resize(n);
    orders_.resize(n);
    next_.resize(n);
    previous_.resize(n);
    sites_.restart();
    for (std::uint32_t i = 0; i < n; ++i) {
      symbols_[i] = word.symbol(start + i);
      next_[i] = i + 1;
      previous_[i] = i - 1;
      set_order(i, i + 1 < n ? order_of_rank(word.rank(start + i)) : kMostOrders);
    }
  }

  void set_order(std::uint32_t place, std::uint32_t order) {
    orders_[place] = order;
    if (order != kMostOrders) sites_.add({order, place});
  }

  std::vector<Symbol> symbols_;
  std::vector<std::uint32_t> orders_;  // of the pair that begins at each place
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> previous_;
  std::vector<std::uint64_t> alive_;
  Sites sites_;
};

/// Joins one word.
template <class Table, class Word>
class LongJoin {
 public:
  LongJoin(const Table& table, const Word& word)
      : table_(table), word_(word), prefix_(word.size()) {}

  Chain run() {
    while (!prefix_.is_all()) {
      if (by_repetition()) continue;
      if (size_ == kWindow ? by_small_windows() : by_large_window()) {
        shrink_after_a_while();
      } else {
        grow();
      }
    }
    return prefix_.result();
  }

 private:
  using Small = Lane<64>;
  static constexpr std::size_t kWindow = Small::kSize;  // symbols
  static constexpr std::size_t kStep = 48;              // from one small window to the next
  static constexpr std::size_t kGrowth = 4;
  static constexpr std::size_t kFew = 4;    // small windows joined together, to begin with
  static constexpr std::size_t kMany = 32;  // and at most

  void grow() {
    if (has_shrunk_) patience_ *= 2;
    has_shrunk_ = false;
    n_good_ = 0;
    size_ = std::min(size_, word_.size()) * kGrowth;
  }

  /// Some windows that fit, then smaller ones are tried again: more each time that was in vain.
  void shrink_after_a_while() {
    has_shrunk_ = false;
    if (size_ == kWindow || ++n_good_ < patience_) return;
    n_good_ = 0;
    size_ /= kGrowth;
    has_shrunk_ = true;
  }

  /// Where the next window begins: with a token, so that it has one border in common with what there
  /// is.
  [[nodiscard]] std::size_t start_of_next() const {
    const std::size_t overlap = size_ == kWindow ? kWindow - kStep : size_ / 8;
    if (prefix_.end() <= overlap || size_ >= word_.size()) return 0;
    return prefix_.start_at(prefix_.end() - overlap);
  }

  /// Whether a window gets far enough to be worth it: else the cost would not be bounded.
  [[nodiscard]] bool gets_on(std::size_t start) const {
    return start + size_ >= std::min(prefix_.end() + size_ / 4, word_.size());
  }

  [[nodiscard]] std::size_t size_from(std::size_t start) const {
    return std::min(size_, word_.size() - start);
  }

  /// Goes on by the same window as before, if the same symbols come again.
  bool by_repetition() {
    const std::size_t start = start_of_next();
    if (last_.size != size_ || size_from(start) < size_ || !gets_on(start)) return false;
    if (!word_.repeats(last_.start, start, size_)) return false;
    last_.start = start;
    return prefix_.append(last_);
  }

  /// Goes on by small windows, joined together. False if the first of them does not fit.
  bool by_small_windows() {
    const std::size_t start = start_of_next();
    if (!gets_on(start)) return false;
    last_ = {};
    std::array<const Small*, kMany> windows;
    std::size_t n = 0;
    std::size_t n_joined = 0;
    for (std::size_t at = start; n < n_windows_; at += kStep) {
      const bool is_full = size_from(at) == kWindow;
      if (n == 0 || !is_full || !word_.repeats(at - kStep, at, kWindow)) {
        fill(at, joined_[n_joined++]);
      }
      windows[n++] = &joined_[n_joined - 1];
      if (at + kWindow >= word_.size()) break;
    }
    join_lanes(table_, std::span(joined_.data(), n_joined));
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = start + i * kStep;
      const Part part{at, size_from(at), windows[i]->symbols, &windows[i]->alive};
      if (!prefix_.append(part)) {
        n_windows_ = kFew;
        return i > 0;
      }
      last_ = part;
    }
    n_windows_ = std::min(n_windows_ * 2, kMany);
    patience_ = 1;
    return true;
  }

  void fill(std::size_t start, Small& window) const {
    const std::size_t size = size_from(start);
    for (std::size_t i = 0; i < size; ++i) window.symbols[i] = word_.symbol(start + i);
    for (std::size_t i = 0; i + 1 < size; ++i) window.ranks[i] = word_.rank(start + i);
    for (std::size_t i = size - 1; i <= kWindow; ++i) window.ranks[i] = Small::kNoRank;
    window.symbols[kWindow] = Table::kNoSymbol;
    window.alive = ~std::uint64_t{0} >> (kWindow - size);
  }

  /// Goes on by one large window. False if it does not fit.
  bool by_large_window() {
    const std::size_t start = start_of_next();
    if (!gets_on(start)) return false;
    last_ = large_.join(table_, word_, start, size_from(start));
    return prefix_.append(last_);
  }

  const Table& table_;
  const Word& word_;
  Prefix prefix_;
  std::size_t size_ = kWindow;  // of the next window
  std::size_t n_windows_ = kFew;
  std::size_t n_good_ = 0;    // large windows of this size that fit
  std::size_t patience_ = 1;  // so many must fit before smaller ones are tried
  bool has_shrunk_ = false;
  std::array<Small, kMany> joined_;
  LargePart large_;
  Part last_{};  // in one of these two
};

}  // namespace

template <class Table, class Word>
Chain join_long(const Table& table, const Word& word) {
  return LongJoin<Table, Word>(table, word).run();
}

template Chain join_long(const PairTable<NarrowSlot>&, const ByteWord&);
template Chain join_long(const PairTable<WideSlot>&, const ByteWord&);
template Chain join_long(const PairTable<NarrowSlot>&,
                         const SymbolWord<PairTable<NarrowSlot>>&);
template Chain join_long(const PairTable<WideSlot>&, const SymbolWord<PairTable<WideSlot>>&);

}  // namespace bytepair
