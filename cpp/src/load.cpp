// load.cpp: a JSON reader for two members, strict about what it takes.
#include "bytepair/load.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>

#include "bytepair/utf8.hpp"
#include "json_cursor.hpp"

namespace bytepair {
namespace {

constexpr std::size_t kBatch = 32;  // merges whose look-ups are under way together

std::uint64_t mix(std::uint64_t state, std::uint64_t part) noexcept {
  state = (state ^ part) * 0x9E3779B97F4A7C15u;
  return state ^ state >> 32;
}

template <class Word>
std::uint64_t word_at(const char* at) noexcept {
  Word word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

}  // namespace

// ---------------------------------------------------------------------- the two members

/// Reads into `tables`; every function returns false at what is not plainly sound.
class ModelTables::Reader {
 public:
  Reader(std::string_view json, ModelTables& tables) : json_(json), cursor_(json), to_(tables) {}

  bool file() {
    return members([&](std::string_view key) {
      if (key != "model") return cursor_.skip();
      return !std::exchange(has_model_, true) && model();
    }) && to_.vocab.end > 0 && to_.merges.end > 0;
  }

 private:
  /// An object; `read` takes the value of each key.
  template <class Read>
  bool members(const Read& read) {
    if (!cursor_.take('{')) return false;
    if (cursor_.take('}')) return true;
    std::string key;
    do {
      key.clear();
      if (!cursor_.string(key) || !cursor_.take(':') || !read(key)) return false;
    } while (cursor_.take(','));
    return cursor_.take('}');
  }

  bool model() {
    const bool is_object = members([&](std::string_view key) {
      if (key == "vocab") return to_.vocab.end == 0 && within(to_.vocab, [&] { return vocab(); });
      if (key == "merges") {
        has_waited_ = to_.vocab.end == 0;
        return to_.merges.end == 0 &&
               within(to_.merges, [&] { return has_waited_ ? cursor_.skip() : merges(); });
      }
      if (key == "continuing_subword_prefix") return no_prefix();
      return cursor_.skip();
    });
    if (!is_object || to_.vocab.end == 0 || to_.merges.end == 0) return false;
    if (!has_waited_) return true;
    const JsonCursor behind =
        std::exchange(cursor_, JsonCursor(json_, to_.merges.begin));
    if (!merges()) return false;
    cursor_ = behind;
    return true;
  }

  template <class Read>
  bool within(Range& range, const Read& read) {
    cursor_.peek();
    range.begin = cursor_.position();
    if (!read()) return false;
    range.end = cursor_.position();
    return true;
  }

  bool no_prefix() {
    std::string prefix;
    return cursor_.peek() == '"' ? cursor_.string(prefix) && prefix.empty() : cursor_.skip();
  }

  bool vocab() {
    const auto add = [&](std::uint32_t id) {
      const std::size_t end = to_.data_.size();
      if (end == (to_.ends_.empty() ? 0 : to_.ends_.back())) return false;  // an empty token
      to_.ends_.push_back(static_cast<std::uint32_t>(end));
      to_.ids.push_back(id);
      return true;
    };
    if (!cursor_.take('{')) return false;
    std::uint32_t id = 0;
    if (!cursor_.take('}')) {
      do {
        if (!cursor_.string(to_.data_) || !cursor_.take(':') || !cursor_.id(id) || !add(id)) {
          return false;
        }
      } while (cursor_.take(','));
      if (!cursor_.take('}')) return false;
    }
    return to_.sort_by_id() && to_.index();
  }

  bool merges() {
    if (!cursor_.take('[')) return false;
    if (cursor_.take(']')) return true;
    const bool are_lists = cursor_.peek() == '[';
    do {
      if (!(are_lists ? list() : line())) return false;
      if (waiting_.size() == kBatch && !resolve()) return false;
    } while (cursor_.take(','));
    return cursor_.take(']') && resolve() && to_.merges_are_distinct();
  }

  /// ["a", "b"]
  bool list() {
    const std::size_t start = text_.size();
    if (!cursor_.take('[') || !cursor_.string(text_) || !cursor_.take(',')) return false;
    const std::size_t middle = text_.size();
    if (!cursor_.string(text_) || !cursor_.take(']')) return false;
    return wait(start, middle);
  }

  /// "a b"
  bool line() {
    const std::size_t start = text_.size();
    if (!cursor_.string(text_)) return false;
    const std::size_t middle = text_.find(' ', start);
    if (middle == std::string::npos || text_.find(' ', middle + 1) != std::string::npos) {
      return false;
    }
    text_.erase(middle, 1);
    return wait(start, middle);
  }

  /// Remembers a merge and asks for the memory that looking it up will touch.
  bool wait(std::size_t start, std::size_t middle) {
    if (start == middle || middle == text_.size()) return false;
    const std::string_view both = std::string_view(text_).substr(start);
    Waiting merge{start, middle - start, both.size(), {}};
    merge.hashes = {to_.hash(both.substr(0, merge.left)), to_.hash(both.substr(merge.left)),
                    to_.hash(both)};
    for (const std::uint64_t hash : merge.hashes) __builtin_prefetch(&first_slot(hash));
    waiting_.push_back(merge);
    return true;
  }

  /// Looks up the merges that wait.
  bool resolve() {
    for (const Waiting& merge : waiting_) {
      for (const std::uint64_t hash : merge.hashes) {
        __builtin_prefetch(to_.data_.data() + first_slot(hash).start);
      }
    }
    const std::string_view text = text_;
    for (const Waiting& merge : waiting_) {
      const auto both = text.substr(merge.start, merge.size);
      const Slot& first = to_.slot(both.substr(0, merge.left), merge.hashes[0]);
      const Slot& second = to_.slot(both.substr(merge.left), merge.hashes[1]);
      const Slot& whole = to_.slot(both, merge.hashes[2]);
      if (first.size == 0 || second.size == 0 || whole.size == 0) return false;
      to_.left.push_back(first.id);
      to_.right.push_back(second.id);
      to_.joined.push_back(whole.id);
    }
    waiting_.clear();
    text_.clear();
    return true;
  }

  [[nodiscard]] const Slot& first_slot(std::uint64_t hash) const noexcept {
    return to_.slots_[hash & (to_.slots_.size() - 1)];
  }

  struct Waiting {
    std::size_t start;
    std::size_t left;  // size of the left part
    std::size_t size;  // of both
    std::array<std::uint64_t, 3> hashes;
  };

  std::string_view json_;
  JsonCursor cursor_;
  ModelTables& to_;
  bool has_model_ = false;
  bool has_waited_ = false;  // merges came before the vocabulary: they are read at the end
  std::string text_;  // of the merges that wait, without the spaces
  std::vector<Waiting> waiting_;
};

ModelTables::ModelTables()
    : seed_(std::uint64_t{std::random_device{}()} << 32 | std::random_device{}()) {}

std::optional<ModelTables> ModelTables::read(std::string_view json) {
  if (json.size() >= 0xFFFF'FFFF) return std::nullopt;  // positions have 32 bits
  ModelTables tables;
  if (!Reader(json, tables).file()) return std::nullopt;
  return tables;
}

std::uint64_t ModelTables::hash(std::string_view spelling) const noexcept {
  const char* at = spelling.data();
  const std::size_t size = spelling.size();
  std::uint64_t state = seed_ ^ size;
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8) state = mix(state, word_at<std::uint64_t>(at + i));
    return mix(state, word_at<std::uint64_t>(at + size - 8));
  }
  if (size >= 4) {
    return mix(state, word_at<std::uint32_t>(at) << 32 | word_at<std::uint32_t>(at + size - 4));
  }
  std::uint64_t part = 0;
  for (std::size_t i = 0; i < size; ++i) part = part << 8 | static_cast<unsigned char>(at[i]);
  return mix(state, part);
}

std::optional<std::size_t> ModelTables::place_of(std::uint32_t id) const noexcept {
  const auto found = std::ranges::lower_bound(ids, id);
  if (found == ids.end() || *found != id) return std::nullopt;
  return static_cast<std::size_t>(found - ids.begin());
}

std::optional<std::uint32_t> ModelTables::find(std::string_view spelling) const noexcept {
  const Slot& found = slot(spelling, hash(spelling));
  return found.size == 0 ? std::nullopt : std::optional(found.id);
}

/// Where a token is, or where it would be.
const ModelTables::Slot& ModelTables::slot(std::string_view text,
                                           std::uint64_t hash) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  std::size_t at = hash & mask;
  for (; slots_[at].size != 0; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.tag == tag && slot.size == text.size() &&
        std::memcmp(data_.data() + slot.start, text.data(), text.size()) == 0) {
      break;
    }
  }
  return slots_[at];
}

/// Puts the tokens in the order of their ids; false if two have one id.
bool ModelTables::sort_by_id() {
  if (std::ranges::adjacent_find(ids, std::greater_equal<>{}) == ids.end()) return true;
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t place) { return ids[place]; });
  ModelTables sorted;
  sorted.data_.reserve(data_.size());
  for (const std::size_t place : order) {
    sorted.data_ += spelling(place);
    sorted.ends_.push_back(static_cast<std::uint32_t>(sorted.data_.size()));
    sorted.ids.push_back(ids[place]);
  }
  data_ = std::move(sorted.data_);
  ends_ = std::move(sorted.ends_);
  ids = std::move(sorted.ids);
  return std::ranges::adjacent_find(ids) == ids.end();
}

/// Fills the hash table; false if two tokens are the same.
bool ModelTables::index() {
  std::size_t size = 16;
  while (size < ids.size() * 2) size *= 2;
  slots_.assign(size, {});
  for (std::size_t place = 0; place < ids.size(); ++place) {
    const auto token = spelling(place);
    const std::uint64_t key = hash(token);
    Slot& free = const_cast<Slot&>(slot(token, key));  // this object is not const
    if (free.size != 0) return false;
    const auto token_size = static_cast<std::uint32_t>(token.size());
    free = {static_cast<std::uint32_t>(key >> 32), ids[place], ends_[place] - token_size,
            token_size};
  }
  return true;
}

bool ModelTables::merges_are_distinct() const {
  std::size_t size = 16;
  while (size < left.size() * 2) size *= 2;
  constexpr std::uint64_t kFree = ~std::uint64_t{0};  // no pair: ids are smaller
  std::vector<std::uint64_t> seen(size, kFree);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::uint64_t pair = std::uint64_t{left[i]} << 32 | right[i];
    std::size_t at = mix(seed_, pair) & (size - 1);
    for (; seen[at] != kFree; at = (at + 1) & (size - 1)) {
      if (seen[at] == pair) return false;
    }
    seen[at] = pair;
  }
  return true;
}

// ---------------------------------------------------------------------- byte-level spellings

namespace {

constexpr std::size_t kLastStandIn = 0x143;

constexpr bool is_own_stand_in(std::size_t byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

/// By code point; -1 for what stands for no byte.
constexpr std::array<std::int16_t, kLastStandIn + 1> bytes_by_stand_in() {
  std::array<std::int16_t, kLastStandIn + 1> bytes{};
  for (auto& byte : bytes) byte = -1;
  std::size_t other = 0x100;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    bytes[is_own_stand_in(byte) ? byte : other++] = static_cast<std::int16_t>(byte);
  }
  return bytes;
}

constexpr auto kByteByStandIn = bytes_by_stand_in();

}  // namespace

bool append_spelt_bytes(std::string_view spelling, std::string& bytes) {
  const auto* at = reinterpret_cast<const unsigned char*>(spelling.data());
  const auto* end = at + spelling.size();
  while (at < end) {
    const auto [size, code] = read_utf8(at, end);
    if (code > kLastStandIn || kByteByStandIn[code] < 0) return false;
    bytes += static_cast<char>(kByteByStandIn[code]);
    at += size;
  }
  return true;
}

}  // namespace bytepair
