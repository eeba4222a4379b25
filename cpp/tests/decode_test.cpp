// decode_test.cpp: bytes by id, wherever the ids lie.
#include "bytepair/decode.hpp"

#include <limits>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>

#include "check.hpp"

using bytepair::Decoder;

namespace {

using Ids = std::vector<std::uint32_t>;
using Position = std::optional<std::size_t>;

struct Decoded {
  std::string bytes;
  Position first_unknown;
};

Decoded decode(const Decoder& decoder, const Ids& ids, bool skip_unknown = false) {
  Decoded result;
  result.first_unknown = decoder.decode(ids, skip_unknown, result.bytes);
  return result;
}

Decoder make(const std::map<std::uint32_t, std::string>& bytes_by_id) {
  Ids ids;
  std::vector<std::string_view> contents;
  for (const auto& [id, bytes] : bytes_by_id) {
    ids.push_back(id);
    contents.push_back(bytes);
  }
  return Decoder(ids, contents);
}

constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

}  // namespace

TEST(tokens_are_joined_in_order) {
  const auto decoder = make({{0, "a"}, {1, "bc"}, {2, "\xFF"}});
  CHECK_EQ(decode(decoder, {1, 2, 0, 1}).bytes,
           "bc\xFF"
           "abc");
  CHECK_EQ(decode(decoder, {1, 2, 0, 1}).first_unknown, Position{});
  CHECK_EQ(decode(decoder, {}).bytes, "");
}

TEST(bytes_are_appended_to_what_is_there) {
  std::string bytes = "x";
  const Ids ids = {0, 0};
  CHECK_EQ(make({{0, "a"}}).decode(ids, false, bytes), Position{});
  CHECK_EQ(bytes, "xaa");
}

TEST(the_contents_need_not_outlive_the_construction) {
  auto contents = std::make_unique<std::string>("a token longer than a short string");
  const Ids ids = {7};
  const std::vector<std::string_view> views = {*contents};
  const Decoder decoder(ids, views);
  contents.reset();
  CHECK_EQ(decode(decoder, {7}).bytes, "a token longer than a short string");
}

TEST(an_id_in_a_gap_is_unknown) {
  const auto decoder = make({{2, "a"}, {5, "b"}});
  for (const std::uint32_t id : {0u, 1u, 3u, 4u, 6u, 100'000u, kFar}) {
    CHECK_EQ(decode(decoder, {2, 5, id, 2}).first_unknown, Position{2});
  }
}

TEST(decoding_stops_at_the_first_unknown_id) {
  const auto decoded = decode(make({{0, "a"}}), {0, 0, 9, 0, 8});
  CHECK_EQ(decoded.bytes, "aa");
  CHECK_EQ(decoded.first_unknown, Position{2});
}

TEST(unknown_ids_are_left_out_if_asked_and_the_first_is_still_told) {
  const auto decoded = decode(make({{0, "a"}}), {0, 9, 0, 8, 0}, true);
  CHECK_EQ(decoded.bytes, "aaa");
  CHECK_EQ(decoded.first_unknown, Position{1});
}

TEST(a_token_without_bytes_is_known) {
  const auto decoded = decode(make({{0, ""}, {1, "a"}}), {0, 1, 0});
  CHECK_EQ(decoded.bytes, "a");
  CHECK_EQ(decoded.first_unknown, Position{});
}

TEST(far_ids_cost_no_more_than_near_ones) {
  // A table up to the largest of these would take 64 GB.
  const auto decoder = make({{0, "a"}, {4'000'000'000, "b"}, {kFar, "c"}, {65'600, "d"}});
  CHECK_EQ(decode(decoder, {4'000'000'000, kFar, 65'600, 0}).bytes, "bcda");
  CHECK_EQ(decode(decoder, {3'999'999'999}).first_unknown, Position{0});
}

TEST(ids_may_come_in_any_order) {
  const Ids ids = {9, 0, 5};
  const std::vector<std::string_view> contents = {"nine", "zero", "five"};
  CHECK_EQ(decode(Decoder(ids, contents), {0, 5, 9}).bytes, "zerofivenine");
}

TEST(an_empty_vocabulary_knows_nothing) {
  CHECK_EQ(decode(make({}), {0}).first_unknown, Position{0});
  CHECK_EQ(decode(make({}), {}).first_unknown, Position{});
}

TEST(lengths_that_differ_are_refused) {
  const Ids ids = {0, 1};
  const std::vector<std::string_view> contents = {"a"};
  CHECK_THROWS(std::invalid_argument, Decoder(ids, contents));
}

TEST(random_vocabularies_decode_as_a_map_does) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::map<std::uint32_t, std::string> bytes_by_id;
    for (auto n = random() % 40; n > 0; --n) {
      const auto id = static_cast<std::uint32_t>(random() % 2 == 0 ? random() % 60 : random());
      bytes_by_id[id] = std::string(random() % 9, static_cast<char>(random()));
    }
    Ids ids;
    std::string expected;
    for (const auto& [id, bytes] : bytes_by_id) {
      ids.insert(ids.end(), 2, id);
      expected += bytes + bytes;
    }
    CHECK_EQ(decode(make(bytes_by_id), ids).bytes, expected);
  }
}

int main() { return check::run_all(); }
