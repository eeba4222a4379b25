// learn.cpp: a lazy queue of pairs, and for each merge only the neighbours of its sites.
//
// Counts only fall, and a new pair is as frequent as it ever will be when it is made. So it is enough
// to keep those pairs in view that occur `least_` times or more: no other can be the best one before
// all of them have been joined or have fallen below. Then all words are looked at anew, with a smaller
// `least_`. Pairs are many and most are rare, so this spares most of the work and of the memory.
#include "bytepair/learn.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <stdexcept>
#include <utility>

#include "bytepair/pair_map.hpp"
#include "learn_blocked.hpp"
#include "learn_scan.hpp"
#include "learn_words.hpp"
#include "team.hpp"

namespace bytepair {
namespace {

constexpr std::size_t kAhead = 12;  // sites between asking for memory and using it
constexpr std::size_t kBeat = std::size_t{1} << 16;  // sites joined in one go
constexpr std::size_t kStepsPerMerge = 256;         // beside those for its sites

/// How a pair stood when it was queued; stale once its count or its preference has changed.
struct Candidate {
  std::int64_t count;
  std::uint64_t preference;  // smaller is joined first; unused for Ties::kBytes
  std::uint32_t pair;
};

/// A distinct neighbour of joined sites, on one side. With each site it loses the pair it formed and
/// gains the pair with the joined symbol.
struct Neighbour {
  std::int64_t count = 0;  // of the sites
  std::uint32_t n_sites = 0;
  bool is_listed = false;
  Site* next = nullptr;  // where the next site of the gained pair goes; none: it is not in view

  void add(std::int64_t more) noexcept {
    count += more;
    ++n_sites;
  }
};

/// The neighbours on one side, found by symbol.
struct Side {
  std::vector<Neighbour> by_symbol;
  std::vector<Symbol> symbols;  // those that are there

  Neighbour& operator[](Symbol symbol) { return by_symbol[symbol]; }
  Neighbour& at(Symbol symbol) {
    auto& neighbour = by_symbol[symbol];
    if (!neighbour.is_listed) {
      neighbour.is_listed = true;
      symbols.push_back(symbol);
    }
    return neighbour;
  }
  void clear() noexcept {
    for (const auto symbol : symbols) by_symbol[symbol] = {};
    symbols.clear();
  }
};

/// What one thread has joined of one pair.
struct Joined {
  struct Place {
    Position begin;  // of the joined symbol
    std::uint32_t weight;
    Symbol before;  // its neighbours, or `kBorder`
    Symbol after;   // also where that is a joined symbol, which has this one before it
  };
  std::vector<Place> places;
  Side left;
  Side right;
  Neighbour twin;  // the joined symbol itself, where two of them stand side by side

  void clear() noexcept {
    places.clear();
    left.clear();
    right.clear();
    twin = {};
  }
};

}  // namespace

class Learner::Impl {
 public:
  Impl(const Words& words, LearnOptions options, const KeepGoing& keep_going)
      : options_(std::move(options)),
        blocked_(options_),
        words_(words, checked_size(), options_.effort.n_threads),
        team_(options_.effort.n_threads),
        joined_(options_.effort.n_threads) {
    options_.min_frequency = std::max<std::int64_t>(options_.min_frequency, 1);
    length_ = std::move(options_.lengths);
    if (length_.empty()) {
      for (const auto& content : options_.alphabet) length_.push_back(content.empty() ? 0 : 1);
    }
    pulse_.listen_to(keep_going);
    look();
    rest();
  }

  std::optional<Merge> next(const KeepGoing& keep_going) {
    if (is_spoilt_) throw std::logic_error("a learner that was stopped cannot go on");
    pulse_.listen_to(keep_going);
    pulse_.step(0, kStepsPerMerge);
    is_spoilt_ = true;
    auto merge = next();
    is_spoilt_ = false;
    return merge;
  }

  void rest() noexcept { team_.dismiss(); }

  [[nodiscard]] std::pair<std::size_t, std::size_t> in_view() const noexcept {
    const auto n = std::ranges::count_if(pairs_, [](const Pair& pair) { return pair.count > 0; });
    return {heap_.size(), static_cast<std::size_t>(n)};
  }

 private:
  std::size_t checked_size() {
    options_.effort.n_threads = std::max<std::size_t>(options_.effort.n_threads, 1);
    if (options_.order.size() != options_.alphabet.size()) {
      throw std::invalid_argument("order and alphabet differ in size");
    }
    if (!options_.lengths.empty() && options_.lengths.size() != options_.alphabet.size()) {
      throw std::invalid_argument("lengths and alphabet differ in size");
    }
    return options_.alphabet.size();
  }

  std::optional<Merge> next() {
    auto best = pop_best();
    while (!best) {
      if (least_ <= options_.min_frequency) return std::nullopt;
      look();
      best = pop_best();
    }
    // A copy: joining adds pairs, which moves the array they live in.
    const Pair pair = pairs_[*best];
    pairs_[*best].count = 0;
    const Symbol joined = new_symbol(pair);
    join(pair, joined);
    return Merge{pair.left, pair.right, joined, pair.count};
  }

  struct Later {
    const Impl& impl;
    bool operator()(const Candidate& a, const Candidate& b) const { return impl.comes_later(a, b); }
  };

  // ------------------------------------------------------------------ the pairs in view

  void look() {
    store_.clear();
    pairs_ = find_pairs(words_, {[this](std::int64_t most) { return least_ = next_least(most); },
                                 [this](Symbol left, Symbol right) { return may_join(left, right); },
                                 options_.effort.few_symbols},
                        store_, team_, pulse_);
    if (words_.n_segments() == 0) least_ = 0;
    number_ = PairMap<std::uint32_t>(pairs_.size());
    heap_.clear();
    for (std::uint32_t number = 0; number < pairs_.size(); ++number) {
      number_.insert(pairs_[number].left, pairs_[number].right, number);
      heap_.push_back(candidate(number));
    }
    std::ranges::make_heap(heap_, later_);
  }

  [[nodiscard]] std::int64_t next_least(std::int64_t most) const {
    if (words_.n_slots() <= options_.effort.short_words) return options_.min_frequency;
    return std::max(std::min(most, least_) / options_.effort.depth, options_.min_frequency);
  }

  /// The most frequent pair. Counts only fall and preferences only worsen, so the best entry that
  /// still tells the truth is the best pair; one that does not is queued anew.
  std::optional<std::uint32_t> pop_best() {
    while (!heap_.empty()) {
      std::ranges::pop_heap(heap_, later_);
      const Candidate top = heap_.back();
      heap_.pop_back();
      if (pairs_[top.pair].count == 0) continue;
      const Candidate now = candidate(top.pair);
      if (now.count == top.count && now.preference == top.preference) return top.pair;
      push(now);
    }
    return std::nullopt;
  }

  void push(const Candidate& one) {
    heap_.push_back(one);
    std::ranges::push_heap(heap_, later_);
  }

  Candidate candidate(std::uint32_t number) {
    auto& pair = pairs_[number];
    return {pair.count, preference(pair), number};
  }

  /// What decides between equally frequent pairs; smaller is joined first.
  std::uint64_t preference(Pair& pair) {
    if (options_.ties == Ties::kBytes) return 0;
    if (options_.ties == Ties::kOrder) {
      return std::uint64_t{options_.order[pair.left]} << 32 | options_.order[pair.right];
    }
    // Sites only ever go, so the search goes on where it ended last time.
    while (!holds(pair.sites[pair.cursor].position, pair)) ++pair.cursor;
    return pair.sites[pair.cursor].position;
  }

  [[nodiscard]] bool comes_later(const Candidate& a, const Candidate& b) const {
    if (a.count != b.count) return a.count < b.count;
    if (options_.ties == Ties::kBytes) return bytes_come_later(pairs_[a.pair], pairs_[b.pair]);
    return a.preference > b.preference;
  }

  [[nodiscard]] bool bytes_come_later(const Pair& a, const Pair& b) const {
    const auto& content = options_.alphabet;
    if (const int order = content[a.left].compare(content[b.left])) return order < 0;
    if (const int order = content[a.right].compare(content[b.right])) return order < 0;
    // Only tokens with and without the end mark have equal bytes.
    return std::pair(a.left, a.right) > std::pair(b.left, b.right);
  }

  [[nodiscard]] bool may_join(Symbol left, Symbol right) const {
    return std::uint64_t{length_[left]} + length_[right] <= options_.max_token_length &&
           !blocked_.has(left, right);
  }

  [[nodiscard]] bool holds(Position at, const Pair& pair) noexcept {
    const Symbol* const slots = words_.slots();
    return slots[at - 1] == pair.left && slots[at] == pair.right;
  }

  // ------------------------------------------------------------------ a merge

  Symbol new_symbol(const Pair& pair) {
    const auto joined = static_cast<Symbol>(length_.size());
    if (joined >= LearnWords::kBorder) throw std::length_error("more than 2^32 symbols");
    const std::uint64_t length = std::uint64_t{length_[pair.left]} + length_[pair.right];
    length_.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(length, 0xFFFF'FFFF)));
    words_.add_symbol(words_.width(pair.left) + words_.width(pair.right));
    options_.order.push_back(joined);
    blocked_.add_symbol(pair.left, pair.right);
    if (options_.ties == Ties::kBytes) {
      options_.alphabet.push_back(options_.alphabet[pair.left] + options_.alphabet[pair.right]);
    }
    return joined;
  }

  void join(const Pair& pair, Symbol joined) {
    const auto starts = shares(pair);
    const std::size_t n = starts.size() - 1;
    for (auto& part : std::span(joined_).first(n)) reserve(part);
    const std::size_t n_pairs = pairs_.size();
    each_part(n, [&](std::size_t i) {
      auto sites = std::span(pair.sites + starts[i], pair.sites + starts[i + 1]);
      for (; !sites.empty(); sites = sites.subspan(std::min(kBeat, sites.size()))) {
        join_sites(pair, joined, sites.first(std::min(kBeat, sites.size())), joined_[i]);
        pulse_.step(i, std::min(kBeat, sites.size()));
      }
    });
    update_pairs(pair, joined, std::span(joined_).first(n));
    each_part(n, [&](std::size_t i) { list_sites(pair, joined, joined_[i]); });
    for (std::size_t i = n_pairs; i < pairs_.size(); ++i) {
      push(candidate(static_cast<std::uint32_t>(i)));
    }
    for (auto& part : std::span(joined_).first(n)) part.clear();
  }

  template <class Do>
  void each_part(std::size_t n, Do&& work) {
    if (n == 1) {
      work(0);
    } else {
      team_.run([&](std::size_t i) {
        if (i < n) work(i);
      });
    }
  }

  void reserve(Joined& part) {
    if (part.left.by_symbol.size() >= length_.size()) return;
    part.left.by_symbol.resize(length_.size() * 3 / 2);
    part.right.by_symbol.resize(length_.size() * 3 / 2);
  }

  /// Where the sites are divided among threads: never between two whose joined symbols would touch.
  std::vector<std::size_t> shares(const Pair& pair) {
    std::vector<std::size_t> starts = {0};
    const auto n_shares = std::min(pair.n_sites / options_.effort.least_share, team_.size());
    const std::uint32_t widths = words_.width(pair.left) + words_.width(pair.right);
    for (std::size_t i = 1; i < n_shares; ++i) {
      std::size_t start = std::max(pair.n_sites * i / n_shares, starts.back() + 1);
      while (start < pair.n_sites &&
             pair.sites[start].position - pair.sites[start - 1].position <= widths) {
        ++start;
      }
      if (start >= pair.n_sites) break;
      starts.push_back(start);
    }
    starts.push_back(pair.n_sites);
    return starts;
  }

  void join_sites(const Pair& pair, Symbol joined, std::span<const Site> sites, Joined& part) {
    Symbol* const slots = words_.slots();
    const std::uint32_t width_left = words_.width(pair.left);
    const std::uint32_t width_right = words_.width(pair.right);
    for (std::size_t i = 0; i < sites.size(); ++i) {
      if (i + kAhead < sites.size()) __builtin_prefetch(slots + sites[i + kAhead].position);
      const auto [at, weight] = sites[i];
      if (!holds(at, pair)) continue;
      const Position begin = at - width_left;
      const Position end = at + width_right;
      const Symbol before = slots[begin - 1];
      const Symbol after = slots[end];
      slots[at - 1] = slots[at] = LearnWords::kGone;
      slots[begin] = slots[end - 1] = joined;
      const std::int64_t count = words_.count(weight);
      if (before == joined) {
        // The one before has this one behind it, no more what this one was joined from.
        part.places.back().after = LearnWords::kBorder;
        --part.right[pair.left].n_sites;
        part.twin.add(count);
      } else if (before != LearnWords::kBorder) {
        part.left.at(before).add(count);
      }
      if (after != LearnWords::kBorder) part.right.at(after).add(count);
      part.places.push_back({begin, weight, before, after});
    }
  }

  /// What the merge takes from the pairs its sites stood in, and the pairs that it makes.
  void update_pairs(const Pair& pair, Symbol joined, std::span<Joined> parts) {
    Joined& first = parts.front();
    for (const auto& part : parts.subspan(1)) {
      for (const auto symbol : part.left.symbols) first.left.at(symbol);
      for (const auto symbol : part.right.symbols) first.right.at(symbol);
    }
    const auto twin = [](Joined& part) -> Neighbour& { return part.twin; };
    const std::int64_t twin_count = count_of(parts, twin);
    for (const auto symbol : first.left.symbols) {
      const auto left = [symbol](Joined& part) -> Neighbour& { return part.left[symbol]; };
      const std::int64_t count = count_of(parts, left);
      lose(symbol, pair.left, count);
      gain(symbol, joined, count, parts, left);
    }
    for (const auto symbol : first.right.symbols) {
      const auto right = [symbol](Joined& part) -> Neighbour& { return part.right[symbol]; };
      const std::int64_t count = count_of(parts, right);
      lose(pair.right, symbol, count);
      gain(joined, symbol, symbol == pair.left ? count - twin_count : count, parts, right);
    }
    gain(joined, joined, twin_count, parts, twin);
  }

  template <class Of>
  std::int64_t count_of(std::span<Joined> parts, const Of& of) {
    std::int64_t count = 0;
    for (auto& part : parts) count += of(part).count;
    return count;
  }

  void lose(Symbol left, Symbol right, std::int64_t count) {
    const auto* number = number_.find(left, right);
    if (number == nullptr) return;
    auto& pair = pairs_[*number];
    if (pair.count == 0) return;
    pair.count -= count;
    if (pair.count < least_) pair.count = 0;
  }

  /// Every pair with a joined symbol is new.
  template <class Of>
  void gain(Symbol left, Symbol right, std::int64_t count, std::span<Joined> parts, const Of& of) {
    if (count < least_ || !may_join(left, right)) return;
    std::uint32_t n_sites = 0;
    for (auto& part : parts) n_sites += of(part).n_sites;
    Site* next = store_.take(n_sites);
    number_.insert(left, right, static_cast<std::uint32_t>(pairs_.size()));
    pairs_.push_back({left, right, count, next, n_sites, 0});
    for (auto& part : parts) {
      auto& neighbour = of(part);
      if (neighbour.n_sites > 0) neighbour.next = std::exchange(next, next + neighbour.n_sites);
    }
  }

  void list_sites(const Pair& pair, Symbol joined, Joined& part) const {
    const std::uint32_t width = words_.width(pair.left) + words_.width(pair.right);
    for (const auto& [begin, weight, before, after] : part.places) {
      Neighbour* left = nullptr;
      if (before == joined) {
        left = &part.twin;
      } else if (before != LearnWords::kBorder) {
        left = &part.left[before];
      }
      if (left != nullptr && left->next != nullptr) *left->next++ = {begin, weight};
      if (after == LearnWords::kBorder) continue;
      auto& right = part.right[after];
      if (right.next != nullptr) *right.next++ = {begin + width, weight};
    }
  }

  LearnOptions options_;
  Blocked blocked_;
  std::vector<std::uint32_t> length_;  // of each symbol
  LearnWords words_;
  Team team_;
  std::vector<Joined> joined_;
  std::int64_t least_ = std::numeric_limits<std::int64_t>::max();
  std::vector<Pair> pairs_;
  PairMap<std::uint32_t> number_;
  SiteStore store_;
  Pulse pulse_;
  std::vector<Candidate> heap_;
  Later later_{*this};
  bool is_spoilt_ = false;
};

Learner::Learner(const Words& words, LearnOptions options, const KeepGoing& keep_going)
    : impl_(std::make_unique<Impl>(words, std::move(options), keep_going)) {}

Learner::~Learner() = default;
Learner::Learner(Learner&&) noexcept = default;
Learner& Learner::operator=(Learner&&) noexcept = default;

std::optional<Merge> Learner::next(const KeepGoing& keep_going) { return impl_->next(keep_going); }

std::pair<std::size_t, std::size_t> Learner::in_view() const noexcept { return impl_->in_view(); }

void Learner::rest() noexcept { impl_->rest(); }

}  // namespace bytepair
