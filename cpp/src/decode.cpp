// decode.cpp: one look-up and one copy of 16 bytes a token.
#include "bytepair/decode.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace bytepair {
namespace {

constexpr std::size_t kIdsAtOnce = 1024;  // for which room is made at a time

[[nodiscard]] constexpr std::uint64_t edge_key(std::uint32_t id, Place place) noexcept {
  return std::uint64_t{id} << 2 | static_cast<std::uint64_t>(place);
}

[[nodiscard]] constexpr bool goes_on(char byte) noexcept {  // within a character
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

[[nodiscard]] std::optional<std::size_t> shifted(std::optional<std::size_t> position,
                                                 std::size_t by) noexcept {
  return position ? std::optional(*position + by) : std::nullopt;
}

void append_bytes(std::string_view bytes, ByteBuffer& buffer) {
  char* out = buffer.room(bytes.size());
  buffer.end_at(std::ranges::copy(bytes, out).out);
}

}  // namespace

Decoder::Decoder(const DecoderTables& tables)
    : strips_(tables.strips.begin(), tables.strips.end()) {
  if (tables.ids.size() != tables.contents.size()) {
    throw std::invalid_argument("one content for each id");
  }
  std::vector<std::uint32_t> special(tables.special.begin(), tables.special.end());
  std::ranges::sort(special);
  // A vocabulary may have holes and a few far ids; a dense table must not grow with those.
  const std::size_t dense_limit = tables.ids.size() * 2 + 65536;
  std::size_t n_dense = 0;
  for (const auto id : tables.ids) {
    if (id < dense_limit) n_dense = std::max(n_dense, std::size_t{id} + 1);
  }
  Record none;
  std::memcpy(none.bytes, &kNone, sizeof kNone);
  records_ = PageArray<Record>(n_dense + 1);
  std::fill_n(records_.data(), n_dense, none);
  records_[n_dense] = Record();
  for (std::size_t i = 0; i < tables.ids.size(); ++i) {
    const auto id = tables.ids[i];
    add(id, tables.contents[i], std::ranges::binary_search(special, id));
  }
  for (const auto& edge : tables.edges) edges_[edge_key(edge.id, edge.place)] = keep(edge.bytes);
}

void Decoder::add(std::uint32_t id, std::string_view bytes, bool is_special) {
  max_id_ = std::max(max_id_, std::int64_t{id});
  const bool is_dense = id + std::size_t{1} < records_.size();
  if (is_dense && bytes.size() <= kShort && !is_special) {
    Record& record = records_[id];
    std::ranges::copy(bytes, record.bytes);
    record.size = static_cast<std::uint8_t>(bytes.size());
    return;
  }
  const auto index = static_cast<std::uint32_t>(others_.size());
  others_.push_back({keep(bytes), is_special});
  if (is_dense) {
    records_[id].size = kElsewhere;
    std::memcpy(records_[id].bytes, &index, sizeof index);
  } else {
    sparse_[id] = index;
  }
}

Decoder::Slice Decoder::keep(std::string_view bytes) {
  const Slice slice{data_.size(), bytes.size()};
  data_ += bytes;
  return slice;
}

std::string_view Decoder::view(Slice slice) const noexcept {
  return {data_.data() + slice.start, slice.size};
}

const Decoder::Record& Decoder::record(std::uint32_t id) const noexcept {
  return records_[std::min<std::size_t>(id, records_.size() - 1)];
}

const Decoder::Other* Decoder::find_other(std::uint32_t id) const noexcept {
  std::uint32_t index = kNone;
  if (id < records_.size() - 1) {
    std::memcpy(&index, records_[id].bytes, sizeof index);
  } else if (const auto found = sparse_.find(id); found != sparse_.end()) {
    index = found->second;
  }
  return index == kNone ? nullptr : &others_[index];
}

std::optional<std::string_view> Decoder::find(std::uint32_t id) const noexcept {
  const Record& found = record(id);
  if (found.size <= kShort) return std::string_view{found.bytes, found.size};
  const Other* other = find_other(id);
  return other != nullptr ? std::optional(view(other->bytes)) : std::nullopt;
}

bool Decoder::is_special(std::uint32_t id) const noexcept {
  if (record(id).size <= kShort) return false;
  const Other* other = find_other(id);
  return other != nullptr && other->is_special;
}

DecodedText Decoder::decode(Ids ids, DecodeOptions options, ByteBuffer& bytes) const {
  DecodedText text{bytes.size(), 0, std::nullopt};
  text.unknown =
      edges_.empty() ? append(ids, options, bytes) : append_with_edges(ids, options, bytes);
  text.end = bytes.size();
  strip(bytes, text);
  return text;
}

DecodedText Decoder::decode(Ids ids, DecodeOptions options, ByteBuffer& bytes,
                            std::vector<std::size_t>& ends) const {
  const auto kept = [&](std::uint32_t id) { return is_kept(id, options); };
  const auto first = std::ranges::find_if(ids, kept) - ids.begin();
  const auto last = std::ranges::find_if(ids.rbegin(), ids.rend(), kept).base() - ids.begin() - 1;
  DecodedText text{bytes.size(), 0, std::nullopt};
  for (std::ptrdiff_t i = 0; i < std::ssize(ids); ++i) {
    const auto id = ids[static_cast<std::size_t>(i)];
    const int place = (i == first ? 1 : 0) + (i == last ? 2 : 0);
    if (place != 0) {
      append_at(id, static_cast<Place>(place), bytes);
    } else if (append({&id, 1}, options, bytes) && !text.unknown) {
      text.unknown = static_cast<std::size_t>(i);
      if (!options.skip_unknown) break;
    }
    ends.push_back(bytes.size());
  }
  text.end = bytes.size();
  strip(bytes, text);
  return text;
}

std::optional<std::size_t> Decoder::append(Ids ids, DecodeOptions options,
                                           ByteBuffer& bytes) const {
  std::optional<std::size_t> unknown;
  for (std::size_t i = 0; i < ids.size();) {
    const std::size_t stop = std::min(ids.size(), i + kIdsAtOnce);
    char* out = bytes.room((stop - i) * kBlock);
    for (; i < stop; ++i) {
      const Record& found = record(ids[i]);
      if (found.size > kShort) [[unlikely]]
        break;
      std::memcpy(out, &found, kBlock);
      out += found.size;
    }
    bytes.end_at(out);
    if (i == stop) continue;
    if (const Other* other = find_other(ids[i]); other == nullptr) {
      if (!unknown) unknown = i;
      if (!options.skip_unknown) break;
    } else if (!(other->is_special && options.skip_special)) {
      append_bytes(view(other->bytes), bytes);
    }
    ++i;
  }
  return unknown;
}

bool Decoder::is_kept(std::uint32_t id, DecodeOptions options) const noexcept {
  if (record(id).size <= kShort) return true;
  const Other* other = find_other(id);
  return other != nullptr && !(other->is_special && options.skip_special);
}

std::optional<std::size_t> Decoder::append_with_edges(Ids ids, DecodeOptions options,
                                                      ByteBuffer& bytes) const {
  std::size_t first = 0;
  std::size_t end = ids.size();
  while (first < end && !is_kept(ids[first], options)) ++first;
  while (first < end && !is_kept(ids[end - 1], options)) --end;
  auto unknown = append(ids.first(first), options, bytes);
  if (first + 1 == end) append_at(ids[first], Place::kOnly, bytes);
  if (first + 1 < end) {
    append_at(ids[first], Place::kFirst, bytes);
    const auto between = append(ids.subspan(first + 1, end - first - 2), options, bytes);
    if (!unknown) unknown = shifted(between, first + 1);
    append_at(ids[end - 1], Place::kLast, bytes);
  }
  const auto behind = append(ids.subspan(end), options, bytes);
  return unknown ? unknown : shifted(behind, end);
}

void Decoder::append_at(std::uint32_t id, Place place, ByteBuffer& bytes) const {
  const auto edge = edges_.find(edge_key(id, place));
  if (edge != edges_.end()) {
    append_bytes(view(edge->second), bytes);
  } else if (const auto found = find(id)) {
    append_bytes(*found, bytes);
  }
}

void Decoder::strip(const ByteBuffer& bytes, DecodedText& text) const noexcept {
  for (const auto& rule : strips_) {
    const std::string_view content = rule.content;
    if (content.empty()) continue;
    const auto rest = [&] {
      return std::string_view(bytes.data() + text.begin, text.end - text.begin);
    };
    for (std::size_t n = 0; n < rule.start && text.begin < text.end; ++n) {
      if (!rest().starts_with(content)) break;
      text.begin += content.size();
    }
    for (std::size_t n = 0; n < rule.stop && text.begin < text.end; ++n) {
      if (!rest().ends_with(content)) break;
      text.end -= content.size();
    }
  }
}

std::vector<std::int64_t> char_starts(const ByteBuffer& bytes, const DecodedText& text,
                                      std::span<const std::size_t> ends) {
  std::vector<std::int64_t> starts;
  starts.reserve(ends.size());
  std::int64_t n_chars = 0;
  std::size_t place = text.begin;
  for (const std::size_t end : ends) {
    const std::size_t stop = std::clamp(end, place, text.end);
    const bool is_inside = place < stop && goes_on(bytes.data()[place]);
    starts.push_back(std::max<std::int64_t>(0, n_chars - is_inside));
    for (; place < stop; ++place) n_chars += !goes_on(bytes.data()[place]);
  }
  return starts;
}

}  // namespace bytepair
