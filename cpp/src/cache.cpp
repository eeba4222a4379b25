// cache.cpp: open addressing; entries are claimed, written and then shown.
#include "bytepair/cache.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

namespace bytepair {
namespace {

constexpr std::size_t kSmallest = 256;       // entries of the first table
constexpr std::size_t kArenaPerEntry = 4;    // 4-byte units
constexpr std::size_t kBytesPerEntry = 32 + 4 * kArenaPerEntry;
constexpr std::size_t kGrowth = 4;           // how many times larger the next table is
// Of much text, for each entry: with words of 130 to 420 bytes each it need not grow.
constexpr std::size_t kBytesOfText = 64;
constexpr std::size_t kPerToken = 8;         // entries of a table that begins with all tokens
constexpr std::size_t kLongest = 4096;       // bytes of a word that is worth remembering

std::atomic<std::uint32_t> n_forks{0};

/// Leaves of a hash the number of an entry.
unsigned shift_of(std::size_t n_entries) {
  return 32 - static_cast<unsigned>(std::countr_zero(n_entries));
}

}  // namespace

void note_fork() noexcept { n_forks.fetch_add(1); }

WordCache::WordCache(std::size_t max_bytes) : n_forks_(n_forks.load()) {
  // While it grows the table before is there as well.
  const std::size_t entries = max_bytes / (kBytesPerEntry + kBytesPerEntry / kGrowth);
  largest_ = std::max(kSmallest, std::bit_floor(std::min(entries, std::size_t{1} << 31)));
  make(tables_[0], kSmallest);
}

void WordCache::make(Table& table, std::size_t size) {
  const std::size_t arena_size = size * kArenaPerEntry;
  table.memory = Pages(size * sizeof(WordEntry) + arena_size * sizeof(std::uint32_t));
  table.entries = static_cast<WordEntry*>(table.memory.data());  // zeros are empty entries
  table.arena = reinterpret_cast<std::uint32_t*>(table.entries + size);
  table.arena_size = arena_size;
  table.arena_used = 0;
  table.n_entries = 0;
  table.tokens = Tokens::kNone;
  table.size = size;
}

/// Gives back the tables that nobody looks into any more. To be called by who `is_growing_`.
void WordCache::sweep() noexcept {
  for (std::size_t i = 0; i < kTables; ++i) {
    Table& table = tables_[i];
    if (i == current_ || table.size == 0 || table.n_users > 0) continue;
    table.memory = Pages();
    table.size = 0;
  }
}

/// Puts a table of `size` in the place of `old`: with all that is known if it is larger, else empty.
void WordCache::replace(std::size_t old, std::size_t size) {
  if (is_growing_.exchange(true)) return;
  sweep();
  const auto* free = std::ranges::find(tables_, std::size_t{0}, &Table::size);
  // All others may still be in use; then this one stays for now.
  if (current_ == old && free != tables_.end()) {
    const auto fresh = static_cast<std::size_t>(free - tables_.begin());
    try {
      make(tables_[fresh], size);
      if (size > tables_[old].size) copy(tables_[old], tables_[fresh]);
      current_ = fresh;
    } catch (const std::bad_alloc&) {
      tables_[fresh].size = 0;  // a cache that cannot grow is a cache all the same
    }
  }
  is_growing_ = false;
}

/// Other threads may add to `from` meanwhile; what they add may be missing in `to`.
void WordCache::copy(const Table& from, Table& to) noexcept {
  // Words that stand where they belong first: they came early, which frequent ones do.
  const unsigned shift = shift_of(from.size);
  bool holds_tokens = from.tokens == Tokens::kAll;
  for (const bool at_home : {true, false}) {
    for (std::size_t i = 0; i < from.size; ++i) {
      const WordEntry& entry = from.entries[i];
      const std::uint64_t high = entry.high.load(std::memory_order_acquire);
      if (high == 0) continue;
      const WordKey key{entry.low.load(std::memory_order_relaxed), high & ~WordEntry::kFar};
      const std::uint32_t hash = lookup_kernel().hash(key);
      if ((hash >> shift == i) != at_home) continue;
      if (!copy(from, entry, key, hash, to)) holds_tokens = false;
    }
  }
  if (holds_tokens) to.tokens = Tokens::kAll;
}

/// False if there is no room.
bool WordCache::copy(const Table& from, const WordEntry& entry, const WordKey& key,
                     std::uint32_t hash, Table& to) noexcept {
  const std::uint64_t high = entry.high.load(std::memory_order_relaxed);
  const std::uint64_t second = entry.second.load(std::memory_order_relaxed);
  std::uint64_t first = entry.first.load(std::memory_order_relaxed);
  if (high & WordEntry::kFar) {
    const std::size_t n_units = key.long_units() + (second >> 32);
    const std::size_t start = to.arena_used;
    if (start + n_units > to.arena_size) return false;
    to.arena_used = start + n_units;
    std::copy_n(from.arena + first, n_units, to.arena + start);
    first = start;
  }
  const auto mask = static_cast<std::uint32_t>(to.size - 1);
  for (std::uint32_t probe = 0; probe < kProbes; ++probe) {
    WordEntry& place = to.entries[probed(hash >> shift_of(to.size), probe, mask)];
    if (place.second.load(std::memory_order_relaxed) != 0) continue;
    place.low.store(key.low, std::memory_order_relaxed);
    place.high.store(high, std::memory_order_relaxed);
    place.first.store(first, std::memory_order_relaxed);
    place.second.store(second, std::memory_order_relaxed);
    to.n_entries.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  return false;
}

/// In a process that was just forked: the threads of the other one are not here.
void WordCache::forget_threads() noexcept {
  std::uint32_t known = n_forks_;
  const std::uint32_t now = n_forks;
  if (known == now || !n_forks_.compare_exchange_strong(known, now)) return;
  for (Table& table : tables_) table.n_users = 0;
  is_growing_ = false;
}

WordCache::View::View(WordCache& cache, std::size_t expected_bytes)
    : cache_(cache), kernel_(lookup_kernel()) {
  cache_.forget_threads();
  enter();
  const std::size_t wanted =
      std::min(std::bit_ceil(expected_bytes / kBytesOfText + 1), cache_.largest_);
  if (wanted > std::size_t{mask_} + 1) replace(wanted);
}

WordCache::View::~View() {
  cache_.tables_[table_].n_entries += n_added_;
  leave();
}

/// A table in which somebody looks is not taken away. It may be taken away, even come back with
/// other contents, between the choice and the first look: hence the second look at `current_`.
void WordCache::View::enter() noexcept {
  while (true) {
    table_ = cache_.current_;
    Table& table = cache_.tables_[table_];
    ++table.n_users;
    if (cache_.current_ == table_) {
      entries_ = {table.entries, shift_of(table.size)};
      mask_ = static_cast<std::uint32_t>(table.size - 1);
      holds_tokens_ = table.tokens == Tokens::kAll;
      return;
    }
    leave();
  }
}

void WordCache::View::leave() noexcept {
  const bool is_last = --cache_.tables_[table_].n_users == 0;
  if (is_last && cache_.current_ != table_ && !cache_.is_growing_.exchange(true)) {
    cache_.sweep();
    cache_.is_growing_ = false;
  }
}

void WordCache::View::replace(std::size_t size) {
  cache_.replace(table_, size);
  leave();
  enter();
}

void WordCache::View::settle() {
  Table& table = cache_.tables_[table_];
  const std::size_t n_entries = table.n_entries += std::exchange(n_added_, 0);
  const bool is_largest = table.size >= cache_.largest_;
  const std::size_t limit = is_largest ? table.size / 4 * 3 : table.size / 3;
  if (n_entries > limit || table.arena_used > table.arena_size) {
    replace(is_largest ? std::max(kSmallest, cache_.largest_ / 16)
                       : std::min(table.size * kGrowth, cache_.largest_));
  } else if (cache_.current_ != table_) {
    leave();
    enter();
  } else {
    holds_tokens_ = table.tokens == Tokens::kAll;
  }
}

void WordCache::View::begin_with(const TokenTable& tokens) {
  constexpr std::size_t kAtOnce = 64;
  Table& table = cache_.tables_[table_];
  auto none = Tokens::kNone;
  const bool is_large = table.size / kPerToken >= tokens.size();
  if (!is_large || !table.tokens.compare_exchange_strong(none, Tokens::kComing)) return;
  std::array<WordKey, kAtOnce> keys;
  std::array<std::uint32_t, kAtOnce> places;
  bool fit = true;
  for (std::size_t start = 0; start < tokens.size(); start += kAtOnce) {
    const std::size_t n = std::min(kAtOnce, tokens.size() - start);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = WordKey::of(tokens.bytes(start + i));
      places[i] = place(keys[i]);
      prefetch(places[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const auto bytes = tokens.bytes(start + i);
      if (bytes.empty()) continue;
      const TokenId id = tokens.id(start + i);
      fit = add(places[i], keys[i], bytes, {&id, 1}) && fit;
    }
  }
  holds_tokens_ = fit;
  if (fit) table.tokens = Tokens::kAll;
}

std::span<const TokenId> WordCache::View::find(const WordKey& key, std::string_view word,
                                               std::array<TokenId, 4>& storage) const noexcept {
  const std::uint32_t home = place(key);
  for (std::uint32_t probe = 0; probe < kProbes; ++probe) {
    const WordEntry& entry = entries_.data[probed(home, probe, mask_)];
    const std::uint64_t high = entry.high.load(std::memory_order_acquire);
    const std::uint64_t second = entry.second.load(std::memory_order_relaxed);
    if (second == 0) break;
    const std::uint64_t low = entry.low.load(std::memory_order_relaxed);
    if ((high & ~WordEntry::kFar) != key.high || low != key.low) continue;
    const std::uint64_t first = entry.first.load(std::memory_order_relaxed);
    const std::size_t n = second >> 32;
    if (!(high & WordEntry::kFar)) {
      storage = {static_cast<TokenId>(first), static_cast<TokenId>(first >> 32),
                 static_cast<TokenId>(second), 0};
      return {storage.data(), n};
    }
    const std::uint32_t* record = cache_.tables_[table_].arena + first;
    if (!key.is_long()) return {record, n};
    if (word.size() <= kLongest && std::memcmp(record, word.data(), word.size()) == 0) {
      return {record + key.long_units(), n};
    }
  }
  return {};
}

bool WordCache::View::add(std::uint32_t place, const WordKey& key, std::string_view word,
                          std::span<const TokenId> ids) noexcept {
  if (word.size() > kLongest || ids.empty()) return false;
  Table& table = cache_.tables_[table_];
  std::uint64_t high = key.high;
  std::uint64_t first = 0;
  std::uint64_t second = std::uint64_t{ids.size()} << 32;
  if (key.is_long() || ids.size() > kInline) {
    const std::size_t n_units = key.long_units() + ids.size();
    first = table.arena_used.fetch_add(n_units);
    if (first + n_units > table.arena_size) return false;
    std::uint32_t* record = table.arena + first;
    if (key.is_long()) std::memcpy(record, word.data(), word.size());
    std::ranges::copy(ids, record + key.long_units());
    high |= WordEntry::kFar;
  } else {
    first = ids[0] | (ids.size() > 1 ? std::uint64_t{ids[1]} << 32 : 0);
    second |= ids.size() > 2 ? ids[2] : 0;
  }
  for (std::uint32_t probe = 0; probe < kProbes; ++probe) {
    WordEntry& entry = entries_.data[probed(place, probe, mask_)];
    std::uint64_t free = 0;
    if (entry.second.load(std::memory_order_relaxed) != 0 ||
        !entry.second.compare_exchange_strong(free, second, std::memory_order_relaxed)) {
      continue;  // another word has it
    }
    entry.low.store(key.low, std::memory_order_relaxed);
    entry.first.store(first, std::memory_order_relaxed);
    entry.high.store(high, std::memory_order_release);
    ++n_added_;
    return true;
  }
  return false;
}

}  // namespace bytepair
