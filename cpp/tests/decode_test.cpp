// decode_test.cpp: bytes by id, wherever the ids lie.
#include "bytepair/decode.hpp"

#include <limits>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>

#include "check.hpp"

using bytepair::ByteBuffer;
using bytepair::char_starts;
using bytepair::DecodedText;
using bytepair::DecodeOptions;
using bytepair::Decoder;
using bytepair::DecoderTables;
using bytepair::Edge;
using bytepair::Place;
using bytepair::StripRule;

namespace {

using Ids = std::vector<std::uint32_t>;
using BytesById = std::map<std::uint32_t, std::string>;
using Position = std::optional<std::size_t>;

constexpr DecodeOptions kSkipUnknown{.skip_unknown = true, .skip_special = false};
constexpr DecodeOptions kSkipSpecial{.skip_unknown = false, .skip_special = true};

std::string_view view(const ByteBuffer& bytes, const DecodedText& text) {
  return {bytes.data() + text.begin, text.end - text.begin};
}

struct Decoded {
  std::string bytes;
  Position first_unknown;
};

/// One after another in the same buffer, so that what is there already must not matter.
Decoded decode(const Decoder& decoder, const Ids& ids, DecodeOptions options = {}) {
  ByteBuffer bytes;
  (void)decoder.decode(ids, options, bytes);
  const DecodedText text = decoder.decode(ids, options, bytes);
  std::vector<std::size_t> ends;
  const DecodedText by_token = decoder.decode(ids, options, bytes, ends);
  CHECK_EQ(by_token.unknown, text.unknown);
  if (!text.unknown || options.skip_unknown) {
    CHECK_EQ(view(bytes, by_token), view(bytes, text));
    CHECK_EQ(ends.size(), ids.size());
  }
  return {std::string(view(bytes, text)), text.unknown};
}

struct Extras {
  Ids special;
  std::vector<Edge> edges;
  std::vector<StripRule> strips;
};

Decoder make(const BytesById& bytes_by_id, const Extras& extras = {}) {
  Ids ids;
  std::vector<std::string_view> contents;
  for (const auto& [id, bytes] : bytes_by_id) {
    ids.push_back(id);
    contents.push_back(bytes);
  }
  return Decoder({ids, contents, extras.special, extras.edges, extras.strips});
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

TEST(the_contents_need_not_outlive_the_construction) {
  auto contents = std::make_unique<std::string>("a token longer than a short string");
  const Ids ids = {7};
  const std::vector<std::string_view> views = {*contents};
  const Decoder decoder({ids, views, {}, {}, {}});
  contents.reset();
  CHECK_EQ(decode(decoder, {7}).bytes, "a token longer than a short string");
}

TEST(an_id_in_a_gap_is_unknown) {
  const auto decoder = make({{2, "a"}, {5, "b"}});
  for (const std::uint32_t id : {0u, 1u, 3u, 4u, 6u, 100'000u, kFar}) {
    CHECK_EQ(decode(decoder, {2, 5, id, 2}).first_unknown, Position{2});
  }
}

TEST(the_first_unknown_id_is_told) {
  CHECK_EQ(decode(make({{0, "a"}}), {0, 0, 9, 0, 8}).first_unknown, Position{2});
}

TEST(unknown_ids_are_left_out_if_asked_and_the_first_is_still_told) {
  const auto decoded = decode(make({{0, "a"}}), {0, 9, 0, 8, 0}, kSkipUnknown);
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
  CHECK_EQ(decode(Decoder({ids, contents, {}, {}, {}}), {0, 5, 9}).bytes, "zerofivenine");
}

TEST(an_empty_vocabulary_knows_nothing) {
  CHECK_EQ(decode(make({}), {0}).first_unknown, Position{0});
  CHECK_EQ(decode(make({}), {}).first_unknown, Position{});
}

TEST(lengths_that_differ_are_refused) {
  const Ids ids = {0, 1};
  const std::vector<std::string_view> contents = {"a"};
  CHECK_THROWS(std::invalid_argument, Decoder({ids, contents, {}, {}, {}}));
}

TEST(tokens_of_any_length_are_copied_whole) {
  BytesById bytes_by_id;
  Ids ids;
  std::string expected;
  for (std::uint32_t size = 0; size < 70; ++size) {
    bytes_by_id[size] = std::string(size, static_cast<char>('0' + size));
  }
  for (std::uint32_t size = 0; size < 70; ++size) {
    ids.insert(ids.end(), {size, size, 1});
    expected += bytes_by_id[size] + bytes_by_id[size] + bytes_by_id[1];
  }
  CHECK_EQ(decode(make(bytes_by_id), ids).bytes, expected);
}

TEST(a_buffer_holds_more_than_the_room_made_at_once) {
  const auto decoder = make({{0, "fifteen bytes.."}, {1, std::string(5000, 'x')}});
  const Ids ids(10'000, 0);
  CHECK_EQ(decode(decoder, ids).bytes.size(), std::size_t{150'000});
  CHECK_EQ(decode(decoder, Ids(100, 1)).bytes, std::string(500'000, 'x'));
}

TEST(special_ids_are_left_out_on_request) {
  const auto decoder = make({{0, "a"}, {1, "<s>"}, {kFar, "<far>"}}, {{1, kFar}, {}, {}});
  CHECK_EQ(decode(decoder, {1, 0, kFar}).bytes, "<s>a<far>");
  CHECK_EQ(decode(decoder, {1, 0, kFar}, kSkipSpecial).bytes, "a");
  CHECK_EQ(decode(decoder, {1, 9}, kSkipSpecial).first_unknown, Position{1});
  CHECK(decoder.is_special(1) && decoder.is_special(kFar));
  CHECK(!decoder.is_special(0) && !decoder.is_special(9));
}

TEST(the_first_and_the_last_token_may_differ) {
  const auto decoder = make({{0, "a "}, {1, "b"}, {2, "<s>"}}, {{2},
                                                                {{0, Place::kFirst, "A "},
                                                                 {0, Place::kLast, "a"},
                                                                 {0, Place::kOnly, "A"},
                                                                 {1, Place::kFirst, ""}},
                                                                {}});
  CHECK_EQ(decode(decoder, {0, 0, 0}).bytes, "A a a");
  CHECK_EQ(decode(decoder, {0}).bytes, "A");
  CHECK_EQ(decode(decoder, {1, 1}).bytes, "b");
  CHECK_EQ(decode(decoder, {2, 0, 2}).bytes, "<s>a <s>");
  CHECK_EQ(decode(decoder, {2, 0, 2}, kSkipSpecial).bytes, "A");
  CHECK_EQ(decode(decoder, {9, 0, 1, 9}, kSkipUnknown).bytes, "A b");
  CHECK_EQ(decode(decoder, {0, 0, 9}).first_unknown, Position{2});
  CHECK_EQ(decode(decoder, {2, 9, 0}, kSkipSpecial).first_unknown, Position{1});
  CHECK_EQ(decode(decoder, {}).bytes, "");
}

TEST(texts_are_stripped_at_most_so_often) {
  const BytesById letters = {{0, " "}, {1, "a"}, {2, "  "}};
  const auto decoder = make(letters, {{}, {}, {{" ", 2, 1}, {"a", 1, 0}}});
  CHECK_EQ(decode(decoder, {0, 2, 1, 2}).bytes, " a ");
  CHECK_EQ(decode(decoder, {2, 1, 1, 2}).bytes, "a ");
  CHECK_EQ(decode(decoder, {2, 0}).bytes, "");
  CHECK_EQ(decode(decoder, {}).bytes, "");
  CHECK_EQ(decode(make(letters, {{}, {}, {{"", 9, 9}}}), {0, 1}).bytes, " a");
}

TEST(characters_are_counted_where_tokens_begin) {
  const auto decoder = make({{0, "a\xC3"}, {1, "\xA9"}, {2, " "}}, {{}, {}, {{" ", 1, 1}}});
  const auto starts = [&](const Ids& ids) {
    ByteBuffer bytes;
    std::vector<std::size_t> ends;
    const DecodedText text = decoder.decode(ids, {}, bytes, ends);
    return char_starts(bytes, text, ends);
  };
  using Starts = std::vector<std::int64_t>;
  CHECK_EQ(starts({0, 1, 0}), (Starts{0, 1, 2}));
  CHECK_EQ(starts({2, 0, 1, 2, 2}), (Starts{0, 0, 1, 2, 3}));
  CHECK_EQ(starts({1, 1}), (Starts{0, 0}));
  CHECK_EQ(starts({2, 2}), (Starts{0, 0}));
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
