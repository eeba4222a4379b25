// scan_tables.cpp: the automaton of a pattern -> a machine that never goes back.
//
// The first thread walks the automaton from the last certain end. Where it passes an end of a match
// and goes on all the same, the next pre-token may begin there: a second thread walks from that
// mark, and so a third from a mark of the second. When a thread finds nothing more, the mark behind
// which the next one walks was an end. A thread that may come to nothing at all is followed by one
// that takes its first character for a gap. A state of the machine is the states of these threads;
// there are few, because a thread that is sure to pass another end needs no one behind it.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "automaton.hpp"
#include "scan.hpp"

namespace bytepair {
namespace {

constexpr std::size_t kMostThreads = 3;
constexpr std::size_t kMostStates = 1000;

/// States of the automaton; kInGap where nothing matches; with kProvisional, if it is not certain
/// that a gap ends where the thread has begun.
using Threads = std::vector<std::uint16_t>;
constexpr std::uint16_t kInGap = 0;
constexpr std::uint16_t kProvisional = 0x8000;

/// A step of the machine.
struct Move {
  Threads threads;
  std::uint8_t told = 0;
};
using MaybeMove = std::optional<Move>;  // none: the machine is lost

/// How threads step; the first one is the only one of which the others know.
class Threading {
 public:
  explicit Threading(const PatternTables& tables) : automaton_(tables) {}

  [[nodiscard]] std::size_t end_of_text() const { return automaton_.end_of_text(); }

  /// The threads after the first character behind a certain end.
  [[nodiscard]] Threads begin(std::size_t column) const {
    const auto state = automaton_.next(Automaton::kStart, column);
    if (automaton_.begins(column) == Begins::kEither) return {state, kInGap};
    return {state};
  }

  [[nodiscard]] MaybeMove step(const Threads& threads, std::size_t column) const {
    if (threads[0] & kProvisional) return step_provisionally(threads[0] ^ kProvisional, column);
    std::size_t n_dead = 0;
    std::size_t n_ends = 0;
    while (threads[n_dead] != kInGap && automaton_.comes_to_nothing(threads[n_dead], column)) {
      if (++n_dead == threads.size()) return {};
      if (threads[n_dead] != kInGap) ++n_ends;
    }
    if (n_ends > 2) return {};
    const Threads alive(threads.begin() + static_cast<std::ptrdiff_t>(n_dead), threads.end());
    auto move = step_alive(alive, column);
    if (!move || n_ends == 0) return move;
    // There is no code for a mark beside a commit, and a mark that was the second would be the first.
    const bool has_mark = move->threads.size() > 1 && move->threads[1] != kInGap;
    if (has_mark || (move->told & ScanTables::kMark)) return {};
    move->told |= n_ends == 1 ? ScanTables::kCommit : ScanTables::kCommit2;
    return move;
  }

 private:
  using Begins = Automaton::Begins;

  [[nodiscard]] MaybeMove step_alive(const Threads& threads, std::size_t column) const {
    if (threads[0] == kInGap) return step_in_gap(column);
    if (automaton_.next(threads[0], column) == Automaton::kDead) {
      return Move{begin(column), ScanTables::kEnd};
    }
    return go_on(threads, column, 0);
  }

  [[nodiscard]] Move step_in_gap(std::size_t column) const {
    if (column == end_of_text()) return {{kInGap}, ScanTables::kEnd};
    const auto state = automaton_.next(Automaton::kStart, column);
    switch (automaton_.begins(column)) {
      case Begins::kGap:
        return {{kInGap}};
      case Begins::kMatch:
        return {{state}, ScanTables::kEnd};
      default:
        return {{static_cast<std::uint16_t>(state | kProvisional), kInGap}, ScanTables::kMark};
    }
  }

  /// In a gap that ended at the mark, if the one thread there is finds an end.
  [[nodiscard]] MaybeMove step_provisionally(std::uint16_t state, std::size_t column) const {
    const auto to = automaton_.next(state, column);
    const bool passes_end = automaton_.may_end(state, column);
    if (to == Automaton::kDead) {
      if (!passes_end) return step_in_gap(column);
      return Move{begin(column), ScanTables::kCommit | ScanTables::kEnd};
    }
    if (automaton_.ends_surely(to)) return Move{{to}, ScanTables::kCommit};
    if (passes_end || automaton_.begins(column) != Begins::kGap) return {};
    return Move{{static_cast<std::uint16_t>(to | kProvisional), kInGap}};
  }

  /// Threads of which the first one goes on; `depth` others are before it.
  [[nodiscard]] MaybeMove go_on(const Threads& threads, std::size_t column,
                                std::size_t depth) const {
    const bool passes_end = automaton_.may_end(threads[0], column);
    const auto to = automaton_.next(threads[0], column);
    if (to == Automaton::kDead) return {};  // an end behind a mark
    if (automaton_.ends_surely(to)) return Move{{to}};
    auto behind = follow(threads, column, depth, passes_end);
    if (!behind) return {};
    behind->threads.insert(behind->threads.begin(), to);
    return behind;
  }

  /// The threads behind the first one, which goes on.
  [[nodiscard]] MaybeMove follow(const Threads& threads, std::size_t column, std::size_t depth,
                                 bool passes_end) const {
    const std::uint8_t mark = depth == 0 ? ScanTables::kMark : ScanTables::kMark2;
    if (passes_end) {
      auto begun = begin(column);
      if (depth + 1 == kMostThreads || begun[0] == kInGap) return {};
      return Move{std::move(begun), mark};
    }
    if (threads[1] != kInGap) {
      return go_on(Threads(threads.begin() + 1, threads.end()), column, depth + 1);
    }
    auto move = step_in_gap(column);
    if (depth + 1 == kMostThreads || (move.told & ScanTables::kMark)) return {};
    if (move.told != 0) move.told = mark;  // where the gap ends, if it is one
    return move;
  }

  Automaton automaton_;
};

/// Automata one inside the other, and the classes that all of them tell apart.
class Nest {
 public:
  using State = std::vector<Threads>;  // of each level
  struct Step {
    State state;
    std::uint8_t told = 0;
  };

  explicit Nest(std::span<const PatternTables* const> levels)
      : levels_(levels.begin(), levels.end()) {
    for (const auto* tables : levels) threadings_.emplace_back(*tables);
    find_classes();
    columns_.emplace_back();
    for (const auto& threading : threadings_) columns_.back().push_back(threading.end_of_text());
  }

  /// Number of classes, the end of the text included, which is the last one.
  [[nodiscard]] std::size_t n_classes() const { return columns_.size(); }

  /// Pages and classes of all levels together; without transitions.
  [[nodiscard]] const PatternTables& classes() const { return classes_; }

  [[nodiscard]] State begin(std::size_t c) const {
    State state;
    for (std::size_t level = 0; level < threadings_.size(); ++level) {
      state.push_back(threadings_[level].begin(columns_[c][level]));
    }
    return state;
  }

  /// None where the machine is lost.
  [[nodiscard]] std::optional<Step> step(const State& state, std::size_t c) const {
    Step step;
    bool is_cut = false;  // by a level further out
    for (std::size_t level = 0; level < threadings_.size(); ++level) {
      const auto& threading = threadings_[level];
      const auto column = columns_[c][level];
      auto move = threading.step(state[level], is_cut ? threading.end_of_text() : column);
      if (!move) return {};
      // Only the innermost level may leave it open where its pieces end.
      const bool is_innermost = level + 1 == threadings_.size();
      if (!is_innermost && move->told != 0 && move->told != ScanTables::kEnd) return {};
      step.state.push_back(is_cut ? threading.begin(column) : std::move(move->threads));
      step.told = move->told;
      is_cut = is_cut || (move->told & ScanTables::kEnd && move->told != ScanTables::kMark2);
    }
    return step;
  }

 private:
  /// A class for each combination of the levels' classes that there is.
  void find_classes() {
    std::map<std::vector<std::size_t>, std::uint16_t> page_of;
    for (std::size_t page = 0; page < levels_[0]->pages.size(); ++page) {
      std::vector<std::size_t> rows;
      for (const auto* level : levels_) rows.push_back(level->pages[page] * 256u);
      const auto next = static_cast<std::uint16_t>(page_of.size());
      const auto [known, is_new] = page_of.try_emplace(rows, next);
      classes_.pages.push_back(known->second);
      for (std::size_t i = 0; is_new && i < 256; ++i) {
        std::vector<std::size_t> columns;
        for (std::size_t level = 0; level < levels_.size(); ++level) {
          columns.push_back(levels_[level]->classes[rows[level] + i]);
        }
        classes_.classes.push_back(class_of(columns));
      }
    }
    std::vector<std::size_t> columns;
    for (const auto* level : levels_) columns.push_back(level->invalid_class);
    classes_.invalid_class = class_of(columns);
    classes_.n_classes = static_cast<std::uint32_t>(columns_.size());
  }

  std::uint8_t class_of(const std::vector<std::size_t>& columns) {
    const auto [known, is_new] = class_by_columns_.try_emplace(columns, columns_.size());
    if (is_new) columns_.push_back(columns);
    return static_cast<std::uint8_t>(known->second);
  }

  std::vector<const PatternTables*> levels_;
  std::vector<Threading> threadings_;
  PatternTables classes_;
  std::vector<std::vector<std::size_t>> columns_;  // of each level, by class
  std::map<std::vector<std::size_t>, std::size_t> class_by_columns_;
};

/// Finds all states that can be reached and numbers them for the class that leads to them.
class Machine {
 public:
  Machine(const Nest& nest, ScanTables& tables)
      : nest_(nest), n_(nest.n_classes()), names_(n_), tables_(tables) {
    auto& rows = tables_.rows;
    rows.resize(n_ * n_ + 1);
    for (std::size_t i = 0; i < 16; ++i) rows[0].next[i] = static_cast<std::uint8_t>(i);
    for (std::size_t i = 1; i < rows.size(); ++i) rows[i].next.fill(ScanTables::kLost);
    for (std::size_t c = 0; c + 1 < n_; ++c) {
      rows[c + 1].next.fill(result(Nest::Step{nest_.begin(c)}, c));
    }
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const auto [before, state, name] = found_[i];
      for (std::size_t c = 0; c < n_; ++c) {
        rows[(before + 1) * n_ + c + 1].next[name] = result(steps_of(state)[c], c);
      }
    }
  }

 private:
  using MaybeStep = std::optional<Nest::Step>;
  struct Found {
    std::size_t before;  // class
    Nest::State state;
    std::uint8_t name;
  };

  /// What a row says of a step by class `c`.
  std::uint8_t result(const MaybeStep& step, std::size_t c) {
    if (step && c == n_ - 1) return step->told;
    const auto name = step ? name_of(step->state, c) : ScanTables::kLost;
    if (name == ScanTables::kLost) {
      tables_.is_complete = false;
      return name;
    }
    return name | step->told;
  }

  std::uint8_t name_of(const Nest::State& state, std::size_t c) {
    auto& known = names_[c];
    if (const auto found = known.find(state); found != known.end()) return found->second;
    if (known.size() == ScanTables::kLost || steps_.size() > kMostStates) return ScanTables::kLost;
    const auto name = static_cast<std::uint8_t>(known.size());
    known.emplace(state, name);
    found_.push_back({c, state, name});
    return name;
  }

  const std::vector<MaybeStep>& steps_of(const Nest::State& state) {
    const auto [place, is_new] = steps_.try_emplace(state);
    for (std::size_t c = 0; is_new && c < n_; ++c) place->second.push_back(nest_.step(state, c));
    return place->second;
  }

  const Nest& nest_;
  std::size_t n_;
  std::vector<std::map<Nest::State, std::uint8_t>> names_;  // by class
  std::map<Nest::State, std::vector<MaybeStep>> steps_;
  std::vector<Found> found_;
  ScanTables& tables_;
};

/// Classes by the bytes of UTF-8, so that no code point has to be made.
void fill_classes(const PatternTables& from, ScanTables& to) {
  for (const auto c : from.classes) to.classes.push_back(static_cast<std::uint8_t>(c + 1));
  for (std::size_t i = 0; i < to.pages.size(); ++i) to.pages[i] = 256u * from.pages[i];
  const auto class_of = [&](std::size_t code) {
    return to.classes[to.pages[code / 256] + code % 256];
  };
  for (std::size_t code = 0; code < 0x80; ++code) to.ascii[code] = class_of(code);
  for (std::size_t code = 0; code < 0x800; ++code) {
    const unsigned c = code < 0x80 ? ScanTables::kBad : class_of(code);
    to.two[code >> 6 | (code & 63) << 5] =
        static_cast<std::uint16_t>(c | (c | ScanTables::kTail) << 8);
  }
  std::map<std::string, std::uint16_t> place_of;
  for (std::size_t block = 0; block < to.three.size(); ++block) {
    const auto code = block * 64;
    std::string cells(64, static_cast<char>(ScanTables::kBad));
    const bool is_character = code >= 0x800 && (code < 0xD800 || code > 0xDFFF);
    for (std::size_t i = 0; is_character && i < 64; ++i) {
      cells[i] = static_cast<char>(class_of(code + i));
    }
    const auto place = static_cast<std::uint16_t>(to.cells.size());
    const auto [known, is_new] = place_of.try_emplace(cells, place);
    if (is_new) to.cells.insert(to.cells.end(), cells.begin(), cells.end());
    to.three[block >> 6 | (block & 63) << 4] = known->second;
  }
}

}  // namespace

std::shared_ptr<const ScanTables> make_scan_tables(std::span<const PatternTables* const> levels) {
  const Nest nest(levels);
  if (nest.n_classes() > ScanTables::kMostClasses) return nullptr;
  auto tables = std::make_shared<ScanTables>();
  tables->n_classes = static_cast<std::uint8_t>(nest.n_classes());
  tables->invalid_class = static_cast<std::uint8_t>(nest.classes().invalid_class + 1);
  Machine(nest, *tables);
  fill_classes(nest.classes(), *tables);
  return tables;
}

}  // namespace bytepair
