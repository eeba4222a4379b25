// token_table.cpp: open addressing over tags; the bytes are compared where a tag fits.
#include "bytepair/token_table.hpp"

#include <algorithm>
#include <stdexcept>

namespace bytepair {
namespace {

constexpr std::size_t kSmallest = 64;  // slots
constexpr std::size_t kMostBytes = 0xFFFF'FFFF;

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

void TokenTable::add(std::string_view bytes, TokenId id) {
  if (tokens_.size() * 2 >= slots_.size()) grow();
  const std::uint64_t hash = hash_bytes(bytes);
  Slot& slot = slots_[place(bytes, hash)];
  if (slot.number > 0) {
    tokens_[slot.number - 1].id = id;
    return;
  }
  if (bytes_.size() + bytes.size() > kMostBytes) throw std::length_error("too many bytes");
  tokens_.push_back({static_cast<std::uint32_t>(bytes_.size()),
                     static_cast<std::uint32_t>(bytes.size()), id});
  bytes_ += bytes;
  longest_ = std::max(longest_, bytes.size());
  slot = {tag_of(hash), static_cast<std::uint32_t>(tokens_.size())};
}

void TokenTable::grow() {
  slots_.assign(std::max(kSmallest, slots_.size() * 2), {});
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const auto bytes = std::string_view(bytes_).substr(tokens_[i].start, tokens_[i].size);
    const std::uint64_t hash = hash_bytes(bytes);
    slots_[place(bytes, hash)] = {tag_of(hash), static_cast<std::uint32_t>(i + 1)};
  }
}

/// Where the token is, or the free slot where it would be.
std::size_t TokenTable::place(std::string_view bytes, std::uint64_t hash) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  const std::uint32_t tag = tag_of(hash);
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.number == 0) return at;
    if (slot.tag != tag) continue;
    const Token& token = tokens_[slot.number - 1];
    if (std::string_view(bytes_).substr(token.start, token.size) == bytes) return at;
  }
}

}  // namespace bytepair
