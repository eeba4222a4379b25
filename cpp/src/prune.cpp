// prune.cpp: what each token is worth, kept exact by looking again at the words that change.
#include "bytepair/prune.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <stdexcept>

#include "prune_words.hpp"

namespace bytepair {
namespace {

constexpr Symbol kNoSymbol = Joiner::kNoSymbol;

void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(what);
}

void require_rows(std::span<const std::int64_t> offsets, std::size_t n_rows, std::size_t n_values) {
  require(offsets.size() == n_rows + 1 && offsets.front() == 0 &&
              std::ranges::is_sorted(offsets) &&
              offsets.back() == static_cast<std::int64_t>(n_values),
          "offsets do not cover the values");
}

void require_fits(const PruneTask& task) {
  const auto n_symbols = task.removable.size();
  const auto n_words = task.counts.size();
  require_rows(task.offsets, n_words, task.symbols.size());
  require_rows(task.content_offsets, n_symbols, task.contents.size());
  require(task.whole.size() == n_words, "words and whole words differ in number");
  const auto is_known = [&](Symbol symbol) { return symbol < n_symbols; };
  for (const auto& column : {task.symbols, task.contents, task.merges.left, task.merges.right,
                             task.merges.joined}) {
    require(std::ranges::all_of(column, is_known), "a symbol is not in the vocabulary");
  }
  const auto n_merges = task.merges.rank.size();
  require(task.merges.left.size() == n_merges && task.merges.right.size() == n_merges &&
              task.merges.joined.size() == n_merges,
          "columns of merges differ in length");
  require(std::ranges::all_of(task.whole,
                              [&](std::int64_t whole) {
                                return whole >= -1 && whole < static_cast<std::int64_t>(n_symbols);
                              }),
          "a whole word is not in the vocabulary");
  if (n_words + n_symbols >= kNoSymbol) throw std::length_error("more than 2^32 - 1 words");
  // Whatever is added up is at most the number of symbols, each as often as its word occurs.
  std::int64_t room = std::numeric_limits<std::int64_t>::max() / 2;
  for (std::size_t word = 0; word < n_words; ++word) {
    const auto size = std::max<std::int64_t>(task.offsets[word + 1] - task.offsets[word], 1);
    require(task.counts[word] >= 0, "a word has a negative count");
    require(task.counts[word] <= room / size, "the words are too many for 64-bit counts");
    room -= task.counts[word] * size;
  }
}

/// Asks now and then, while all words are looked at, whether to go on.
class Pulse {
 public:
  explicit Pulse(const KeepGoing& keep_going) : keep_going_(keep_going) {}

  /// Throws Stopped. `n_symbols`: how many were looked at since the last call.
  void step(std::size_t n_symbols) {
    n_left_ -= static_cast<std::int64_t>(n_symbols) + 1;
    if (n_left_ > 0 || !keep_going_) return;
    n_left_ = kBeat;
    if (!keep_going_()) throw Stopped();
  }

 private:
  static constexpr std::int64_t kBeat = 1 << 14;  // symbols: some milliseconds
  const KeepGoing& keep_going_;
  std::int64_t n_left_ = kBeat;
};

void sort_out(std::vector<Symbol>& symbols) {
  std::ranges::sort(symbols);
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
}

/// Tokens in the order in which they go. An entry tells the truth or is stale: whoever changes a
/// cost queues it anew.
struct Candidate {
  std::int64_t cost;
  Symbol symbol;
  [[nodiscard]] bool operator<(const Candidate& other) const {  // goes later
    return cost != other.cost ? cost > other.cost : symbol < other.symbol;
  }
};

}  // namespace

/// What every strategy needs.
class Pruner::State {
 public:
  State(const PruneTask& task, Pulse& pulse)
      : words(task.symbols, task.offsets),
        counts(task.counts.begin(), task.counts.end()),
        whole(task.whole.begin(), task.whole.end()),
        contents(task.contents, task.content_offsets),
        removable(task.removable.begin(), task.removable.end()),
        joiner(task.merges, task.removable.size()) {
    for (Symbol symbol = 0; symbol < n_symbols(); ++symbol) {
      pulse.step(contents[symbol].size());
      joiner.join(contents[symbol]);
      const bool is_made = joiner.tokens.size() == 1 && joiner.tokens[0] == symbol;
      pairs.push_back(is_made ? joiner.last : std::pair(kNoSymbol, kNoSymbol));
    }
  }
  virtual ~State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  virtual std::optional<Candidate> cheapest() = 0;
  virtual void remove(Symbol symbol) = 0;
  virtual void add_uses(std::vector<std::int64_t>& uses) = 0;

  [[nodiscard]] std::size_t n_symbols() const { return removable.size(); }

  /// Joins a word, or looks it up.
  void encode(std::size_t word, Symbol without = kNoSymbol) {
    const auto token = static_cast<Symbol>(whole[word]);
    if (whole[word] < 0 || token == without || joiner.is_gone(token)) {
      joiner.join(words[word], without);
      return;
    }
    joiner.tokens.assign(1, token);
    joiner.made.assign(1, token);
  }

  Rows words;
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> whole;
  Rows contents;
  std::vector<std::uint8_t> removable;
  Joiner joiner;
  std::vector<std::pair<Symbol, Symbol>> pairs;
  std::int64_t n_tokens = 0;
  std::priority_queue<Candidate> queue;
};

namespace {

/// Removes tokens with their merges.
class Remover final : public Pruner::State {
 public:
  Remover(const PruneTask& task, bool only_leaves, Pulse& pulse)
      : State(task, pulse),
        only_leaves_(only_leaves),
        cost_(n_symbols()),
        n_wholes_(n_symbols()),
        is_changed_(n_symbols()),
        dependents_(n_symbols()),
        seen_in_(words.size() + n_symbols()) {
    std::vector<Symbol> seen;
    for (std::uint32_t word = 0; word < seen_in_.size(); ++word) {
      pulse.step(row(word).size());
      seen.clear();
      look(word, 1, seen);
      sort_out(seen);
      for (const Symbol symbol : seen) dependents_[symbol].push_back(word);
    }
    for (Symbol symbol = 0; symbol < n_symbols(); ++symbol) offer(symbol);
    forget_changes();
  }

  std::optional<Candidate> cheapest() override {
    while (!queue.empty()) {
      const Candidate best = queue.top();
      if (is_candidate(best.symbol) && cost_[best.symbol] == best.cost) return best;
      queue.pop();
    }
    return std::nullopt;
  }

  void remove(Symbol symbol) override {
    ++n_removed_;
    std::vector<std::uint32_t> affected;
    for (const auto word : std::exchange(dependents_[symbol], {})) {
      if (std::exchange(seen_in_[word], n_removed_) != n_removed_) affected.push_back(word);
    }
    std::vector<Symbol> before;  // of all affected words, one after the other
    std::vector<std::size_t> ends;
    std::vector<Symbol> seen;
    for (const auto word : affected) {
      seen.clear();
      look(word, -1, seen);
      sort_out(seen);
      before.insert(before.end(), seen.begin(), seen.end());
      ends.push_back(before.size());
    }
    joiner.remove(symbol);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < affected.size(); begin = ends[i++]) {
      const std::span known(before.data() + begin, ends[i] - begin);
      seen.clear();
      look(affected[i], 1, seen);
      sort_out(seen);
      for (const Symbol other : seen) {
        if (!std::ranges::binary_search(known, other)) dependents_[other].push_back(affected[i]);
      }
    }
    for (const Symbol other : changed_) offer(other);
    forget_changes();
    if (queue.size() > 8 * n_symbols() + 1024) queue_anew();
  }

  void add_uses(std::vector<std::int64_t>& uses) override {
    for (std::size_t word = 0; word < words.size(); ++word) {
      encode(word);
      for (const Symbol token : joiner.tokens) uses[token] += counts[word];
    }
  }

 private:
  /// Of words, and behind them of tokens.
  [[nodiscard]] std::span<const Symbol> row(std::uint32_t word) const {
    return word < words.size() ? words[word] : contents[word - words.size()];
  }

  [[nodiscard]] bool is_candidate(Symbol symbol) const {
    return removable[symbol] && !joiner.is_gone(symbol) && (!only_leaves_ || n_wholes_[symbol] == 0);
  }

  void offer(Symbol symbol) {
    if (is_candidate(symbol)) queue.push({cost_[symbol], symbol});
  }

  void queue_anew() {
    queue = {};
    for (Symbol symbol = 0; symbol < n_symbols(); ++symbol) offer(symbol);
  }

  /// Adds (sign 1) or takes away (-1) what a word says of its tokens. `seen`: takes the symbols that
  /// this depends on.
  void look(std::uint32_t word, std::int64_t sign, std::vector<Symbol>& seen) {
    if (word >= words.size()) {
      look_at_token(static_cast<Symbol>(word - words.size()), static_cast<std::int32_t>(sign), seen);
      return;
    }
    encode(word);
    const std::int64_t count = sign * counts[word];
    const auto n_now = static_cast<std::int64_t>(joiner.tokens.size());
    n_tokens += count * n_now;
    seen.insert(seen.end(), joiner.made.begin(), joiner.made.end());
    candidates_ = only_leaves_ ? joiner.tokens : joiner.made;
    sort_out(candidates_);
    for (const Symbol token : candidates_) {
      if (!removable[token]) continue;
      encode(word, token);
      seen.insert(seen.end(), joiner.made.begin(), joiner.made.end());
      cost_[token] += count * (static_cast<std::int64_t>(joiner.tokens.size()) - n_now);
      change(token);
    }
  }

  /// The same for what a token is made of: its parts are no leaves.
  void look_at_token(Symbol symbol, std::int32_t sign, std::vector<Symbol>& seen) {
    if (!only_leaves_ || joiner.is_gone(symbol) || contents[symbol].size() < 2) return;
    joiner.join(contents[symbol]);
    seen.insert(seen.end(), joiner.made.begin(), joiner.made.end());
    if (joiner.tokens.size() != 1 || joiner.tokens[0] != symbol) return;
    for (const Symbol part : {joiner.last.first, joiner.last.second}) {
      n_wholes_[part] += sign;
      change(part);
    }
  }

  void change(Symbol symbol) {
    if (!std::exchange(is_changed_[symbol], std::uint8_t{1})) changed_.push_back(symbol);
  }
  void forget_changes() {
    for (const Symbol symbol : changed_) is_changed_[symbol] = 0;
    changed_.clear();
  }

  bool only_leaves_;
  std::vector<std::int64_t> cost_;
  std::vector<std::int32_t> n_wholes_;  // tokens made of it, as they are made now
  std::vector<std::uint8_t> is_changed_;
  std::vector<Symbol> changed_;
  std::vector<Symbol> candidates_;
  // Words, and behind them tokens, whose tokens or costs depend on a symbol; some no longer do.
  std::vector<std::vector<std::uint32_t>> dependents_;
  std::vector<std::uint32_t> seen_in_;  // in which removal, counted from 1
  std::uint32_t n_removed_ = 0;
};

/// Removes tokens but not their merges. Words are merged as before, so costs follow from how often a
/// token is left over and in how many its parts fall; both can only grow.
class Hider final : public Pruner::State {
 public:
  Hider(const PruneTask& task, Pulse& pulse)
      : State(task, pulse), uses_(n_symbols()), parts_(n_symbols()) {
    for (std::size_t word = 0; word < words.size(); ++word) {
      pulse.step(words[word].size());
      encode(word);
      for (const Symbol token : joiner.tokens) uses_[token] += counts[word];
      n_tokens += counts[word] * static_cast<std::int64_t>(joiner.tokens.size());
    }
    for (Symbol symbol = 0; symbol < n_symbols(); ++symbol) {
      if (!removable[symbol]) continue;
      if (pairs[symbol].first != kNoSymbol) {
        parts_[symbol] = {pairs[symbol].first, pairs[symbol].second};
      } else {
        joiner.join(contents[symbol]);
        parts_[symbol] = joiner.tokens;
      }
      queue.push({cost_of(symbol), symbol});
    }
  }

  std::optional<Candidate> cheapest() override {
    while (!queue.empty()) {
      const Candidate best = queue.top();
      if (joiner.is_gone(best.symbol)) {
        queue.pop();
        continue;
      }
      const std::int64_t cost = cost_of(best.symbol);
      if (cost == best.cost) return best;
      queue.pop();
      queue.push({cost, best.symbol});
    }
    return std::nullopt;
  }

  void remove(Symbol symbol) override {
    n_tokens += cost_of(symbol);
    joiner.remove(symbol);  // nothing is joined from here on: only marks it
    for (const Symbol part : visible_parts(symbol)) uses_[part] += uses_[symbol];
    uses_[symbol] = 0;
  }

  void add_uses(std::vector<std::int64_t>& uses) override { uses = uses_; }

 private:
  /// The tokens that stand, or would stand, for a symbol.
  const std::vector<Symbol>& visible_parts(Symbol symbol) {
    visible_.clear();
    open_.assign(parts_[symbol].rbegin(), parts_[symbol].rend());
    while (!open_.empty()) {
      const Symbol part = open_.back();
      open_.pop_back();
      if (joiner.is_gone(part)) {
        open_.insert(open_.end(), parts_[part].rbegin(), parts_[part].rend());
      } else {
        visible_.push_back(part);
      }
    }
    return visible_;
  }

  [[nodiscard]] std::int64_t cost_of(Symbol symbol) {
    if (uses_[symbol] == 0) return 0;
    return uses_[symbol] * (static_cast<std::int64_t>(visible_parts(symbol).size()) - 1);
  }

  std::vector<std::int64_t> uses_;
  std::vector<std::vector<Symbol>> parts_;
  std::vector<Symbol> visible_;
  std::vector<Symbol> open_;
};

const PruneTask& checked(const PruneTask& task) {
  require_fits(task);
  return task;
}

}  // namespace

Pruner::Pruner(const PruneTask& task, PruneStrategy strategy, const KeepGoing& keep_going) {
  Pulse pulse(keep_going);
  if (strategy == PruneStrategy::kResidues) {
    state_ = std::make_unique<Hider>(checked(task), pulse);
  } else {
    state_ = std::make_unique<Remover>(checked(task), strategy == PruneStrategy::kLeaves, pulse);
  }
}
Pruner::~Pruner() = default;
Pruner::Pruner(Pruner&&) noexcept = default;
Pruner& Pruner::operator=(Pruner&&) noexcept = default;

std::optional<Removal> Pruner::next(std::int64_t most) {
  const auto best = state_->cheapest();
  if (!best || best->cost > most) return std::nullopt;
  state_->remove(best->symbol);
  return Removal{best->symbol, best->cost};
}

std::int64_t Pruner::n_tokens() const noexcept { return state_->n_tokens; }

std::vector<std::int64_t> Pruner::uses() const {
  std::vector<std::int64_t> uses(state_->n_symbols());
  state_->add_uses(uses);
  return uses;
}

const std::vector<std::pair<Symbol, Symbol>>& Pruner::pairs() const noexcept {
  return state_->pairs;
}

}  // namespace bytepair
