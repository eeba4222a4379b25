// symbols.cpp: one table look-up for each byte or character.
#include "bytepair/symbols.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "bytepair/utf8.hpp"

namespace bytepair {
namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

FirstSymbols::FirstSymbols(Rules rules)
    : rules_(std::move(rules)),
      fuses_(rules_.fuse_unknown && (rules_.by_bytes || rules_.fallback.empty())) {
  if (rules_.fallback.size() != 256 && !rules_.fallback.empty()) {
    throw std::invalid_argument("byte fallback needs the symbols of all 256 bytes");
  }
  for (auto& symbols : bytes_) symbols.fill(kNone);
}

void FirstSymbols::add(std::string_view part, bool continues, bool ends, Symbol symbol) {
  const std::size_t kind = (continues ? 1 : 0) + (ends ? 2 : 0);
  const std::uint32_t code = is_part(part) ? read(part, 0).code : 0;
  if (part.size() == 1) {
    bytes_[kind][bytes_of(part)[0]] = symbol;
  } else if (is_part(part)) {
    auto& [pages, symbols] = characters_[kind];
    auto& page = pages[code / kPage];
    if (page == 0) {
      page = static_cast<std::uint16_t>(symbols.size() / kPage);
      symbols.resize(symbols.size() + kPage, kNone);
    }
    symbols[page * kPage + code % kPage] = symbol;
  }
  if (rules_.by_bytes && !rules_.marks_begin && !rules_.marks_end && !rules_.end) {
    is_plain_ = std::ranges::find(bytes_[0], kNone) == bytes_[0].end();
  }
}

bool FirstSymbols::is_part(std::string_view bytes) const noexcept {
  return !bytes.empty() && read(bytes, 0).bytes.size() == bytes.size();
}

bool FirstSymbols::may_fail() const noexcept {
  const bool falls_back = !rules_.by_bytes && !rules_.fallback.empty();
  return !is_plain_ && !rules_.unknown && !falls_back;
}

FirstSymbols::Part FirstSymbols::read(std::string_view word, std::size_t at) const noexcept {
  if (rules_.by_bytes) return {word.substr(at, 1), 0};
  const auto [size, code] = read_utf8(bytes_of(word) + at, bytes_of(word) + word.size());
  return {word.substr(at, std::max<std::size_t>(size, 1)), code};
}

Symbol FirstSymbols::find(const Part& part, std::size_t kind) const noexcept {
  if (part.bytes.size() == 1) return bytes_[kind][bytes_of(part.bytes)[0]];
  const auto& [pages, symbols] = characters_[kind];
  return symbols[pages[part.code / kPage] * kPage + part.code % kPage];
}

std::size_t FirstSymbols::write(std::string_view word, Symbol* symbols,
                                std::vector<std::size_t>* sizes) const {
  Symbol* at = symbols;
  if (is_plain_) {
    for (const char byte : word) *at++ = of_bytes()[static_cast<unsigned char>(byte)];
    if (sizes != nullptr) sizes->assign(word.size(), 1);
    return word.size();
  }
  bool follows_unknown = false;
  for (std::size_t start = 0; start < word.size();) {
    const Part part = read(word, start);
    const bool is_last = start + part.bytes.size() == word.size();
    const std::size_t kind = (rules_.marks_begin && start > 0 ? 1 : 0) +
                             (rules_.marks_end && is_last ? 2 : 0);
    start += part.bytes.size();
    const Symbol symbol = find(part, kind);
    const bool fuses = symbol == kNone && follows_unknown && fuses_;
    Symbol* const before = at;
    if (symbol != kNone) {
      *at++ = symbol;
    } else if (!fuses) {
      at = write_unknown(part, at);
    }
    follows_unknown = symbol == kNone;
    if (sizes == nullptr) continue;
    if (fuses) {
      sizes->back() += part.bytes.size();
    } else {
      const auto n = static_cast<std::size_t>(at - before);
      sizes->insert(sizes->end(), n, part.bytes.size() / n);
    }
  }
  if (rules_.end) {
    *at++ = *rules_.end;
    if (sizes != nullptr) sizes->push_back(0);
  }
  return static_cast<std::size_t>(at - symbols);
}

Symbol* FirstSymbols::write_unknown(const Part& part, Symbol* at) const {
  if (!rules_.by_bytes && !rules_.fallback.empty()) {
    for (const char byte : part.bytes) *at++ = rules_.fallback[static_cast<unsigned char>(byte)];
    return at;
  }
  if (!rules_.unknown) throw UnknownCharacter(part.bytes);
  *at++ = *rules_.unknown;
  return at;
}

}  // namespace bytepair
