// prune.cpp: what each token is worth, kept exact by looking again at the words that change.
#include "bytepair/prune.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>
#include <stdexcept>

#include "prune_words.hpp"

namespace bytepair {
namespace {

using Symbols = std::vector<Symbol>;

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

void sort_out(Symbols& symbols) {
  std::ranges::sort(symbols);
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
}

/// Tokens that go together: one, and those that cannot be made without it. Ordered as they go, by
/// their cost per token. An entry tells the truth or is stale: whoever changes a cost or a size
/// queues it anew.
struct Group {
  std::int64_t cost;
  Symbol symbol;
  std::uint32_t size = 1;

  [[nodiscard]] bool operator<(const Group& other) const {  // goes later
    if (share() != other.share()) return share() > other.share();
    const std::uint64_t rest = this->rest() * other.size;
    const std::uint64_t other_rest = other.rest() * size;
    return rest != other_rest ? rest > other_rest : symbol < other.symbol;
  }
  [[nodiscard]] bool costs_at_most(std::int64_t most_each, std::int64_t most) const {
    return cost <= most && share() + (rest() > 0 ? 1 : 0) <= most_each;
  }

 private:
  /// Cost per token, rounded down, and what is left over of the cost.
  [[nodiscard]] std::int64_t share() const {
    const auto divisor = static_cast<std::int64_t>(size);
    return cost / divisor - (cost % divisor < 0 ? 1 : 0);
  }
  [[nodiscard]] std::uint64_t rest() const {
    return static_cast<std::uint64_t>(cost - share() * static_cast<std::int64_t>(size));
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
      pairs.push_back(makes(symbol) ? joiner.last : std::pair(kNoSymbol, kNoSymbol));
    }
  }
  virtual ~State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// The group that goes next, of those with at most `room` tokens.
  std::optional<Group> next(std::size_t room) {
    std::optional<Group> found;
    std::vector<Group> too_large;
    while (!found && !queue.empty()) {
      const Group best = queue.top();
      if (!is_true(best)) continue;
      if (best.size <= room) {
        found = best;
      } else {
        too_large.push_back(best);
        queue.pop();
      }
    }
    for (const Group& group : too_large) queue.push(group);
    return found;
  }

  /// Whether the first entry of the queue still holds; if not, it is taken out.
  virtual bool is_true(const Group& first) = 0;
  /// The tokens of a group in an order in which no token is left that one before it is needed for.
  virtual Symbols tokens_of(const Group& group) { return {group.symbol}; }
  virtual void remove(Symbol symbol) = 0;
  virtual void add_uses(std::vector<std::int64_t>& uses) = 0;

  [[nodiscard]] std::size_t n_symbols() const { return removable.size(); }

  /// Joins a word, or looks it up; returns whether it was found.
  bool encode(std::size_t word, Symbol without = kNoSymbol) {
    const auto token = static_cast<Symbol>(whole[word]);
    if (whole[word] < 0 || token == without || joiner.is_gone(token)) {
      joiner.join(words[word], without);
      return false;
    }
    joiner.take(token);
    return true;
  }

  /// Whether joining makes a token of what is in it.
  bool makes(Symbol symbol, Symbol without = kNoSymbol) {
    joiner.join(contents[symbol], without);
    return joiner.is(symbol);
  }

  Rows words;
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> whole;
  Rows contents;
  std::vector<std::uint8_t> removable;
  Joiner joiner;
  std::vector<std::pair<Symbol, Symbol>> pairs;
  std::int64_t n_tokens = 0;
  std::priority_queue<Group> queue;
};

namespace {

/// Removes tokens with their merges; if `is_plain`, also all that cannot be made without them.
class Remover final : public Pruner::State {
 public:
  Remover(const PruneTask& task, bool is_plain, Pulse& pulse)
      : State(task, pulse),
        is_plain_(is_plain),
        cost_(n_symbols()),
        n_needing_(n_symbols()),
        n_staying_(n_symbols()),
        is_changed_(n_symbols()),
        dependents_(n_symbols()),
        seen_in_(words.size() + n_symbols()) {
    Symbols seen;
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

  bool is_true(const Group& first) override {
    const Symbol symbol = first.symbol;
    const bool holds = is_candidate(symbol) && first.cost == cost_[symbol] &&
                       first.size == n_needing_[symbol] + 1;
    if (!holds) queue.pop();
    return holds;
  }

  Symbols tokens_of(const Group& group) override {
    Symbols tokens = {group.symbol};
    if (group.size == 1) return tokens;
    for (const auto row : dependents_[group.symbol]) {
      if (row < words.size()) continue;
      const auto token = static_cast<Symbol>(row - words.size());
      const bool is_there = !joiner.is_gone(token) && makes(token);
      if (is_there && !makes(token, group.symbol)) tokens.push_back(token);
    }
    sort_out(tokens);
    // What needs a token is longer.
    std::ranges::stable_sort(tokens, [&](Symbol left, Symbol right) {
      return contents[left].size() > contents[right].size();
    });
    return tokens;
  }

  void remove(Symbol symbol) override {
    ++n_removed_;
    std::vector<std::uint32_t> affected;
    for (const auto word : std::exchange(dependents_[symbol], {})) {
      if (std::exchange(seen_in_[word], n_removed_) != n_removed_) affected.push_back(word);
    }
    Symbols before;  // of all affected words, one after the other
    std::vector<std::size_t> ends;
    Symbols seen;
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
    return removable[symbol] && !joiner.is_gone(symbol) && n_staying_[symbol] == 0;
  }

  void offer(Symbol symbol) {
    if (is_candidate(symbol)) queue.push({cost_[symbol], symbol, n_needing_[symbol] + 1});
  }

  void queue_anew() {
    queue = {};
    for (Symbol symbol = 0; symbol < n_symbols(); ++symbol) offer(symbol);
  }

  /// Adds (sign 1) or takes away (-1) what a word says of its tokens. `seen`: takes the symbols that
  /// this depends on.
  void look(std::uint32_t word, std::int32_t sign, Symbols& seen) {
    if (word >= words.size()) {
      look_at_token(static_cast<Symbol>(word - words.size()), static_cast<std::uint32_t>(sign), seen);
      return;
    }
    if (encode(word) && is_plain_) take_apart(word, seen);
    const std::int64_t count = sign * counts[word];
    const auto n_now = static_cast<std::int64_t>(joiner.tokens.size());
    n_tokens += count * n_now;
    note_made(seen);
    for (const Symbol token : candidates_) {
      if (!removable[token]) continue;
      is_plain_ ? joiner.join(words[word], token) : void(encode(word, token));
      seen.insert(seen.end(), joiner.made.begin(), joiner.made.end());
      cost_[token] += count * (static_cast<std::int64_t>(joiner.tokens.size()) - n_now);
      change(token);
    }
  }

  /// A word that was looked up: its token goes with any that joining needs to make it.
  void take_apart(std::uint32_t word, Symbols& seen) {
    const Symbol token = joiner.tokens[0];
    joiner.join(words[word]);
    seen.insert(seen.end(), joiner.made.begin(), joiner.made.end());
    if (!joiner.is(token)) joiner.take(token);
  }

  /// The same for a token: it needs what it cannot be made without. `change_by`: 1 or -1.
  void look_at_token(Symbol symbol, std::uint32_t change_by, Symbols& seen) {
    if (!is_plain_ || joiner.is_gone(symbol)) return;
    const bool is_made = makes(symbol);
    note_made(seen);
    if (!is_made) return;
    for (const Symbol part : candidates_) {
      if (part == symbol) continue;
      const bool is_needed = !makes(symbol, part);
      seen.insert(seen.end(), joiner.made.begin(), joiner.made.end());
      if (!is_needed) continue;
      n_needing_[part] += change_by;
      if (!removable[symbol]) n_staying_[part] += change_by;
      change(part);
    }
  }

  /// What was joined on the way, each once, becomes the candidates.
  void note_made(Symbols& seen) {
    candidates_ = joiner.made;
    sort_out(candidates_);
    seen.insert(seen.end(), candidates_.begin(), candidates_.end());
  }

  void change(Symbol symbol) {
    if (!std::exchange(is_changed_[symbol], std::uint8_t{1})) changed_.push_back(symbol);
  }
  void forget_changes() {
    for (const Symbol symbol : changed_) is_changed_[symbol] = 0;
    changed_.clear();
  }

  bool is_plain_;
  std::vector<std::int64_t> cost_;         // of a token with all that need it
  std::vector<std::uint32_t> n_needing_;  // tokens that cannot be made without it
  std::vector<std::uint32_t> n_staying_;  // those of them that have to stay
  std::vector<std::uint8_t> is_changed_;
  Symbols changed_;
  Symbols candidates_;
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

  bool is_true(const Group& first) override {
    const Group group = first;
    const bool is_gone = joiner.is_gone(group.symbol);
    const std::int64_t cost = is_gone ? 0 : cost_of(group.symbol);
    if (!is_gone && cost == group.cost) return true;
    queue.pop();
    if (!is_gone) queue.push({cost, group.symbol});
    return false;
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

std::vector<Removal> Pruner::next(std::size_t room, std::int64_t most_each, std::int64_t most) {
  std::vector<Removal> removals;
  const auto group = state_->next(room);
  if (!group || !group->costs_at_most(most_each, most)) return removals;
  for (const Symbol symbol : state_->tokens_of(*group)) {
    const std::int64_t n_before = n_tokens();
    state_->remove(symbol);
    removals.push_back({symbol, n_tokens() - n_before});
  }
  return removals;
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
