// decode.cpp: one look-up a token.
#include "bytepair/decode.hpp"

#include <stdexcept>

namespace bytepair {

Decoder::Decoder(std::span<const std::uint32_t> ids, std::span<const std::string_view> contents) {
  if (ids.size() != contents.size()) throw std::invalid_argument("one content for each id");
  // A vocabulary may have holes and a few far ids; a dense table must not grow with those.
  const std::size_t dense_limit = ids.size() * 2 + 65536;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Place place{data_.size(), static_cast<std::uint32_t>(contents[i].size())};
    data_ += contents[i];
    if (ids[i] >= dense_limit) {
      sparse_[ids[i]] = place;
      continue;
    }
    if (ids[i] >= dense_.size()) dense_.resize(ids[i] + 1);
    dense_[ids[i]] = place;
  }
}

std::optional<std::size_t> Decoder::decode(std::span<const std::uint32_t> ids, bool skip_unknown,
                                           std::string& bytes) const {
  std::optional<std::size_t> first_unknown;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Place place = find(ids[i]);
    if (place.size != kUnknown) {
      bytes.append(data_, place.start, place.size);
      continue;
    }
    if (!first_unknown) first_unknown = i;
    if (!skip_unknown) break;
  }
  return first_unknown;
}

Decoder::Place Decoder::find(std::uint32_t id) const noexcept {
  if (id < dense_.size()) return dense_[id];
  const auto found = sparse_.find(id);
  return found == sparse_.end() ? Place{} : found->second;
}

}  // namespace bytepair
