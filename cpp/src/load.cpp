// load.cpp: a JSON reader for two members, strict about what it takes.
#include "bytepair/load.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <utility>

#include "bytepair/hash.hpp"
#include "json_cursor.hpp"

namespace bytepair {
namespace {

constexpr std::size_t kBatch = 32;  // merges whose look-ups are under way together
constexpr std::size_t kLeast = 6;  // bytes of a token or a merge in a file: "a":1, or "a b",
constexpr std::size_t kNoToken = static_cast<std::size_t>(-1);
constexpr std::size_t kUsual = std::size_t{1} << 20;  // of more than that the memory must grow

/// Bytes of which up to eight count, as a number.
std::uint64_t first_bytes(std::uint64_t word, std::size_t n) noexcept {
  return n >= 8 ? word : word & ((std::uint64_t{1} << (8 * n)) - 1);
}

bool same(const char* one, std::string_view other) noexcept {
  return std::memcmp(one, other.data(), other.size()) == 0;
}

/// Where the space is in a text that has one; npos if it has none, or more.
std::size_t only_space(std::string_view text, const char* readable) noexcept {
  if (text.size() > 8 || readable - text.data() < 8) {
    const std::size_t at = text.find(' ');
    const std::size_t behind = std::min(at, text.size() - 1) + 1;
    const bool is_only = text.find(' ', behind) == std::string_view::npos;
    return is_only ? at : std::string_view::npos;
  }
  // The high bit of each byte that is a space.
  constexpr std::uint64_t kLow = 0x7F7F'7F7F'7F7F'7F7F;
  const std::uint64_t other = load8(text.data()) ^ 0x2020'2020'2020'2020;
  const std::uint64_t spaces = first_bytes(~(((other & kLow) + kLow) | other | kLow), text.size());
  if (!std::has_single_bit(spaces)) return std::string_view::npos;
  return static_cast<std::size_t>(std::countr_zero(spaces)) / 8;
}

/// True for UTF-8 (RFC 3629) that begins and ends with three zeros or more. Nothing branches, so
/// the compiler takes many bytes at a time.
bool is_utf8(std::string_view text) noexcept {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  unsigned char wrong = 0;
  for (std::size_t i = 3; i < text.size(); ++i) {
    const unsigned char byte = bytes[i];
    const unsigned char before = bytes[i - 1];
    const bool continues = (byte & 0xC0) == 0x80;
    const bool must_continue =
        (before >= 0xC0) | (bytes[i - 2] >= 0xE0) | (bytes[i - 3] >= 0xF0);
    const bool is_none = ((byte & 0xFE) == 0xC0) | (byte >= 0xF5);
    const bool is_overlong =
        ((before == 0xE0) & (byte < 0xA0)) | ((before == 0xF0) & (byte < 0x90));
    const bool is_outside = ((before == 0xED) & (byte > 0x9F)) | ((before == 0xF4) & (byte > 0x8F));
    wrong |= (continues ^ must_continue) | is_none | is_overlong | is_outside;
  }
  return wrong == 0;
}

}  // namespace

// ---------------------------------------------------------------------- look-ups

inline ModelTables::Key ModelTables::key_of(std::string_view text,
                                            const char* readable) const noexcept {
  const char* at = text.data();
  const std::size_t size = text.size();
  const auto key_size = static_cast<std::uint32_t>(size);
  if (size <= kKept) {
    if (readable - at >= 8) [[likely]] return {first_bytes(load8(at), size), key_size};
    char bytes[8] = {};
    std::copy_n(at, size, bytes);
    return {load8(bytes), key_size};
  }
  std::uint64_t state = seed_ ^ size;
  for (std::size_t i = 0; i + 8 < size; i += 8) {
    state = fold(state ^ kHashA, load8(at + i) ^ seed_);
  }
  return {fold(state ^ kHashA, load8(at + size - 8) ^ seed_), key_size};
}

inline std::size_t ModelTables::first_place(const Key& key) const noexcept {
  return fold(key.bytes ^ seed_, key.size ^ kHashB) & (slots_.size() - 1);
}

/// Where a token is, or where it would be.
inline std::size_t ModelTables::slot_of(std::string_view text, const Key& key) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = first_place(key);
  for (; slots_[at].number != 0; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.bytes != key.bytes || slot.size != key.size) continue;
    if (key.size <= kKept || same(this->spelling(slot.number - 1).data(), text)) break;
  }
  return at;
}

/// The place of a token, counted from 1; 0 if it is none.
inline std::uint32_t ModelTables::number_of(std::string_view text, const Key& key) const noexcept {
  return slots_[slot_of(text, key)].number;
}

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

  /// Merges that are no part of a file.
  bool lines(std::span<const std::string_view> texts) {
    begin_merges(texts.size());
    for (const auto text : texts) {
      if (!line(text) || (n_waiting_ == kBatch && !resolve())) return false;
    }
    return end_merges();
  }

 private:
  /// An object; `read` takes the value of each key.
  template <class Read>
  bool members(const Read& read) {
    if (!cursor_.take('{')) return false;
    if (cursor_.take('}')) return true;
    std::string unescaped;
    std::string_view key;
    do {
      if (!cursor_.string(key, unescaped) || !cursor_.take(':') || !read(key)) return false;
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
    std::string unescaped;
    std::string_view prefix;
    if (cursor_.peek() != '"') return cursor_.skip();
    return cursor_.string(prefix, unescaped) && prefix.empty();
  }

  bool vocab() {
    if (!cursor_.take('{')) return false;
    to_.reserve(most());
    bool are_characters = true;
    std::string unescaped;
    std::string_view token;
    std::uint32_t id = 0;
    if (!cursor_.take('}')) {
      do {
        const bool is_read =
            cursor_.string(token, unescaped) && cursor_.take(':') && cursor_.id(id);
        if (!is_read || token.empty()) return false;
        are_characters = are_characters && (token[0] & 0xC0) != 0x80;
        to_.add(token, id);
      } while (cursor_.take(','));
      if (!cursor_.take('}')) return false;
    }
    // Together they are UTF-8, and so is each, as none begins within a character.
    return are_characters && to_.end() && to_.index();
  }

  /// The most that can come, or the most that is usual. Memory that is not written costs nothing,
  /// and none of it is copied as the columns grow.
  [[nodiscard]] std::size_t most() const noexcept {
    return std::min((json_.size() - cursor_.position()) / kLeast, kUsual);
  }

  bool merges() {
    begin_merges(most());
    if (!cursor_.take('[')) return false;
    if (cursor_.take(']')) return true;
    const bool are_lists = cursor_.peek() == '[';
    do {
      if (!(are_lists ? list() : line())) return false;
      if (n_waiting_ == kBatch && !resolve()) return false;
    } while (cursor_.take(','));
    return cursor_.take(']') && end_merges();
  }

  void begin_merges(std::size_t n) {
    for (auto* column : {&to_.left, &to_.right, &to_.joined}) column->reserve(n);
    was_joined_.assign(to_.ids.size() / 64 + 1, 0);
  }

  bool end_merges() { return resolve() && (!must_compare_ || to_.merges_are_distinct()); }

  /// ["a", "b"]
  bool list() {
    Waiting& merge = waiting_[n_waiting_];
    return cursor_.take('[') && cursor_.string(merge.left, merge.unescaped[0]) &&
           cursor_.take(',') && cursor_.string(merge.right, merge.unescaped[1]) &&
           cursor_.take(']') && wait(merge);
  }

  /// "a b"
  bool line() {
    Waiting& merge = waiting_[n_waiting_];
    std::string_view text;
    return cursor_.string(text, merge.unescaped[0]) && line(text);
  }

  bool line(std::string_view text) {
    Waiting& merge = waiting_[n_waiting_];
    const std::size_t middle = only_space(text, readable_of(text));
    if (middle == std::string_view::npos) return false;
    merge.left = text.substr(0, middle);
    merge.right = text.substr(middle + 1);
    return wait(merge);
  }

  /// How far the memory can be read that a string lies in.
  [[nodiscard]] const char* readable_of(std::string_view text) const noexcept {
    const std::less<> before;
    const char* const end = json_.data() + json_.size();
    const bool is_in_json = !before(text.data(), json_.data()) && before(text.data(), end);
    return is_in_json ? end : text.data() + text.size();
  }

  /// A merge that is read; the memory is on its way that looking up its parts will touch.
  struct Waiting {
    std::string_view left;
    std::string_view right;
    std::array<Key, 2> keys;
    std::array<std::string, 2> unescaped;
  };

  bool wait(Waiting& merge) {
    if (merge.left.empty() || merge.right.empty()) return false;
    merge.keys = {to_.key_of(merge.left, readable_of(merge.left)),
                  to_.key_of(merge.right, readable_of(merge.right))};
    for (const Key& key : merge.keys) __builtin_prefetch(&to_.slots_[to_.first_place(key)]);
    ++n_waiting_;
    return true;
  }

  /// Looks up the merges that wait.
  bool resolve() {
    for (const Waiting& merge : std::span(waiting_).first(n_waiting_)) {
      const std::uint32_t left = to_.number_of(merge.left, merge.keys[0]);
      const std::uint32_t right = to_.number_of(merge.right, merge.keys[1]);
      if (left == 0 || right == 0 || !join(merge, to_.id_of(left), to_.id_of(right))) {
        return false;
      }
    }
    n_waiting_ = 0;
    return true;
  }

  bool join(const Waiting& merge, std::uint32_t left, std::uint32_t right) {
    // Nearly always it makes what the merge before it made, or the token behind that. Which of the
    // two cannot be foreseen, so nothing branches on it.
    const std::size_t last = joined_;
    joined_ += makes(merge, last) ? 0 : 1;
    if (!makes(merge, joined_) && !find_joined(merge)) return false;
    to_.left.push_back(left);
    to_.right.push_back(right);
    to_.joined.push_back(to_.id_of(static_cast<std::uint32_t>(joined_ + 1)));
    note_split(merge.left.size(), joined_ != last);
    return true;
  }

  /// Sees to it that no merge comes twice: two that make the same are one if their left parts have
  /// one size. Unless all that make the same stand side by side, they are compared in the end.
  void note_split(std::size_t left_size, bool is_other) {
    if (is_other) {
      std::uint64_t& seen = was_joined_[joined_ / 64];
      must_compare_ |= (seen >> joined_ % 64 & 1) != 0;
      seen |= std::uint64_t{1} << joined_ % 64;
      left_sizes_ = 0;
      more_sizes_.clear();
    }
    if (left_size < 64) {
      const std::uint64_t size = std::uint64_t{1} << left_size;
      must_compare_ |= (left_sizes_ & size) != 0;
      left_sizes_ |= size;
      return;
    }
    must_compare_ |= std::ranges::find(more_sizes_, left_size) != more_sizes_.end();
    more_sizes_.push_back(left_size);
  }

  [[nodiscard]] bool makes(const Waiting& merge, std::size_t token) const noexcept {
    if (token >= to_.ids.size()) return false;
    const auto joined = to_.spelling(token);
    const auto& [left, right] = merge.keys;
    const char* const at = joined.data();
    if (std::max(left.size, right.size) > kKept) {
      return joined.size() == merge.left.size() + merge.right.size() && same(at, merge.left) &&
             same(at + left.size, merge.right);
    }
    // Behind the last token there is as much as is read here in vain.
    const std::uint64_t differs = (joined.size() ^ (std::size_t{left.size} + right.size)) |
                                  (first_bytes(load8(at), left.size) ^ left.bytes) |
                                  (first_bytes(load8(at + left.size), right.size) ^ right.bytes);
    return differs == 0;
  }

  bool find_joined(const Waiting& merge) {
    text_.assign(merge.left);
    text_ += merge.right;
    const Key key = to_.key_of(text_, text_.data() + text_.size());
    const std::uint32_t number = to_.number_of(text_, key);
    joined_ = number - 1;
    return number > 0;
  }

  std::string_view json_;
  JsonCursor cursor_;
  ModelTables& to_;
  bool has_model_ = false;
  bool has_waited_ = false;  // merges came before the vocabulary: they are read at the end
  std::array<Waiting, kBatch> waiting_;
  std::size_t n_waiting_ = 0;
  std::size_t joined_ = kNoToken;          // place of the token that was last made
  std::uint64_t left_sizes_ = 0;           // a bit for each size of what was left in it
  std::vector<std::size_t> more_sizes_;    // those that have no bit
  std::vector<std::uint64_t> was_joined_;  // a bit for each token
  bool must_compare_ = false;
  std::string text_;
};

ModelTables::ModelTables()
    : seed_(std::uint64_t{std::random_device{}()} << 32 | std::random_device{}()) {}

std::optional<ModelTables> ModelTables::read(std::string_view json) {
  if (json.size() >= 0xFFFF'FFFF) return std::nullopt;  // positions have 32 bits
  ModelTables tables;
  if (!Reader(json, tables).file()) return std::nullopt;
  return tables;
}

std::optional<ModelTables> ModelTables::of(std::span<const std::string_view> tokens,
                                           std::span<const std::uint32_t> token_ids,
                                           std::span<const std::string_view> lines) {
  ModelTables tables;
  if (!tables.add_all(tokens, token_ids) || !Reader("", tables).lines(lines)) return std::nullopt;
  return tables;
}

std::optional<std::size_t> ModelTables::place_of(std::uint32_t id) const noexcept {
  const auto found = std::ranges::lower_bound(ids, id);
  if (found == ids.end() || *found != id) return std::nullopt;
  return static_cast<std::size_t>(found - ids.begin());
}

std::optional<std::uint32_t> ModelTables::find(std::string_view spelling) const noexcept {
  const Key key = key_of(spelling, spelling.data() + spelling.size());
  const std::uint32_t number = number_of(spelling, key);
  return number == 0 ? std::nullopt : std::optional(id_of(number));
}

void ModelTables::reserve(std::size_t n) {
  ids.reserve(n);
  starts_.reserve(n + 1);
  data_.reserve(n * 8);
  data_.assign(kPadding, '\0');
}

void ModelTables::add(std::string_view token, std::uint32_t id) {
  starts_.push_back(static_cast<std::uint32_t>(data_.size()));
  data_ += token;
  ids.push_back(id);
}

/// False if one is empty or begins within a character, or if there are too many bytes of them.
bool ModelTables::add_all(std::span<const std::string_view> tokens,
                          std::span<const std::uint32_t> token_ids) {
  this->reserve(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = tokens[i];
    if (token.empty() || (token[0] & 0xC0) == 0x80) return false;
    if (data_.size() + token.size() + 2 * kPadding > 0xFFFF'FFFF) return false;
    this->add(token, token_ids[i]);
  }
  return this->end() && this->index();
}

/// All tokens are there; false if they are not UTF-8 together, or two have one id.
bool ModelTables::end() {
  starts_.push_back(static_cast<std::uint32_t>(data_.size()));
  data_.append(kPadding, '\0');
  return is_utf8(data_) && sort_by_id();
}

/// Puts the tokens in the order of their ids; false if two have one id.
bool ModelTables::sort_by_id() {
  if (std::ranges::adjacent_find(ids, std::greater_equal<>{}) == ids.end()) return true;
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t place) { return ids[place]; });
  ModelTables sorted;
  sorted.reserve(ids.size());
  for (const std::size_t place : order) sorted.add(spelling(place), ids[place]);
  if (std::ranges::adjacent_find(sorted.ids) != sorted.ids.end()) return false;
  (void)sorted.end();
  ids = std::move(sorted.ids);
  starts_ = std::move(sorted.starts_);
  data_ = std::move(sorted.data_);
  return true;
}

/// Fills the hash table; false if two tokens are the same.
bool ModelTables::index() {
  has_all_ids_ = !ids.empty() && ids.back() == ids.size() - 1;
  std::size_t size = 16;
  while (size < ids.size() * 2) size *= 2;
  slots_ = PageArray<Slot>(size);
  std::array<Key, kBatch> keys;
  for (std::size_t start = 0; start < ids.size(); start += kBatch) {
    const std::size_t n = std::min(kBatch, ids.size() - start);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = key_of(spelling(start + i), data_.data() + data_.size());
      __builtin_prefetch(&slots_[first_place(keys[i])], 1);
    }
    for (std::size_t i = 0; i < n; ++i) {
      Slot& free = slots_[slot_of(spelling(start + i), keys[i])];
      if (free.number != 0) return false;
      free = {keys[i].bytes, keys[i].size, static_cast<std::uint32_t>(start + i + 1)};
    }
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
    std::size_t at = fold(pair ^ seed_, kHashB) & (size - 1);
    for (; seen[at] != kFree; at = (at + 1) & (size - 1)) {
      if (seen[at] == pair) return false;
    }
    seen[at] = pair;
  }
  return true;
}

}  // namespace bytepair
