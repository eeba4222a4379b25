// ranks_fuzz.cpp: a rank file as somebody hostile would write it: it is refused, or its tokens keep
// every promise, and their halves are what looking up every cut finds.
#include <map>
#include <optional>
#include <tuple>

#include "bytepair/halves.hpp"
#include "bytepair/ranks.hpp"
#include "input.hpp"

namespace {

using namespace bytepair;

std::string any_file(fuzz::Input& input) {
  constexpr std::string_view kLines[] = {"YQ== 0\n", "Yg== 1\n", "YWI= 2\n", "YWE= 3\n",
                                         "YWFi 4\n", "YWJhYg== 5\n", "AA== 6\n", "AGEA 7\n",
                                         "YQ==",     " ",        "\n",      "9"};
  std::string file;
  while (!input.empty()) {
    const auto choice = input.byte();
    if (choice < 240) {
      file += kLines[choice % std::size(kLines)];
    } else {
      file += input.string(8);
    }
  }
  return file;
}

std::vector<std::string_view> tokens_of(const Ranks& ranks) {
  fuzz::require(ranks.offsets.size() == ranks.ids.size() + 1, "each token has an end");
  fuzz::require(ranks.offsets.back() == ranks.data.size(), "the last ends where the bytes do");
  std::vector<std::string_view> tokens;
  for (std::size_t i = 0; i < ranks.ids.size(); ++i) {
    fuzz::require(i == 0 || ranks.ids[i - 1] < ranks.ids[i], "ranks ascend");
    fuzz::require(ranks.offsets[i] < ranks.offsets[i + 1], "no token is empty");
    tokens.push_back(std::string_view(ranks.data)
                         .substr(ranks.offsets[i], ranks.offsets[i + 1] - ranks.offsets[i]));
  }
  return tokens;
}

void check(const std::vector<std::string_view>& tokens) {
  std::map<std::string_view, std::uint32_t> places;
  for (std::uint32_t i = 0; i < tokens.size(); ++i) places.emplace(tokens[i], i);
  fuzz::require(places.size() == tokens.size(), "tokens are distinct");
  const Halves halves = halves_of(tokens);
  std::size_t row = 0;
  for (std::uint32_t whole = 0; whole < tokens.size(); ++whole) {
    for (std::size_t cut = 1; cut < tokens[whole].size(); ++cut) {
      const auto left = places.find(tokens[whole].substr(0, cut));
      const auto right = places.find(tokens[whole].substr(cut));
      if (left == places.end() || right == places.end()) continue;
      fuzz::require(row < halves.whole.size(), "all halves are found");
      fuzz::require(halves.whole[row] == whole && halves.left[row] == left->second &&
                        halves.right[row] == right->second,
                    "halves are in order");
      ++row;
    }
  }
  fuzz::require(row == halves.whole.size(), "nothing else is found");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::string file = any_file(input);
  if (const auto ranks = read_ranks(file)) check(tokens_of(*ranks));
  return 0;
}
