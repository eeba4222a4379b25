// json_text_test.cpp: what is long in JSON text, with whatever stands around it.
#include "bytepair/json_text.hpp"

#include <random>
#include <string>
#include <vector>

#include "check.hpp"

using bytepair::find_long;
using bytepair::LongPart;

namespace {

constexpr std::size_t kMany = 1'000'000;

std::string read(std::string_view json, const LongPart& part) {
  std::string text(part.n_bytes, '?');
  bytepair::read_string(json.substr(part.begin, part.end - part.begin), text.data());
  return text;
}

std::string ids_json(const std::vector<std::uint32_t>& ids) {
  std::string json(bytepair::ids_json_size(ids), '?');
  bytepair::write_ids(ids, json.data());
  return json;
}

std::string string_json(std::string_view text) {
  const auto size = bytepair::string_json_size(text);
  if (!size) return "none";
  std::string json(*size, '?');
  bytepair::write_string(text, json.data());
  return json;
}

TEST(values_are_found) {
  const std::string json = R"({"a long name": "0\n2\u00e9\ud83d456", "c": [11, 22,33], "d": [1]})";
  const auto found = find_long(json, 9, kMany);
  CHECK(found && found->parts.size() == 2 && found->n_values == 7);
  CHECK(read(json, found->parts[0]) == "0\n2\xC3\xA9\xEF\xBF\xBD" "456");
  CHECK(found->parts[1].ids == (std::vector<std::uint32_t>{11, 22, 33}));
  CHECK(bytepair::with_marks(json, found->parts, 70) ==
        R"({"a long name": "70", "c": [71], "d": [1]})");
}

TEST(ids_are_written) {
  CHECK(ids_json({}) == "[]");
  CHECK(ids_json({0, 9, 10, 4294967295}) == "[0,9,10,4294967295]");
}

TEST(strings_are_written) {
  CHECK(string_json("a\"\\\n\x01\x7F\xC3\xA9") == "\"a\\\"\\\\\\n\\u0001\x7F\xC3\xA9\"");
  CHECK(string_json("a\xC3") == "none");
}

/// What is written is read back; any cut or changed byte is survived.
TEST(anything_is_survived) {
  std::mt19937 random(7);
  const std::vector<std::string> units = {"\"", "\\", "[", "]", "{", ":", ",", " ", "1", "0", "\\u",
                                          "d83d", "\xC3\xA9", "\xFF", "\x01", "4294967296"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (auto n = random() % 12; n > 0; --n) text += units[random() % units.size()];
    const auto found = find_long(text, 1 + random() % 4, 1 + random() % 8);
    if (found) {
      for (const auto& part : found->parts) {
        if (part.is_text()) (void)read(text, part);
      }
      (void)bytepair::with_marks(text, found->parts, 1);
    }
    const std::string json = string_json(text);
    if (json == "none") continue;
    const auto again = find_long(json, 2, kMany);
    CHECK(again && again->parts.size() == 1 && read(json, again->parts[0]) == text);
  }
}

}  // namespace

int main() { return check::run_all(); }
