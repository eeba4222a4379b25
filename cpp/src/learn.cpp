// learn.cpp: a lazy queue of pairs, and for each merge only the neighbours of its sites.
#include "bytepair/learn.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace bytepair {
namespace {

constexpr Symbol kGone = 0xFFFF'FFFF;
constexpr Symbol kBorder = 0xFFFF'FFFE;

void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(what);
}

/// Every count of a pair is at most the number of symbols, each as often as its word occurs.
void require_countable(const Words& words) {
  std::int64_t room = std::numeric_limits<std::int64_t>::max();
  for (std::size_t word = 0; word < words.counts.size(); ++word) {
    const std::int64_t size = words.offsets[word + 1] - words.offsets[word];
    const std::int64_t count = words.counts[word];
    require(count >= 0, "a word has a negative count");
    require(size == 0 || count <= room / size, "the words are too many for 64-bit counts");
    room -= count * size;
  }
}

}  // namespace

Learner::Learner(const Words& words, LearnOptions options) : options_(std::move(options)) {
  const auto n_symbols = options_.alphabet.size();
  require(options_.order.size() == n_symbols, "order and alphabet differ in size");
  require(words.offsets.size() == words.counts.size() + 1, "offsets and counts do not fit");
  require(words.offsets.front() == 0 && std::ranges::is_sorted(words.offsets) &&
              words.offsets.back() == static_cast<std::int64_t>(words.symbols.size()),
          "offsets do not cover the symbols");
  require(std::ranges::all_of(words.symbols, [&](Symbol s) { return s < n_symbols; }),
          "a symbol is not in the alphabet");
  require_countable(words);
  if (words.symbols.size() + words.counts.size() + 1 >= kBorder) {
    throw std::length_error("the distinct pre-tokens hold more than 2^32 symbols");
  }
  options_.min_frequency = std::max<std::int64_t>(options_.min_frequency, 1);
  for (const auto& content : options_.alphabet) length_.push_back(content.empty() ? 0 : 1);
  lay_out(words);
  count_all_pairs();
}

/// All words in one array, a border before, between and after them.
void Learner::lay_out(const Words& words) {
  const std::size_t size = words.symbols.size() + words.counts.size() + 1;
  symbol_.reserve(size);
  word_of_.reserve(size);
  symbol_.push_back(kBorder);
  word_of_.push_back(0);
  weight_.assign(words.counts.begin(), words.counts.end());
  for (std::size_t word = 0; word < weight_.size(); ++word) {
    const auto begin = static_cast<std::size_t>(words.offsets[word]);
    const auto end = static_cast<std::size_t>(words.offsets[word + 1]);
    symbol_.insert(symbol_.end(), words.symbols.begin() + static_cast<std::ptrdiff_t>(begin),
                   words.symbols.begin() + static_cast<std::ptrdiff_t>(end));
    symbol_.push_back(kBorder);
    word_of_.resize(symbol_.size(), static_cast<std::uint32_t>(word));
  }
  next_.resize(size);
  previous_.resize(size);
  std::iota(next_.begin(), next_.end(), 1);
  std::iota(previous_.begin() + 1, previous_.end(), 0);
}

void Learner::count_all_pairs() {
  for (Position at = 0; at + 1 < symbol_.size(); ++at) {
    const Symbol left = symbol_[at];
    const Symbol right = symbol_[at + 1];
    if (left == kBorder || right == kBorder || !may_join(left, right)) continue;
    Pair& pair = pairs_[number_of(left, right)];
    pair.count += weight_[word_of_[at]];
    pair.sites.push_back(at);
  }
  for (std::uint32_t number = 0; number < pairs_.size(); ++number) push(number);
}

std::optional<Merge> Learner::next() {
  const auto best = pop_best();
  if (!best) return std::nullopt;
  // Moved out: joining adds pairs, which moves the array they live in.
  Pair& kept = pairs_[*best];
  const Pair pair = std::exchange(kept, {kept.left, kept.right, 0, 0, {}});
  const Symbol joined = new_symbol(pair);
  join_sites(pair, joined);
  return Merge{pair.left, pair.right, joined, pair.count};
}

/// The most frequent pair. Counts only fall and preferences only worsen, so the best entry that
/// still tells the truth is the best pair; one that does not is queued anew.
std::optional<std::uint32_t> Learner::pop_best() {
  const auto later = [this](const auto& a, const auto& b) { return comes_later(a, b); };
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, later);
    const Candidate top = heap_.back();
    heap_.pop_back();
    Pair& pair = pairs_[top.pair];
    if (pair.count < options_.min_frequency) continue;
    if (pair.count == top.count && preference(pair) == top.preference) return top.pair;
    push(top.pair);
  }
  return std::nullopt;
}

Symbol Learner::new_symbol(const Pair& pair) {
  const auto joined = static_cast<Symbol>(length_.size());
  if (joined >= kBorder) throw std::length_error("more than 2^32 symbols");
  length_.push_back(length_[pair.left] + length_[pair.right]);
  options_.order.push_back(joined);
  if (options_.ties == Ties::kBytes) {
    options_.alphabet.push_back(options_.alphabet[pair.left] + options_.alphabet[pair.right]);
  }
  return joined;
}

void Learner::join_sites(const Pair& pair, Symbol joined) {
  left_.reset(length_.size());
  right_.reset(length_.size());
  for (const Position site : pair.sites) {
    if (holds(site, pair)) join_site(site, joined);
  }
  // All gains before all losses: where two joined sites touch, the second loses what the first
  // gained. And all of both before anything is queued.
  for (auto& left : left_.all()) gain(left.symbol, joined, left);
  for (auto& right : right_.all()) gain(joined, right.symbol, right);
  for (const auto& left : left_.all()) lose(left.symbol, pair.left, left.count);
  for (const auto& right : right_.all()) lose(pair.right, right.symbol, right.count);
  for (const auto& left : left_.all()) push_if_known(left.symbol, joined);
  for (const auto& right : right_.all()) push_if_known(joined, right.symbol);
}

void Learner::join_site(Position site, Symbol joined) {
  const Position before = previous_[site];
  const Position second = next_[site];
  const Position after = next_[second];
  const std::int64_t weight = weight_[word_of_[site]];
  if (symbol_[before] != kBorder) left_.add(symbol_[before], weight, before);
  if (symbol_[after] != kBorder) right_.add(symbol_[after], weight, site);
  symbol_[site] = joined;
  symbol_[second] = kGone;
  next_[site] = after;
  previous_[after] = site;
}

void Learner::gain(Symbol left, Symbol right, Neighbour& neighbour) {
  // The pair is new and its count can only fall: one that starts too rare need not be known.
  if (neighbour.count < options_.min_frequency || !may_join(left, right)) return;
  Pair& pair = pairs_[number_of(left, right)];
  pair.count += neighbour.count;
  pair.sites = std::move(neighbour.sites);
}

void Learner::lose(Symbol left, Symbol right, std::int64_t count) {
  const auto* number = pair_number_.find(left, right);
  if (number == nullptr) return;
  Pair& pair = pairs_[*number];
  pair.count -= count;
  // Counts never rise again: this pair can no longer be joined.
  if (pair.count < options_.min_frequency) pair.sites = {};
}

std::uint32_t Learner::number_of(Symbol left, Symbol right) {
  const auto fresh = static_cast<std::uint32_t>(pairs_.size());
  const auto number = pair_number_.insert(left, right, fresh);
  if (number == fresh) pairs_.push_back({left, right, 0, 0, {}});
  return number;
}

bool Learner::may_join(Symbol left, Symbol right) const noexcept {
  return std::uint64_t{length_[left]} + length_[right] <= options_.max_token_length;
}

bool Learner::holds(Position site, const Pair& pair) const noexcept {
  return symbol_[site] == pair.left && symbol_[next_[site]] == pair.right;
}

/// What decides between equally frequent pairs; smaller is joined first.
std::uint64_t Learner::preference(Pair& pair) const {
  if (options_.ties == Ties::kBytes) return 0;
  if (options_.ties == Ties::kOrder) {
    return std::uint64_t{options_.order[pair.left]} << 32 | options_.order[pair.right];
  }
  // Sites only ever go, so the search goes on where it ended last time.
  while (!holds(pair.sites[pair.cursor], pair)) ++pair.cursor;
  return pair.sites[pair.cursor];
}

bool Learner::comes_later(const Candidate& a, const Candidate& b) const {
  if (a.count != b.count) return a.count < b.count;
  if (options_.ties == Ties::kBytes) return bytes_come_later(pairs_[a.pair], pairs_[b.pair]);
  return a.preference > b.preference;
}

bool Learner::bytes_come_later(const Pair& a, const Pair& b) const {
  const auto& content = options_.alphabet;
  if (const int order = content[a.left].compare(content[b.left])) return order < 0;
  if (const int order = content[a.right].compare(content[b.right])) return order < 0;
  // Only tokens with and without the end mark have equal bytes.
  return std::pair(a.left, a.right) > std::pair(b.left, b.right);
}

void Learner::push(std::uint32_t number) {
  Pair& pair = pairs_[number];
  if (pair.count < options_.min_frequency) return;
  heap_.push_back({pair.count, preference(pair), number});
  std::ranges::push_heap(heap_, [this](const auto& a, const auto& b) { return comes_later(a, b); });
}

void Learner::push_if_known(Symbol left, Symbol right) {
  if (const auto* number = pair_number_.find(left, right)) push(*number);
}

void Learner::Side::reset(std::size_t n_symbols) {
  for (const auto& neighbour : neighbours_) number_by_symbol_[neighbour.symbol] = 0;
  neighbours_.clear();
  number_by_symbol_.resize(n_symbols);
}

void Learner::Side::add(Symbol symbol, std::int64_t count, Position site) {
  auto& number = number_by_symbol_[symbol];
  if (number == 0) {
    neighbours_.push_back({symbol, 0, {}});
    number = static_cast<std::uint32_t>(neighbours_.size());
  }
  auto& neighbour = neighbours_[number - 1];
  neighbour.count += count;
  neighbour.sites.push_back(site);
}

}  // namespace bytepair
