// learn_scan.cpp: number the pairs, count them, list the sites of the frequent ones.
//
// With few symbols every pair has a number by itself. Else a coarse count comes first, which tells of
// most rare pairs that they are rare, so that the table that numbers the others stays small.
#include "learn_scan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <span>

namespace bytepair {
namespace {

constexpr std::uint32_t kNone = 0xFFFF'FFFF;
constexpr std::size_t kMostBuckets = std::size_t{1} << 17;  // 1 MB: stays in the cache
constexpr std::size_t kGroup = 32;                          // pairs looked up together
constexpr std::size_t kBeat = std::size_t{1} << 16;
constexpr std::size_t kSiteBlock = std::size_t{1} << 18;

std::uint64_t key_of(Symbol left, Symbol right) { return std::uint64_t{left} << 32 | right; }

std::uint64_t mix(std::uint64_t key) { return key * 0x9E3779B97F4A7C15u; }

struct Tally {
  std::int64_t count = 0;
  std::uint32_t n_sites = 0;
};

/// Numbers pairs in the order in which they come. Open addressing.
class PairNumbers {
 public:
  void want(std::uint64_t key) const noexcept { __builtin_prefetch(&slots_[mix(key) >> shift_]); }

  std::uint32_t operator()(std::uint64_t key) {
    Slot* slot = &slots_[place_of(key)];
    if (slot->number == kNone) {
      if ((keys_.size() + 1) * 2 > slots_.size()) {
        grow();
        slot = &slots_[place_of(key)];
      }
      *slot = {key, static_cast<std::uint32_t>(keys_.size())};
      keys_.push_back(key);
    }
    return slot->number;
  }

  [[nodiscard]] const std::vector<std::uint64_t>& keys() const noexcept { return keys_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t number = kNone;
  };

  [[nodiscard]] std::size_t place_of(std::uint64_t key) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mix(key) >> shift_;
    while (slots_[at].number != kNone && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 4);
    old.swap(slots_);
    shift_ -= 2;
    for (const auto& slot : old) {
      if (slot.number != kNone) slots_[place_of(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  int shift_ = 64 - 10;
  std::vector<std::uint64_t> keys_;
};

/// What one thread finds in its segment.
struct Part {
  std::vector<std::int64_t> buckets;  // the coarse count, by hash
  PairNumbers numbers;
  std::vector<Tally> tallies;   // by number
  std::vector<Site*> next;      // by number: where the next site goes; none: the pair is rare
  PageArray<std::uint32_t> seen;  // numbers of the pairs, in the order of their sites
};

/// One search: what its threads share. A member of the team does one segment.
class Scan {
 public:
  Scan(LearnWords& words, const PairSearch& search, SiteStore& store, Team& team, Pulse& pulse)
      : words_(words),
        search_(search),
        store_(store),
        team_(team),
        pulse_(pulse),
        parts_(words.n_segments()) {}

  std::vector<Pair> run() {
    return words_.n_symbols() <= search_.few_symbols ? run_with_few_symbols() : run_with_many();
  }

 private:
  std::vector<Pair> run_with_few_symbols();
  std::vector<Pair> run_with_many();
  std::int64_t count_coarsely();
  void count_likely(std::size_t number, Part& part);
  void sum_up();
  [[nodiscard]] std::int64_t most() const;
  std::vector<Pair> named(const std::vector<std::uint64_t>& keys);
  void divide_sites(const std::vector<Pair>& pairs);

  template <class Work>
  void each_part(Work&& work) {
    team_.run([&](std::size_t member) {
      if (member < parts_.size()) work(member, parts_[member]);
    });
  }

  /// A function that is to be called for each pair of a segment.
  auto heart_of(std::size_t number) {
    return [this, number, n = std::size_t{0}]() mutable {
      if ((++n & (kBeat - 1)) == 0) pulse_.step(number, kBeat);
    };
  }

  LearnWords& words_;
  const PairSearch& search_;
  SiteStore& store_;
  Team& team_;
  Pulse& pulse_;
  std::vector<Part> parts_;
  std::vector<std::int64_t> bound_;  // by hash: no pair occurs more often
  int shift_ = 0;
  std::int64_t least_ = 0;
  std::vector<Tally> tallies_;                      // of all parts, by number
  std::vector<std::vector<std::uint32_t>> number_;  // by part and its own number; none: the same
  std::vector<std::uint32_t> pair_by_number_;
};

std::vector<Pair> Scan::run_with_few_symbols() {
  const auto n = static_cast<std::uint32_t>(words_.n_symbols());
  each_part([&](std::size_t number, Part& part) {
    part.tallies.resize(std::size_t{n} * n);
    words_.pack(number, [&, beat = heart_of(number)](Symbol left, Symbol right,
                                                     std::uint32_t weight) mutable {
      auto& tally = part.tallies[left * n + right];
      tally.count += words_.count(weight);
      ++tally.n_sites;
      beat();
    });
  });
  words_.packed();
  std::vector<std::uint64_t> keys;
  for (Symbol left = 0; left < n; ++left) {
    for (Symbol right = 0; right < n; ++right) keys.push_back(key_of(left, right));
  }
  sum_up();
  least_ = search_.choose_least(most());
  auto pairs = named(keys);
  each_part([&](std::size_t number, Part& part) {
    words_.each_pair(number, [&, beat = heart_of(number)](Symbol left, Symbol right,
                                                          Site site) mutable {
      auto& next = part.next[left * n + right];
      if (next != nullptr) *next++ = site;
      beat();
    });
  });
  return pairs;
}

std::vector<Pair> Scan::run_with_many() {
  least_ = search_.choose_least(count_coarsely());
  each_part([this](std::size_t number, Part& part) { count_likely(number, part); });
  PairNumbers numbers = parts_.front().numbers;
  number_.resize(parts_.size());
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    for (const auto key : parts_[i].numbers.keys()) number_[i].push_back(numbers(key));
  }
  sum_up();
  auto pairs = named(numbers.keys());
  each_part([this](std::size_t number, Part& part) {
    const auto* seen = part.seen.data();
    words_.each_pair(number,
                     [&, beat = heart_of(number)](Symbol, Symbol, Site site) mutable {
                       const auto one = *seen++;
                       beat();
                       if (one == kNone) return;
                       auto& next = part.next[one];
                       if (next != nullptr) *next++ = site;
                     });
  });
  return pairs;
}

/// Returns a number that no pair's count exceeds.
std::int64_t Scan::count_coarsely() {
  bound_.resize(std::bit_ceil(std::clamp<std::size_t>(words_.n_slots() / 4, 64, kMostBuckets)));
  shift_ = 64 - std::countr_zero(bound_.size());
  each_part([this](std::size_t number, Part& part) {
    part.buckets.resize(bound_.size());
    words_.pack(number, [&, beat = heart_of(number)](Symbol left, Symbol right,
                                                     std::uint32_t weight) mutable {
      part.buckets[mix(key_of(left, right)) >> shift_] += words_.count(weight);
      beat();
    });
  });
  words_.packed();
  for (auto& part : parts_) {
    std::ranges::transform(bound_, part.buckets, bound_.begin(), std::plus<>());
    part.buckets = {};
  }
  return *std::ranges::max_element(bound_);
}

/// Numbers and counts the pairs that may be frequent. What is needed of the table is asked for ahead.
void Scan::count_likely(std::size_t number, Part& part) {
  struct Seen {
    std::uint64_t key;
    std::uint32_t weight;
    std::uint32_t* number;
  };
  std::array<Seen, kGroup> group;
  std::size_t n = 0;
  const auto look_up = [&] {
    for (const auto& one : std::span(group).first(n)) {
      *one.number = part.numbers(one.key);
      if (*one.number == part.tallies.size()) part.tallies.emplace_back();
      auto& tally = part.tallies[*one.number];
      tally.count += words_.count(one.weight);
      ++tally.n_sites;
    }
    n = 0;
  };
  part.seen = PageArray<std::uint32_t>(words_.n_slots(number));
  auto* seen = part.seen.data();
  auto beat = heart_of(number);
  words_.each_pair(number, [&](Symbol left, Symbol right, Site site) {
    const auto key = key_of(left, right);
    beat();
    if (bound_[mix(key) >> shift_] < least_) {
      *seen++ = kNone;
      return;
    }
    part.numbers.want(key);
    group[n++] = {key, site.weight, seen++};
    if (n == kGroup) look_up();
  });
  look_up();
}

void Scan::sum_up() {
  tallies_ = parts_.front().tallies;
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    const auto& tallies = parts_[i].tallies;
    for (std::size_t own = 0; own < tallies.size(); ++own) {
      const auto number = number_.empty() ? own : number_[i][own];
      if (number >= tallies_.size()) tallies_.resize(number + 1);
      tallies_[number].count += tallies[own].count;
      tallies_[number].n_sites += tallies[own].n_sites;
    }
  }
}

std::int64_t Scan::most() const {
  return std::ranges::max(tallies_, {}, &Tally::count).count;
}

/// The frequent pairs, with room for their sites.
std::vector<Pair> Scan::named(const std::vector<std::uint64_t>& keys) {
  std::vector<Pair> pairs;
  pair_by_number_.assign(keys.size(), kNone);
  std::size_t n_sites = 0;
  for (std::size_t number = 0; number < keys.size(); ++number) {
    const auto left = static_cast<Symbol>(keys[number] >> 32);
    const auto right = static_cast<Symbol>(keys[number]);
    const auto& tally = tallies_[number];
    if (tally.count < least_ || !search_.may_join(left, right)) continue;
    pair_by_number_[number] = static_cast<std::uint32_t>(pairs.size());
    pairs.push_back({left, right, tally.count, nullptr, tally.n_sites, 0});
    n_sites += tally.n_sites;
  }
  Site* next = store_.take(n_sites);
  for (auto& pair : pairs) pair.sites = std::exchange(next, next + pair.n_sites);
  divide_sites(pairs);
  return pairs;
}

/// Each part lists its sites of a pair behind those of the parts before it.
void Scan::divide_sites(const std::vector<Pair>& pairs) {
  std::vector<Site*> next(pairs.size());
  std::ranges::transform(pairs, next.begin(), &Pair::sites);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    auto& part = parts_[i];
    part.next.resize(part.tallies.size());
    for (std::size_t own = 0; own < part.tallies.size(); ++own) {
      const bool is_same = i == 0 || number_.empty();
      const auto pair = pair_by_number_[is_same ? own : number_[i][own]];
      if (pair == kNone) continue;
      part.next[own] = next[pair];
      next[pair] += part.tallies[own].n_sites;
    }
  }
}

}  // namespace

Site* SiteStore::take(std::size_t n) {
  while (n > n_left_) {
    if (n_used_ == blocks_.size()) blocks_.emplace_back(std::max(n, kSiteBlock));
    next_ = blocks_[n_used_].data();
    n_left_ = blocks_[n_used_].size();
    ++n_used_;
  }
  n_left_ -= n;
  return std::exchange(next_, next_ + n);
}

void SiteStore::clear() noexcept {
  n_used_ = 0;
  n_left_ = 0;
}

void Pulse::step(std::size_t member, std::size_t n_steps) {
  if (member == 0) {
    n_left_ -= std::min(n_steps, n_left_);
    if (n_left_ == 0) {
      n_left_ = kSteps;
      if (*keep_going_ && !(*keep_going_)()) is_stopped_ = true;
    }
  }
  if (is_stopped_) throw Stopped();
}

std::vector<Pair> find_pairs(LearnWords& words, const PairSearch& search, SiteStore& store,
                             Team& team, Pulse& pulse) {
  if (words.n_segments() == 0) return {};
  return Scan(words, search, store, team, pulse).run();
}

}  // namespace bytepair
