// load_fuzz.cpp: a tokenizer.json as somebody hostile would write it: its tables are refused, or
// keep every promise.
#include <optional>
#include <set>

#include "bytepair/load.hpp"
#include "bytepair/spelling.hpp"
#include "input.hpp"

namespace {

using namespace bytepair;

/// JSON pieces in an order of the fuzzer's choice, among bytes of its own.
std::string any_json(fuzz::Input& input) {
  constexpr std::string_view kPieces[] = {R"({"model":{"type":"BPE","vocab":{)",
                                          R"(},"merges":[)",
                                          R"(]}})",
                                          R"("a":0)",
                                          R"("b":1)",
                                          R"("ab":2)",
                                          R"("\u00e9":3)",
                                          R"("\ud83d\ude00":4)",
                                          R"("a b")",
                                          R"(["a","b"])",
                                          R"(["ab","b"])",
                                          R"("abb":5)",
                                          ",",
                                          ":",
                                          "{",
                                          "}",
                                          "[",
                                          "]",
                                          R"(")",
                                          R"(\)",
                                          " ",
                                          "\n",
                                          "null",
                                          "true",
                                          "-1",
                                          "2147483648",
                                          "1e3",
                                          R"("vocab":)",
                                          R"("merges":)",
                                          R"("model":)",
                                          R"("\ud800":6)",
                                          R"("continuing_subword_prefix":"##")"};
  std::string json;
  while (!input.empty()) {
    const auto choice = input.byte();
    if (choice < 200) {
      json += kPieces[choice % std::size(kPieces)];
    } else {
      json += input.string(8);
    }
  }
  return json;
}

void check(const ModelTables& tables, std::string_view json) {
  fuzz::require(tables.vocab.begin < tables.vocab.end && tables.vocab.end <= json.size(),
                "the vocabulary is in the file");
  fuzz::require(tables.merges.begin < tables.merges.end && tables.merges.end <= json.size(),
                "the merges are in the file");
  std::set<std::string_view> spellings;
  for (std::size_t i = 0; i < tables.ids.size(); ++i) {
    const auto spelling = tables.spelling(i);
    fuzz::require(i == 0 || tables.ids[i - 1] < tables.ids[i], "ids ascend");
    fuzz::require(tables.ids[i] < 1u << 31, "ids are ids");
    fuzz::require(!spelling.empty() && spellings.insert(spelling).second, "tokens are distinct");
    fuzz::require(tables.find(spelling) == tables.ids[i], "tokens are found");
    fuzz::require(tables.place_of(tables.ids[i]) == i, "ids are found");
    std::string bytes;
    (void)append_spelt_bytes(spelling, bytes);
  }
  const auto n = tables.left.size();
  fuzz::require(tables.right.size() == n && tables.joined.size() == n, "merges have three columns");
  for (std::size_t i = 0; i < n; ++i) {
    const auto spelling = [&](std::uint32_t id) {
      const auto place = tables.place_of(id);
      fuzz::require(place.has_value(), "merges name tokens");
      return std::string(tables.spelling(*place));
    };
    fuzz::require(
        spelling(tables.left[i]) + spelling(tables.right[i]) == spelling(tables.joined[i]),
        "a merge puts its parts one after the other");
  }
}

/// What was read, given token by token and line by line, makes the same tables.
void check_of(const ModelTables& tables) {
  std::vector<std::string_view> tokens;
  for (std::size_t i = 0; i < tables.ids.size(); ++i) tokens.push_back(tables.spelling(i));
  if (std::ranges::any_of(tokens, [](auto token) { return token.find(' ') != token.npos; })) return;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < tables.left.size(); ++i) {
    const auto spelling = [&](std::uint32_t id) {
      return std::string(tables.spelling(tables.place_of(id).value()));
    };
    lines.push_back(spelling(tables.left[i]) + " " + spelling(tables.right[i]));
  }
  const auto same = ModelTables::of(tokens, tables.ids,
                                    std::vector<std::string_view>(lines.begin(), lines.end()));
  fuzz::require(same.has_value(), "what was read is sound");
  fuzz::require(same->ids == tables.ids && same->left == tables.left &&
                    same->right == tables.right && same->joined == tables.joined,
                "it makes the same tables");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::string json = input.flag() ? any_json(input) : std::string(input.rest());
  if (const auto tables = ModelTables::read(json)) {
    check(*tables, json);
    check_of(*tables);
  }
  std::string bytes;
  (void)append_spelt_bytes(json, bytes);
  return 0;
}
