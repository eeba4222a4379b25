// load_test.cpp: what is plainly sound is read, everything else is left to others.
#include "bytepair/load.hpp"

#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "bytepair/spelling.hpp"
#include "check.hpp"

using bytepair::ModelTables;

namespace {

using Merge = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

std::string file(const std::string& vocab, const std::string& merges,
                 const std::string& more = "") {
  return R"({"version": "1.0", "model": {"type": "BPE", "vocab": )" + vocab + R"(, "merges": )" +
         merges + more + R"(}, "added_tokens": [{"id": 9, "content": "{\"\\"}]})";
}

const std::string kVocab = R"({"a": 0, "b": 1, "ab": 2, "c": 3, "abc": 4})";
const std::string kMerges = R"(["a b", "ab c"])";

std::vector<Merge> merges_of(const ModelTables& tables) {
  std::vector<Merge> merges;
  for (std::size_t i = 0; i < tables.left.size(); ++i) {
    merges.emplace_back(tables.left[i], tables.right[i], tables.joined[i]);
  }
  return merges;
}

std::vector<std::string> spellings_of(const ModelTables& tables) {
  std::vector<std::string> spellings;
  for (std::size_t i = 0; i < tables.ids.size(); ++i) spellings.emplace_back(tables.spelling(i));
  return spellings;
}

bool is_read(const std::string& json) { return ModelTables::read(json).has_value(); }

}  // namespace

TEST(tokens_and_merges_are_read_and_found) {
  const auto json = file(kVocab, kMerges);
  const auto tables = ModelTables::read(json);
  CHECK(tables.has_value());
  CHECK_EQ(spellings_of(*tables), (std::vector<std::string>{"a", "b", "ab", "c", "abc"}));
  CHECK_EQ(tables->ids, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  CHECK_EQ(merges_of(*tables), (std::vector<Merge>{{0, 1, 2}, {2, 3, 4}}));
  CHECK_EQ(tables->find("ab"), std::optional<std::uint32_t>{2});
  CHECK_EQ(tables->find("ba"), std::optional<std::uint32_t>{});
  CHECK_EQ(tables->find(""), std::optional<std::uint32_t>{});
  CHECK_EQ(json.substr(tables->vocab.begin, tables->vocab.end - tables->vocab.begin), kVocab);
  CHECK_EQ(json.substr(tables->merges.begin, tables->merges.end - tables->merges.begin), kMerges);
}

TEST(tokens_and_merges_from_elsewhere_are_found_as_those_of_a_file) {
  const std::vector<std::string_view> tokens = {"c", "ab", "a", "b", "abc"};
  const std::vector<std::uint32_t> ids = {9, 2, 0, 1, 4};
  const std::vector<std::string_view> lines = {"a b", "ab c"};
  const auto tables = ModelTables::of(tokens, ids, lines);
  CHECK(tables.has_value());
  CHECK_EQ(tables->ids, (std::vector<std::uint32_t>{0, 1, 2, 4, 9}));
  CHECK_EQ(merges_of(*tables), (std::vector<Merge>{{0, 1, 2}, {2, 9, 4}}));
  for (const std::string_view line : {"", "a", " a", "a ", "a  b", "a b c", "a x", "b a", "a b"}) {
    const std::vector<std::string_view> wrong = {"a b", line};
    CHECK(!ModelTables::of(tokens, ids, wrong).has_value());
  }
  for (const std::string_view token : {"", "a", "\xA9", "\xFF"}) {
    const std::vector<std::string_view> wrong = {"a", token};
    CHECK(!ModelTables::of(wrong, std::span(ids).first(2), {}).has_value());
  }
  CHECK(!ModelTables::of(std::span(tokens).first(2), std::vector<std::uint32_t>{1, 1}, {}));
}

TEST(both_spellings_of_merges_and_any_order_of_members_are_understood) {
  const std::string lists = R"([["a", "b"] ,["ab","c"]])";
  CHECK_EQ(merges_of(*ModelTables::read(file(kVocab, lists))),
           (std::vector<Merge>{{0, 1, 2}, {2, 3, 4}}));
  const auto json = R"({"model":{"merges":)" + kMerges + R"(,"vocab":)" + kVocab + "}}";
  CHECK_EQ(merges_of(*ModelTables::read(json)).size(), std::size_t{2});
  CHECK_EQ(merges_of(*ModelTables::read(file(kVocab, "[ ]"))).size(), std::size_t{0});
  CHECK_EQ(ModelTables::read(file("{}", "[]"))->ids.size(), std::size_t{0});
}

TEST(ids_are_sorted_and_may_have_gaps) {
  const auto tables = ModelTables::read(file(R"({"x": 2147483647, "y": 7, "z": 0})", "[]"));
  CHECK_EQ(spellings_of(*tables), (std::vector<std::string>{"z", "y", "x"}));
  CHECK_EQ(tables->ids, (std::vector<std::uint32_t>{0, 7, 2147483647}));
  CHECK_EQ(tables->find("x"), std::optional<std::uint32_t>{2147483647});
  CHECK_EQ(tables->place_of(7), std::optional<std::size_t>{1});
  CHECK_EQ(tables->place_of(8), std::optional<std::size_t>{});
}

TEST(escapes_are_read_as_json_has_them) {
  const auto tables = ModelTables::read(
      file(R"({"\"": 0, "\\": 1, "\/": 2, "\b\f\n\r\t": 3, "\u00e9\u65E5": 4, "\ud83d\ude00": 5})",
           "[]"));
  CHECK_EQ(spellings_of(*tables), (std::vector<std::string>{"\"", "\\", "/", "\b\f\n\r\t",
                                                            "\xC3\xA9\xE6\x97\xA5",
                                                            "\xF0\x9F\x98\x80"}));
}

TEST(what_is_not_plainly_sound_is_left_to_others) {
  const std::vector<std::pair<std::string, std::string>> members = {
      {R"({"a": 0, "a": 1})", "[]"},         // the same token twice
      {R"({"a": 0, "\u0061": 1})", "[]"},    // in two spellings
      {R"({"a": 0, "b": 0})", "[]"},         // the same id twice
      {R"({"a": 1, "b": 0, "c": 1})", "[]"},
      {R"({"": 0})", "[]"},
      {R"({"a": -1})", "[]"},
      {R"({"a": 2147483648})", "[]"},
      {R"({"a": 99999999999999999999999})", "[]"},
      {R"({"a": 1.0})", "[]"},
      {R"({"a": 1e0})", "[]"},
      {R"({"a": 01})", "[]"},
      {R"({"a": "1"})", "[]"},
      {R"({"a": null})", "[]"},
      {R"({"a" 1})", "[]"},
      {R"({"a": 1,})", "[]"},
      {R"({"\ud83d": 1})", "[]"},
      {R"({"\ude00": 1})", "[]"},
      {R"({"\ud83d\u0041": 1})", "[]"},
      {R"({"\u12": 1})", "[]"},
      {R"({"\x": 1})", "[]"},
      {"{\"a\nb\": 1}", "[]"},
      {"{\"\xFF\": 1}", "[]"},
      {"{\"\xC3\": 1}", "[]"},
      {"{\"\xED\xA0\x80\": 1}", "[]"},
      {"[]", "[]"},
      {"7", "[]"},
      {kVocab, "{}"},
      {kVocab, R"(["a b", ["ab", "c"]])"},
      {kVocab, R"(["a b", "a b"])"},
      {kVocab, R"(["a  b"])"},
      {kVocab, R"(["a b "])"},
      {kVocab, R"([" a b"])"},
      {kVocab, R"(["ab"])"},
      {kVocab, R"(["a "])"},
      {kVocab, R"([" b"])"},
      {kVocab, R"(["b a"])"},
      {kVocab, R"(["a x"])"},
      {kVocab, R"([["a", "b", "c"]])"},
      {kVocab, R"([["a"]])"},
      {kVocab, R"([["ab", ""]])"},
      {kVocab, R"([["a", 1]])"},
      {kVocab, R"([7])"},
      {kVocab, R"(["a b",])"},
      {kVocab, R"(["#version: 0.2", "a b"])"},
  };
  for (const auto& [vocab, merges] : members) {
    if (is_read(file(vocab, merges))) check::fail(__FILE__, __LINE__, vocab + " " + merges);
  }
}

TEST(the_members_must_be_there_once_in_one_model) {
  const auto good = file(kVocab, kMerges);
  CHECK(is_read(good));
  CHECK(is_read(file(kVocab, kMerges, R"(, "continuing_subword_prefix": null)")));
  CHECK(is_read(file(kVocab, kMerges, R"(, "continuing_subword_prefix": "")")));
  CHECK(!is_read(file(kVocab, kMerges, R"(, "continuing_subword_prefix": "##")")));
  CHECK(!is_read(file(kVocab, kMerges, R"(, "vocab": {})")));
  CHECK(!is_read(file(kVocab, kMerges, R"(, "merges": [])")));
  CHECK(!is_read(R"({"model": {}, )" + good.substr(1)));
  CHECK(!is_read(R"({"model": {"vocab": {}}})"));
  CHECK(!is_read(R"({"vocab": {}, "merges": []})"));
  CHECK(!is_read("[" + good + "]"));
  CHECK(!is_read(""));
}

TEST(many_merges_are_looked_up_in_their_order) {
  std::string vocab = "{";
  std::string merges = "[";
  std::vector<Merge> expected;
  for (std::uint32_t i = 0; i < 26; ++i) {
    vocab += "\"" + std::string(1, static_cast<char>('a' + i)) + "\": " + std::to_string(i) + ", ";
  }
  std::uint32_t id = 26;
  for (std::uint32_t i = 0; i < 26; ++i) {
    for (std::uint32_t j = 0; j < 26; ++j, ++id) {
      const std::string left(1, static_cast<char>('a' + i));
      const std::string right(1, static_cast<char>('a' + j));
      vocab += (id > 26 ? ", \"" : "\"") + left + right + "\": " + std::to_string(id);
      merges += (id > 26 ? ", \"" : "\"") + left + " " + right + "\"";
      expected.emplace_back(i, j, id);
    }
  }
  CHECK_EQ(merges_of(*ModelTables::read(file(vocab + "}", merges + "]"))), expected);
}

TEST(no_beginning_of_a_file_and_no_changed_byte_does_harm) {
  const auto good = file(R"({"a": 0, "\u00e9": 1, "a\u00e9": 2, "\\": 3})", R"([["a", "\u00e9"]])");
  for (std::size_t size = 0; size < good.size(); ++size) CHECK(!is_read(good.substr(0, size)));
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    auto changed = good;
    for (int n = 0; n < 3; ++n) changed[random() % good.size()] = static_cast<char>(random());
    (void)is_read(changed);
  }
}

TEST(deep_nesting_costs_no_stack) {
  const std::string deep(1'000'000, '[');
  CHECK(!is_read(R"({"a": )" + deep));
  const auto closed = deep + std::string(deep.size(), ']');
  CHECK(is_read(R"({"a": )" + closed + ", " + file(kVocab, kMerges).substr(1)));
}

TEST(spelt_bytes_are_those_of_gpt2s_alphabet) {
  std::string bytes;
  CHECK(bytepair::append_spelt_bytes("a\xC4\xA0\xC4\x8A\xC3\xA9\xC5\x83\xC4\x80", bytes));
  CHECK_EQ(bytes, std::string("a \n\xE9\xAD\x00", 6));
  for (const std::string odd : {" ", "\n", "\xC2\xAD", "\xC5\x84", "\xE6\x97\xA5", "\x7F", "\xFF"}) {
    CHECK(!bytepair::append_spelt_bytes(odd, bytes));
  }
}

int main() { return check::run_all(); }
