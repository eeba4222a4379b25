// scan_test.cpp: every kernel against a plain walk of the tables, for random automata and bytes.
#include "scan.hpp"

#include <numeric>

#include "check.hpp"
#include "tables.hpp"

using bytepair::DeadEnds;
using bytepair::PatternTables;
using bytepair::scan_kernels;
using bytepair::Splitter;
using tables::Random;

using Ends = std::vector<std::size_t>;

namespace {

/// Pages of classes in runs, as scripts have them, and transitions without any plan.
PatternTables random_automaton(Random& random) {
  PatternTables tables;
  const auto below = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
  tables.n_classes = 2 + below(5);
  tables.invalid_class = static_cast<std::uint8_t>(random() % tables.n_classes);
  constexpr std::uint32_t kRows = 9;
  while (tables.classes.size() < kRows * 256) {
    const auto c = static_cast<std::uint8_t>(random() % tables.n_classes);
    const auto room = kRows * 256 - tables.classes.size();
    tables.classes.insert(tables.classes.end(), std::min<std::size_t>(room, random() % 40), c);
  }
  for (std::uint32_t page = 0; page < 0x1100; ++page) {
    tables.pages.push_back(static_cast<std::uint16_t>(page % kRows));
  }
  const auto n_states = 3 + below(6);
  const auto sparse = 1 + random() % 4;
  for (std::uint32_t state = 0; state < n_states; ++state) {
    for (std::uint32_t column = 0; column <= tables.n_classes; ++column) {
      const bool is_over = state == 0 || column == tables.n_classes;
      const auto next = is_over || random() % sparse == 1 ? 0 : random() % n_states;
      const auto ends = state > 1 && random() % 3 > 0 ? 1 : 0;
      tables.transitions.push_back(static_cast<std::uint16_t>(next << 1 | ends));
    }
  }
  return tables;
}

/// Short pieces of all kinds, and runs that are longer than any block or chunk.
std::string long_text(Random& random, std::size_t size) {
  std::string text;
  while (text.size() < size) {
    const auto choice = random() % 8;
    if (choice < 4) {
      text += tables::random_text(random, 1 + random() % 8);
    } else if (choice < 6) {
      text.append(random() % 60, static_cast<char>(random() % 128));
    } else {
      const auto first = random() % 4 == 0 ? 0x10000 + random() % 0x3000 : 0x80 + random() % 0xD000;
      for (auto n = random() % 40; n > 0; --n) {
        text += tables::utf8_of(static_cast<std::uint32_t>(first + random() % 3));
      }
    }
  }
  if (random() % 8 == 0) text += std::string(3000, text.empty() ? 'a' : text.back());
  return text;
}

Ends by_one(const Splitter& splitter, std::string_view text) {
  Ends ends;
  DeadEnds dead_ends;
  for (std::size_t at = 0; at < text.size(); ends.push_back(at)) {
    at = splitter.next(text, at, true, dead_ends);
  }
  return ends;
}

using Cut = std::size_t (Splitter::*)(std::string_view, std::size_t, bool, DeadEnds&,
                                      std::span<std::size_t>) const;

/// The ends found in batches of random size, of a text that arrives in parts of up to `part` bytes.
Ends in_batches(const Splitter& splitter, std::string_view text, Random& random, std::size_t part,
                Cut cut = &Splitter::cut) {
  Ends ends;
  Ends batch(Splitter::kLeastBatch + random() % 500);
  DeadEnds dead_ends;
  std::size_t arrived = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    arrived = std::min<std::size_t>(text.size(), arrived + 1 + random() % part);
    const bool is_last = arrived == text.size();
    while (at < arrived) {
      const auto n = (splitter.*cut)(text.substr(0, arrived), at, is_last, dead_ends, batch);
      CHECK(n > 0 || !is_last);
      if (n == 0) break;
      ends.insert(ends.end(), batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(n));
      at = ends.back() & ~Splitter::kGap;
    }
  }
  return ends;
}

/// Calls with tables and, for each kernel, a splitter that uses it; the first one uses none.
template <class Check>
void with_splitters(Random& random, int n_tables, const Check& check) {
  for (int round = 0; round < n_tables; ++round) {
    const auto tables = random_automaton(random);
    std::vector<Splitter> splitters = {{tables, nullptr}};
    for (const auto kernel : scan_kernels()) splitters.emplace_back(tables, kernel);
    check(splitters);
  }
}

std::size_t random_size(Random& random) {
  constexpr std::array<std::size_t, 4> kSizes = {40, 200, 1500, 6000};
  return random() % kSizes[random() % kSizes.size()];
}

}  // namespace

TEST(every_kernel_cuts_as_a_walk_of_the_tables_does) {
  Random random(1);
  with_splitters(random, 300, [&](const auto& splitters) {
    for (int round = 0; round < 4; ++round) {
      const auto text = long_text(random, random_size(random));
      const auto expected = by_one(splitters[0], text);
      for (const auto& splitter : splitters) {
        CHECK_EQ(in_batches(splitter, text, random, text.size() + 1), expected);
      }
    }
  });
}

TEST(every_kernel_cuts_a_text_that_comes_in_parts_like_the_whole) {
  Random random(2);
  with_splitters(random, 150, [&](const auto& splitters) {
    const auto text = long_text(random, random_size(random));
    const auto expected = by_one(splitters[0], text);
    for (const auto& splitter : splitters) {
      CHECK_EQ(in_batches(splitter, text, random, 1 + random() % 400), expected);
    }
  });
}

TEST(every_kernel_marks_the_same_gaps) {
  Random random(3);
  with_splitters(random, 150, [&](const auto& splitters) {
    const auto text = long_text(random, random_size(random));
    const auto marked = [&](const Splitter& splitter) {
      return in_batches(splitter, text, random, text.size() + 1, &Splitter::cut_marked);
    };
    const auto expected = marked(splitters[0]);
    for (const auto& splitter : splitters) CHECK_EQ(marked(splitter), expected);
  });
}

TEST(gaps_of_known_patterns_are_marked) {
  Random random(4);
  std::vector<Splitter> words = {{tables::words(), nullptr}};
  for (const auto kernel : scan_kernels()) words.emplace_back(tables::words(), kernel);
  for (int round = 0; round < 300; ++round) {
    const auto text = tables::random_text(random, random() % 200);
    for (const auto& splitter : words) {
      std::size_t start = 0;
      for (const auto marked :
           in_batches(splitter, text, random, text.size() + 1, &Splitter::cut_marked)) {
        const auto piece = tables::characters(std::string_view(text).substr(start));
        CHECK_EQ((marked & Splitter::kGap) != 0, tables::match_words(piece, 0) == 0);
        start = marked & ~Splitter::kGap;
      }
    }
  }
}

TEST(published_patterns_never_lose_the_machine) {
  // Otherwise they were as slow as before, and no other test would tell.
  const auto words = tables::words();
  const std::array levels = {&words};
  const auto machine = bytepair::make_scan_tables(levels);
  CHECK(machine != nullptr && machine->is_complete);
  const auto scripts = tables::scripts();
  const std::array nested = {&scripts, &words};
  CHECK(bytepair::make_scan_tables(nested)->is_complete);
}

TEST(a_pattern_with_many_classes_is_cut_without_the_machine) {
  const auto class_of = [](std::uint32_t code) { return code % 70; };
  std::vector<std::uint16_t> transitions(71 * 3);
  for (std::size_t c = 0; c < 70; ++c) transitions[71 + c] = 4;
  for (std::size_t c = 0; c <= 70; ++c) transitions[142 + c] = c % 2 == 1 && c < 70 ? 5 : 1;
  const auto tables = tables::make(70, class_of, transitions);
  const std::array levels = {&tables};
  CHECK(bytepair::make_scan_tables(levels) == nullptr);
  Random random(5);
  const auto text = long_text(random, 3000);
  CHECK_EQ(in_batches(Splitter(tables), text, random, text.size() + 1),
           by_one(Splitter(tables), text));
}

int main() { return check::run_all(); }
