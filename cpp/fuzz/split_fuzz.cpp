// split_fuzz.cpp: any automaton, any chain of splits, any bytes: cuts cover the text, and it makes
// no difference how many come at once, or in how many parts the text comes.
#include <functional>
#include <map>

#include "bytepair/split.hpp"
#include "input.hpp"
#include "pattern_tables.hpp"

namespace {

using namespace bytepair;
using Ends = std::vector<std::size_t>;

constexpr std::size_t kMark = Splitter::kGap;
constexpr std::size_t kPlanBytes = 160;
constexpr std::size_t kMostPlans = 256;

std::size_t unmarked(std::size_t end) { return end & ~kMark; }

void require_cover(const Ends& ends, std::string_view text) {
  std::size_t before = 0;
  for (const auto end : ends) {
    fuzz::require(unmarked(end) > before, "ends ascend");
    before = unmarked(end);
  }
  fuzz::require(before == text.size(), "the last end is that of the text");
}

/// One end after the other, nothing remembered: the plainest use.
Ends ends_one_by_one(const Splitter& splitter, std::string_view text) {
  Ends ends;
  for (std::size_t start = 0; start < text.size(); start = ends.back()) {
    DeadEnds dead_ends;
    ends.push_back(splitter.next(text, start, true, dead_ends));
  }
  return ends;
}

/// What `cut` gives when the text comes in parts of these sizes, over and over.
template <class Cut>
Ends ends_in_parts(const Cut& cut, std::string_view text, const Ends& sizes) {
  Ends ends;
  Ends found(Splitter::kBatch);
  std::size_t start = 0;
  std::size_t known = sizes.empty() ? text.size() : 0;
  for (std::size_t part = 0; start < text.size(); ++part) {
    if (known < text.size()) known = std::min(text.size(), known + sizes[part % sizes.size()]);
    const bool is_last = known == text.size();
    while (start < known) {
      const auto n = cut(text.substr(0, known), start, is_last, found);
      fuzz::require(n > 0 || !is_last, "a whole text is cut to its end");
      if (n == 0) break;
      ends.insert(ends.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n));
      start = unmarked(ends.back());
    }
  }
  return ends;
}

void check_splitter(const Splitter& splitter, std::string_view text, const Ends& sizes) {
  const Ends expected = ends_one_by_one(splitter, text);
  require_cover(expected, text);
  for (const bool in_parts : {false, true}) {
    DeadEnds dead_ends;
    const auto cut = [&](std::string_view known, std::size_t start, bool is_last, Ends& found) {
      return splitter.cut(known, start, is_last, dead_ends, found);
    };
    fuzz::require(ends_in_parts(cut, text, in_parts ? sizes : Ends()) == expected,
                  in_parts ? "parts are cut as the whole" : "many ends are those one by one");
    DeadEnds others;
    const auto marked = [&](std::string_view known, std::size_t start, bool is_last, Ends& found) {
      return splitter.cut_marked(known, start, is_last, others, found);
    };
    Ends ends = ends_in_parts(marked, text, in_parts ? sizes : Ends());
    for (auto& end : ends) end = unmarked(end);
    fuzz::require(ends == expected, "marks change no end");
  }
}

Ends chain_ends(const SplitChain& chain, std::string_view text, const Ends& sizes) {
  SplitChain::Progress progress;
  const auto cut = [&](std::string_view known, std::size_t start, bool is_last, Ends& found) {
    return chain.cut(known, start, is_last, progress, found);
  };
  return ends_in_parts(cut, text, sizes);
}

/// A piece of a text on its way through the steps of a chain.
struct Piece {
  std::string_view text;
  bool is_removed = false;
};

struct Element {
  std::string_view text;
  bool is_match;
};

std::vector<Element> elements(const SplitChain::Step& step, std::string_view text) {
  std::vector<Element> found;
  DeadEnds dead_ends;
  Ends ends(Splitter::kBatch);
  for (std::size_t start = 0; start < text.size();) {
    const auto n = step.splitter.cut_marked(text, start, true, dead_ends, ends);
    fuzz::require(n > 0, "a whole text is cut to its end");
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_gap = (ends[i] & kMark) != 0;
      found.push_back({text.substr(start, unmarked(ends[i]) - start), is_gap == step.invert});
      start = unmarked(ends[i]);
    }
  }
  return found;
}

/// True if `later` goes into the piece that ends with `earlier`.
bool is_merged(Behavior behavior, const Element& earlier, const Element& later) {
  switch (behavior) {
    case Behavior::kMergedWithPrevious:
      return later.is_match && !earlier.is_match;
    case Behavior::kMergedWithNext:
      return !later.is_match && earlier.is_match;
    case Behavior::kContiguous:
      return later.is_match == earlier.is_match;
    default:
      return false;
  }
}

std::vector<Piece> pieces(const SplitChain::Step& step, std::string_view text) {
  std::vector<Piece> made;
  const Element* earlier = nullptr;
  const auto all = elements(step, text);
  for (const auto& element : all) {
    if (earlier != nullptr && is_merged(step.behavior, *earlier, element)) {
      auto& whole = made.back().text;
      whole = {whole.data(), whole.size() + element.text.size()};
    } else {
      made.push_back({element.text, element.is_match && step.behavior == Behavior::kRemoved});
    }
    earlier = &element;
  }
  return made;
}

Ends expected_ends(const std::vector<SplitChain::Step>& steps, std::string_view text) {
  std::vector<Piece> now;
  if (!text.empty()) now.push_back({text});
  for (const auto& step : steps) {
    std::vector<Piece> then;
    for (const auto& piece : now) {
      const auto parts = piece.is_removed ? std::vector{piece} : pieces(step, piece.text);
      then.insert(then.end(), parts.begin(), parts.end());
    }
    now = std::move(then);
  }
  Ends ends;
  std::size_t end = 0;
  for (const auto& piece : now) {
    end += piece.text.size();
    ends.push_back(end | (piece.is_removed ? SplitChain::kRemoved : 0));
  }
  return ends;
}

struct Plan {
  std::vector<SplitChain::Step> steps;
  SplitChain chain;
};

Plan any_plan(fuzz::Input& input) {
  Plan plan;
  for (auto n = 1 + input.below(3); n > 0; --n) {
    const auto behavior = static_cast<Behavior>(input.below(5));
    const bool invert = input.flag();
    plan.steps.push_back({Splitter(fuzz::pattern_tables(input)), behavior, invert});
  }
  plan.chain = SplitChain(plan.steps);
  return plan;
}

/// The plan that these bytes stand for. Making the tables of a splitter takes a hundred times as
/// long as cutting a text, and the fuzzer mostly changes the text.
const Plan& plan_of(std::string_view bytes) {
  static std::map<std::string, Plan, std::less<>> plans;
  auto found = plans.find(bytes);
  if (found == plans.end()) {
    if (plans.size() == kMostPlans) plans.clear();
    fuzz::Input input(bytes);
    found = plans.emplace(bytes, any_plan(input)).first;
  }
  return found->second;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const Plan& plan = plan_of(input.bytes(kPlanBytes));
  Ends sizes;
  for (auto n = 1 + input.below(4); n > 0; --n) sizes.push_back(1 + input.below(40));
  const std::string text(input.rest());

  check_splitter(plan.steps[0].splitter, text, sizes);
  const Ends expected = expected_ends(plan.steps, text);
  require_cover(expected, text);
  fuzz::require(chain_ends(plan.chain, text, {}) == expected, "a chain is its steps one by one");
  fuzz::require(chain_ends(plan.chain, text, sizes) == expected, "parts are cut as the whole");
  return 0;
}
