// decode_fuzz.cpp: any vocabulary, any ids: the decoder gives what a look-up in a map gives.
#include <map>
#include <optional>

#include "bytepair/decode.hpp"
#include "input.hpp"

namespace {

using namespace bytepair;
using Ids = std::vector<std::uint32_t>;

constexpr std::uint32_t kFar = 0xFFFF'FFF0;

struct Vocabulary {
  std::map<std::uint32_t, std::string> contents;
  Ids special;
  std::map<std::pair<std::uint32_t, Place>, std::string> edges;
  std::vector<StripRule> strips;
};

std::uint32_t any_id(fuzz::Input& input) {
  const std::uint32_t id = input.byte();
  return id < 192 ? id % 24 : id < 224 ? kFar + id % 16 : id * 4099;
}

Vocabulary any_vocabulary(fuzz::Input& input) {
  Vocabulary made;
  for (auto n = input.below(24); n > 0; --n) {
    const auto id = any_id(input);
    made.contents[id] = input.string(input.flag() ? 40 : 4);
    if (input.below(4) == 0) made.special.push_back(id);
  }
  for (auto n = input.below(6); n > 0; --n) {
    const auto id = any_id(input);
    const auto place = static_cast<Place>(1 + input.below(3));
    if (made.contents.contains(id)) made.edges[{id, place}] = input.string(20);
  }
  for (auto n = input.below(3); n > 0; --n) {
    made.strips.push_back({std::string(input.string(3)), input.below(4), input.below(4)});
  }
  return made;
}

Decoder decoder_of(const Vocabulary& from) {
  Ids ids;
  std::vector<std::string_view> contents;
  for (const auto& [id, content] : from.contents) {
    ids.push_back(id);
    contents.push_back(content);
  }
  std::vector<Edge> edges;
  for (const auto& [key, bytes] : from.edges) edges.push_back({key.first, key.second, bytes});
  return Decoder({ids, contents, from.special, edges, from.strips});
}

struct Expected {
  std::string bytes;
  std::optional<std::size_t> unknown;
};

void strip(std::string& text, const StripRule& rule) {
  if (rule.content.empty()) return;
  for (std::size_t n = 0; n < rule.start && text.starts_with(rule.content); ++n) {
    text.erase(0, rule.content.size());
  }
  for (std::size_t n = 0; n < rule.stop && text.ends_with(rule.content); ++n) {
    text.erase(text.size() - rule.content.size());
  }
}

Expected expected(const Vocabulary& from, const Ids& ids, DecodeOptions options) {
  Expected result;
  Ids kept;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!from.contents.contains(ids[i])) {
      if (!result.unknown) result.unknown = i;
    } else if (!options.skip_special || std::ranges::count(from.special, ids[i]) == 0) {
      kept.push_back(ids[i]);
    }
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const int place = (i == 0 ? 1 : 0) + (i + 1 == kept.size() ? 2 : 0);
    const auto edge = from.edges.find({kept[i], static_cast<Place>(place)});
    result.bytes += edge != from.edges.end() ? edge->second : from.contents.at(kept[i]);
  }
  for (const auto& rule : from.strips) strip(result.bytes, rule);
  return result;
}

std::string_view view(const ByteBuffer& bytes, const DecodedText& text) {
  return {bytes.data() + text.begin, text.end - text.begin};
}

void check_starts(const ByteBuffer& bytes, const DecodedText& text,
                  const std::vector<std::size_t>& ends) {
  const auto n_chars = std::ranges::count_if(
      view(bytes, text), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  const auto starts = char_starts(bytes, text, ends);
  fuzz::require(starts.size() == ends.size(), "each id has a start");
  fuzz::require(starts.empty() || starts.front() == 0, "the first id begins the text");
  for (const auto start : starts) {
    fuzz::require(start >= 0 && start <= n_chars, "starts lie in the text");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const Vocabulary vocabulary = any_vocabulary(input);
  const Decoder decoder = decoder_of(vocabulary);
  const DecodeOptions options{input.flag(), input.flag()};
  const auto n_before = input.below(8);
  Ids ids;
  while (!input.empty()) ids.push_back(any_id(input));

  const Expected wanted = expected(vocabulary, ids, options);
  ByteBuffer bytes;
  const DecodedText text = decoder.decode(ids, options, bytes);
  std::vector<std::size_t> ends;
  const DecodedText by_token = decoder.decode(ids, options, bytes, ends);
  fuzz::require(text.unknown == wanted.unknown, "the first unknown id is told");
  fuzz::require(by_token.unknown == wanted.unknown, "token by token too");
  if (wanted.unknown && !options.skip_unknown) return 0;
  fuzz::require(view(bytes, text) == wanted.bytes, "bytes are those of the map");
  fuzz::require(view(bytes, by_token) == wanted.bytes, "token by token too");
  check_starts(bytes, by_token, ends);

  const bool is_plain = vocabulary.edges.empty() && vocabulary.strips.empty();
  if (!is_plain || n_before > ids.size()) return 0;
  bytes.clear();
  (void)decoder.decode(std::span(ids).first(n_before), options, bytes);
  (void)decoder.decode(std::span(ids).subspan(n_before), options, bytes);
  fuzz::require(std::string_view(bytes.data(), bytes.size()) == wanted.bytes,
                "parts joined are the whole");
  return 0;
}
