// scan_tables.cpp: the automaton of a pattern -> a machine that never goes back.
//
// The first thread walks the automaton from the last certain end. Where it passes an end of a match
// and goes on all the same, the next pre-token may begin there: a second thread walks from that
// mark, and so a third from a mark of the second. When a thread finds nothing more, the mark behind
// which the next one walks was an end. A state of the machine is the states of these threads; there
// are few, because a thread that is about to pass another end needs no one behind it.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "scan.hpp"

namespace bytepair {
namespace {

constexpr std::size_t kMostThreads = 3;
constexpr std::size_t kMostStates = 1000;

using Threads = std::vector<std::uint16_t>;  // states of the automaton; none: nothing matches

/// A step of the machine; none where it is lost.
struct Move {
  Threads threads;
  std::uint8_t told = 0;
};
using MaybeMove = std::optional<Move>;

class Automaton {
 public:
  explicit Automaton(const PatternTables& tables)
      : transitions_(tables.transitions), n_columns_(std::size_t{tables.n_classes} + 1) {
    const auto n_states = transitions_.size() / n_columns_;
    ends_at_once_.resize(n_states);
    for (std::size_t state = 1; state < n_states; ++state) {
      ends_at_once_[state] = all_columns(state, [](auto entry) { return entry & 1; });
    }
    ends_surely_ = ends_at_once_;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t state = 1; state < n_states; ++state) {
        if (ends_surely_[state]) continue;
        const auto ends = [&](auto entry) { return (entry & 1) || ends_surely_[entry >> 1]; };
        ends_surely_[state] = all_columns(state, ends);
        changed = changed || ends_surely_[state];
      }
    }
  }

  /// Number of classes, the end of the text included.
  [[nodiscard]] std::size_t n_columns() const { return n_columns_; }

  /// The threads after a first character.
  [[nodiscard]] Threads begin(std::size_t column) const {
    const auto state = next(1, column);
    return state == 0 ? Threads{} : Threads{state};
  }

  [[nodiscard]] MaybeMove step(const Threads& threads, std::size_t column) const {
    if (threads.empty()) return step_in_gap(column);
    const auto alive = std::ranges::find_if(threads, [&](auto state) {
      return entry(state, column) != 0;
    });
    if (alive == threads.end()) return {};  // the last thread has seen no end at all
    const auto n_dead = alive - threads.begin();
    const std::uint8_t commit = n_dead == 0   ? 0
                                : n_dead == 1 ? ScanTables::kCommit
                                              : ScanTables::kCommit2;
    if (next(*alive, column) == 0) {
      return Move{begin(column), static_cast<std::uint8_t>(commit | ScanTables::kEnd)};
    }
    auto move = go_on(Threads(alive, threads.end()), column, 0);
    // A mark beside a commit has no code, and the thread behind a second mark has lost its place.
    if (!move || (n_dead > 0 && move->threads.size() > 1)) return {};
    move->told |= commit;
    return move;
  }

 private:
  template <class Holds>
  [[nodiscard]] bool all_columns(std::size_t state, const Holds& holds) const {
    const auto row = std::span(transitions_).subspan(state * n_columns_, n_columns_);
    return std::ranges::all_of(row, holds);
  }

  [[nodiscard]] std::uint16_t entry(std::size_t state, std::size_t column) const {
    return transitions_[state * n_columns_ + column];
  }
  [[nodiscard]] std::uint16_t next(std::size_t state, std::size_t column) const {
    return entry(state, column) >> 1;
  }

  [[nodiscard]] MaybeMove step_in_gap(std::size_t column) const {
    if (column == n_columns_ - 1) return Move{{}, ScanTables::kEnd};
    auto threads = begin(column);
    if (threads.empty()) return Move{};
    if (!ends_surely_[threads[0]]) return {};  // it may turn out that the gap goes on
    return Move{std::move(threads), ScanTables::kEnd};
  }

  /// Threads of which the first one goes on; `depth` others are before it.
  [[nodiscard]] MaybeMove go_on(Threads threads, std::size_t column, std::size_t depth) const {
    const auto passes_end = entry(threads[0], column) & 1;
    threads[0] = next(threads[0], column);
    if (threads[0] == 0) return {};  // an end behind a mark
    if (ends_at_once_[threads[0]]) return Move{{threads[0]}};
    Move behind;
    if (passes_end) {
      if (depth + 1 == kMostThreads) return {};
      behind.threads = begin(column);
      if (behind.threads.empty()) return {};
      behind.told = depth == 0 ? ScanTables::kMark : ScanTables::kMark2;
    } else if (threads.size() > 1) {
      auto move = go_on(Threads(threads.begin() + 1, threads.end()), column, depth + 1);
      if (!move) return {};
      behind = std::move(*move);
    }
    behind.threads.insert(behind.threads.begin(), threads[0]);
    return behind;
  }

  const std::vector<std::uint16_t>& transitions_;
  std::size_t n_columns_;
  std::vector<bool> ends_at_once_;  // before whatever comes next
  std::vector<bool> ends_surely_;   // sooner or later
};

/// Finds all states that can be reached and numbers them for the class that leads to them.
class Machine {
 public:
  explicit Machine(const Automaton& automaton)
      : automaton_(automaton), n_(automaton.n_columns()), rows_(n_ * n_ + 1), names_(n_) {
    for (std::size_t i = 0; i < 16; ++i) rows_[0].next[i] = static_cast<std::uint8_t>(i);
    for (std::size_t i = 1; i < rows_.size(); ++i) rows_[i].next.fill(ScanTables::kLost);
    for (std::size_t c = 0; c < n_; ++c) {
      rows_[c + 1].next.fill(result(Move{automaton.begin(c)}, c));
    }
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const auto [before, state, name] = found_[i];
      for (std::size_t c = 0; c < n_; ++c) {
        rows_[(before + 1) * n_ + c + 1].next[name] = result(moves_of(state)[c], c);
      }
    }
  }

  [[nodiscard]] std::vector<ScanTables::Row> rows() && { return std::move(rows_); }

 private:
  struct Found {
    std::size_t before;  // class
    Threads state;
    std::uint8_t name;
  };

  /// What a row says of a move by class `c`.
  std::uint8_t result(const MaybeMove& move, std::size_t c) {
    if (!move) return ScanTables::kLost;
    if (c == n_ - 1) return move->told;
    auto& names = names_[c];
    auto known = names.find(move->threads);
    if (known == names.end()) {
      const bool is_gap = move->threads.empty();
      if (!is_gap && names.size() - names.contains({}) == ScanTables::kGap) return ScanTables::kLost;
      if (moves_.size() > kMostStates) return ScanTables::kLost;
      const auto name = is_gap ? ScanTables::kGap : names.size() - names.contains({});
      known = names.emplace(move->threads, static_cast<std::uint8_t>(name)).first;
      found_.push_back({c, move->threads, known->second});
    }
    return known->second | move->told;
  }

  const std::vector<MaybeMove>& moves_of(const Threads& state) {
    const auto [place, is_new] = moves_.try_emplace(state);
    if (is_new) {
      for (std::size_t c = 0; c < n_; ++c) place->second.push_back(automaton_.step(state, c));
    }
    return place->second;
  }

  const Automaton& automaton_;
  std::size_t n_;
  std::vector<ScanTables::Row> rows_;
  std::vector<std::map<Threads, std::uint8_t>> names_;  // by class
  std::map<Threads, std::vector<MaybeMove>> moves_;
  std::vector<Found> found_;
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

bool make_scan_tables(const PatternTables& from, ScanTables& to) {
  const Automaton automaton(from);
  if (automaton.n_columns() > ScanTables::kMostClasses) return false;
  to.n_classes = static_cast<std::uint8_t>(automaton.n_columns());
  to.invalid_class = static_cast<std::uint8_t>(from.invalid_class + 1);
  to.rows = Machine(automaton).rows();
  fill_classes(from, to);
  return true;
}

}  // namespace bytepair
