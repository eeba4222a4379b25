// tables_fuzz.cpp: tables as a damaged file would give them: they are refused, or safe to use.
#include "bytepair/decode.hpp"
#include "bytepair/normalize.hpp"
#include "bytepair/split.hpp"
#include "input.hpp"

namespace {

using namespace bytepair;

template <class T>
std::vector<T> numbers(fuzz::Input& input, std::uint32_t most) {
  std::vector<T> values(input.below(most + 1));
  for (auto& value : values) value = static_cast<T>(input.below(0x10000));
  return values;
}

PatternTables any_tables(fuzz::Input& input) {
  PatternTables tables;
  tables.n_classes = input.below(4) == 0 ? input.below(70'000) : input.below(6);
  tables.invalid_class = input.byte();
  tables.pages = numbers<std::uint16_t>(input, 4);
  tables.pages.resize(input.below(8) == 0 ? input.below(0x1200) : 0x1100);
  tables.classes = numbers<std::uint8_t>(input, 16);
  tables.classes.resize(input.below(8) == 0 ? input.below(1000) : 256);
  tables.transitions = numbers<std::uint16_t>(input, 64);
  if (input.flag()) tables.transitions.resize(std::size_t{tables.n_classes} * 4 + 4);
  return tables;
}

void split(fuzz::Input& input) {
  const Splitter splitter(any_tables(input));
  const auto text = input.rest();
  std::vector<std::size_t> ends(Splitter::kBatch);
  DeadEnds dead_ends;
  for (std::size_t start = 0; start < text.size();) {
    const auto n = splitter.cut(text, start, true, dead_ends, ends);
    fuzz::require(n > 0 && ends[n - 1] > start && ends[n - 1] <= text.size(), "ends ascend");
    start = ends[n - 1];
  }
}

void decode(fuzz::Input& input) {
  const auto ids = numbers<std::uint32_t>(input, 8);
  std::vector<std::string_view> contents;
  for (auto n = input.below(9); n > 0; --n) contents.push_back(input.string(20));
  const auto special = numbers<std::uint32_t>(input, 4);
  std::vector<Edge> edges;
  for (auto n = input.below(4); n > 0; --n) {
    edges.push_back({input.below(0x10000), static_cast<Place>(input.byte()), input.string(4)});
  }
  const Decoder decoder({ids, contents, special, edges, {}});
  ByteBuffer bytes;
  const auto row = numbers<std::uint32_t>(input, 200);
  (void)decoder.decode(row, {input.flag(), input.flag()}, bytes);
}

void normalize(fuzz::Input& input) {
  const auto codes = numbers<std::uint32_t>(input, 20);
  const auto values = numbers<std::uint8_t>(input, 20);
  const QuickCheck check(codes, values);
  const auto text = input.rest();
  for (std::size_t from = 0; from < text.size();) {
    const auto window = check.next(text, from);
    fuzz::require(window.start >= from, "windows come in order");
    if (window.start == text.size()) break;
    fuzz::require(window.end > window.start && window.end <= text.size(), "windows lie in it");
    from = window.end;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  try {
    switch (input.below(3)) {
      case 0:
        split(input);
        break;
      case 1:
        decode(input);
        break;
      default:
        normalize(input);
    }
  } catch (const std::invalid_argument&) {  // how tables are refused
  }
  return 0;
}
