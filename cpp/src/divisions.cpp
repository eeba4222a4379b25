// divisions.cpp: which pairs of characters prove that a pre-token ends between them.
//
// Whatever walk of the automaton has read the character before, it is then in one of the states
// that the character leads to. If none of these goes on with the character behind, and each of them
// ends a match before it exactly if it does so before the end of the text, then the walks can tell
// neither that the text goes on nor, behind the place, that something came before.
#include "divisions.hpp"

#include "automaton.hpp"

namespace bytepair {
namespace {

using State = Automaton::State;

/// The states that each character leads to, from whatever state.
std::vector<std::vector<State>> states_behind(const Automaton& automaton) {
  std::vector<std::vector<State>> states(automaton.end_of_text());
  for (std::size_t column = 0; column < states.size(); ++column) {
    std::vector<bool> seen(automaton.n_states());
    for (State state = Automaton::kStart; state < automaton.n_states(); ++state) {
      const auto to = automaton.next(state, column);
      if (to != Automaton::kDead && !seen[to]) states[column].push_back(to);
      seen[to] = true;
    }
  }
  return states;
}

bool stops(const Automaton& automaton, State state, std::size_t column) {
  return automaton.next(state, column) == Automaton::kDead &&
         automaton.may_end(state, column) == automaton.may_end(state, automaton.end_of_text());
}

}  // namespace

Divisions::Divisions(const PatternTables& tables)
    : n_classes_(tables.n_classes), pairs_(n_classes_ * n_classes_) {
  const Automaton automaton(tables);
  const auto states = states_behind(automaton);
  for (std::size_t before = 0; before < n_classes_; ++before) {
    gap_before_.push_back(states[before].empty());
    side_behind_.push_back(automaton.begins(before) == Automaton::Begins::kGap     ? Side::kGap
                           : automaton.begins(before) == Automaton::Begins::kMatch ? Side::kMatch
                                                                                   : Side::kEither);
  }
  for (std::size_t before = 0; before < n_classes_; ++before) {
    for (std::size_t behind = 0; behind < n_classes_; ++behind) {
      auto& pair = pairs_[before * n_classes_ + behind];
      const auto stops_here = [&](State state) { return stops(automaton, state, behind); };
      if (!std::ranges::all_of(states[before], stops_here)) continue;
      pair |= kDivides;
      // The last walk may have begun with the character before: without an end that one is a gap,
      // which goes on if nothing matches behind it.
      const auto begun = automaton.next(Automaton::kStart, before);
      const bool is_match = begun != Automaton::kDead && automaton.may_end(begun, behind);
      if (is_match) pair |= kMatchBefore;
      if (is_match || side_behind_[behind] == Side::kMatch) pair |= kEnd;
    }
  }
}

}  // namespace bytepair
