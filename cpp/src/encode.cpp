// encode.cpp: split, find the first symbols, join by rank.
#include "bytepair/encode.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <mutex>
#include <queue>
#include <system_error>
#include <utility>

#include "bytepair/utf8.hpp"

namespace bytepair {
namespace {

constexpr std::size_t kFew = 40;  // symbols up to which looking at all pairs beats a heap
constexpr std::size_t kBytesBetweenQuestions = std::size_t{1} << 20;
constexpr std::chrono::milliseconds kWaitBetweenQuestions{50};

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    digits += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return digits;
}

}  // namespace

Encoder::Encoder(Splitter splitter, FirstSymbols first, const MergeColumns& merges,
                 TokenByBytes whole)
    : splitter_(std::move(splitter)),
      first_(std::move(first)),
      merges_(merges.left.size()),
      whole_(std::move(whole)) {
  const auto n = merges.left.size();
  if (merges.right.size() != n || merges.joined.size() != n || merges.rank.size() != n) {
    throw std::invalid_argument("the columns of the merges differ in length");
  }
  if (first_.byte_ids.size() != 256 && !(first_.byte_ids.empty() && first_.by_character)) {
    throw std::invalid_argument("an encoder needs the ids of all 256 bytes");
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (merges.rank[i] == kNoRank) throw std::invalid_argument("a rank of 2^32 - 1");
    merges_.insert(merges.left[i], merges.right[i], {merges.rank[i], merges.joined[i]});
  }
}

bool Encoder::encode(std::string_view text, std::vector<TokenId>& ids,
                     const KeepGoing& keep_going) const {
  std::size_t start = 0;
  std::size_t question = kBytesBetweenQuestions;
  DeadEnds dead_ends;
  while (start < text.size()) {
    const std::size_t end = splitter_.next(text, start, true, dead_ends);
    encode_word(text.substr(start, end - start), ids);
    start = end;
    if (start >= question) {
      if (!keep_going()) return false;
      question = start + kBytesBetweenQuestions;
    }
  }
  return true;
}

void Encoder::encode_cut(std::string_view text, std::span<const std::size_t> ends,
                         std::vector<TokenId>& ids) const {
  std::size_t start = 0;
  for (const std::size_t end : ends) {
    if (end < start || end > text.size()) throw std::invalid_argument("cuts that do not ascend");
    encode_word(text.substr(start, end - start), ids);
    start = end;
  }
}

void Encoder::encode_word(std::string_view word, std::vector<TokenId>& ids) const {
  if (!whole_.empty()) {
    if (const auto found = whole_.find(word); found != whole_.end()) {
      ids.push_back(found->second);
      return;
    }
  }
  const std::size_t start = ids.size();
  add_symbols(word, ids);
  if (ids.size() - start <= kFew) {
    join_few(ids, start);
  } else {
    join_many(ids, start);
  }
}

void Encoder::add_symbols(std::string_view word, std::vector<TokenId>& symbols) const {
  if (!first_.by_character) {
    for (const char byte : word) {
      symbols.push_back(first_.byte_ids[static_cast<unsigned char>(byte)]);
    }
    return;
  }
  const auto* begin = reinterpret_cast<const unsigned char*>(word.data());
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t size = std::max<std::size_t>(
        read_utf8(begin + at, begin + word.size()).size, 1);
    const auto character = word.substr(at, size);
    const auto found = first_.characters.find(character);
    if (found != first_.characters.end()) {
      symbols.push_back(found->second);
    } else {
      add_unknown(character, symbols);
    }
    at += size;
  }
  if (first_.end_of_word) symbols.push_back(*first_.end_of_word);
}

void Encoder::add_unknown(std::string_view character, std::vector<TokenId>& symbols) const {
  if (first_.byte_ids.empty()) throw UnknownCharacter(hex(character));
  for (const char byte : character) {
    symbols.push_back(first_.byte_ids[static_cast<unsigned char>(byte)]);
  }
}

/// Looks at every pair for each join: quadratic, and the fastest for a few symbols.
void Encoder::join_few(std::vector<TokenId>& ids, std::size_t start) const {
  std::size_t n = ids.size() - start;
  if (n < 2) return;
  TokenId* symbols = ids.data() + start;
  std::array<std::uint32_t, kFew> ranks;  // of the pair that starts at each symbol
  for (std::size_t i = 0; i + 1 < n; ++i) ranks[i] = rank(symbols[i], symbols[i + 1]);
  while (n > 1) {
    const auto best = std::min_element(ranks.begin(), ranks.begin() + (n - 1));
    if (*best == kNoRank) break;
    const auto at = static_cast<std::size_t>(best - ranks.begin());
    symbols[at] = merges_.find(symbols[at], symbols[at + 1])->id;
    std::copy(symbols + at + 2, symbols + n, symbols + at + 1);
    std::copy(best + 1, ranks.begin() + (n - 1), best);
    --n;
    if (at + 1 < n) ranks[at] = rank(symbols[at], symbols[at + 1]);
    if (at > 0) ranks[at - 1] = rank(symbols[at - 1], symbols[at]);
  }
  ids.resize(start + n);
}

/// A heap of candidate sites over linked symbols: O(n log n).
void Encoder::join_many(std::vector<TokenId>& ids, std::size_t start) const {
  const std::span<TokenId> symbols(ids.data() + start, ids.size() - start);
  if (symbols.size() >= kNoRank) throw std::length_error("a pre-token of 4 GiB or more");
  const auto n = static_cast<std::uint32_t>(symbols.size());
  std::vector<std::uint32_t> next(n);
  std::vector<std::uint32_t> previous(n);
  std::vector<std::uint32_t> ranks(n, kNoRank);  // of the pair that starts at each symbol
  std::vector<std::uint64_t> sites;              // rank << 32 | position
  const auto can_join = [&](std::uint32_t at) {
    ranks[at] = next[at] < n ? rank(symbols[at], symbols[next[at]]) : kNoRank;
    return ranks[at] != kNoRank;
  };
  const auto site = [&](std::uint32_t at) { return std::uint64_t{ranks[at]} << 32 | at; };
  for (std::uint32_t i = 0; i < n; ++i) {
    next[i] = i + 1;
    previous[i] = i - 1;
    if (can_join(i)) sites.push_back(site(i));
  }
  std::priority_queue queue(std::greater<>{}, std::move(sites));
  while (!queue.empty()) {
    const auto at = static_cast<std::uint32_t>(queue.top());
    const auto popped_rank = static_cast<std::uint32_t>(queue.top() >> 32);
    queue.pop();
    if (ranks[at] != popped_rank) continue;  // the pair has changed since
    const std::uint32_t second = next[at];
    symbols[at] = merges_.find(symbols[at], symbols[second])->id;
    ranks[second] = kNoRank;
    next[at] = next[second];
    if (next[at] < n) previous[next[at]] = at;
    if (can_join(at)) queue.push(site(at));
    if (at > 0 && can_join(previous[at])) queue.push(site(previous[at]));
  }
  std::size_t n_left = 0;
  for (std::uint32_t at = 0; at < n; at = next[at]) symbols[n_left++] = symbols[at];
  ids.resize(start + n_left);
}

std::uint32_t Encoder::rank(TokenId left, TokenId right) const noexcept {
  const auto* joined = merges_.find(left, right);
  return joined == nullptr ? kNoRank : joined->rank;
}

Encoder::Rows Encoder::encode_batch(std::span<const std::string_view> documents,
                                    std::size_t n_threads, const KeepGoing& keep_going) const {
  // Threads take blocks of documents in turn; each block's ids are kept apart and joined in order.
  const std::size_t block = std::clamp<std::size_t>(documents.size() / n_threads / 8, 1, 1024);
  const std::size_t n_blocks = (documents.size() + block - 1) / block;
  std::vector<std::vector<TokenId>> block_ids(n_blocks);
  Rows rows;
  rows.offsets.assign(documents.size() + 1, 0);
  std::atomic<std::size_t> next_block{0};
  std::atomic<bool> stop{false};
  std::exception_ptr failure;
  std::mutex failure_lock;

  const auto work = [&](const KeepGoing& ask) {
    for (std::size_t b; !stop && (b = next_block++) < n_blocks;) {
      auto& ids = block_ids[b];
      for (std::size_t d = b * block; d < std::min((b + 1) * block, documents.size()); ++d) {
        const std::size_t before = ids.size();
        if (!encode(documents[d], ids, ask)) {
          stop = true;
          return;
        }
        rows.offsets[d + 1] = static_cast<std::int64_t>(ids.size() - before);
      }
      if (!ask()) stop = true;
    }
  };
  const auto guarded_work = [&](const KeepGoing& ask) {
    try {
      work(ask);
    } catch (...) {
      const std::lock_guard lock(failure_lock);
      if (!failure) failure = std::current_exception();
      stop = true;
    }
  };
  const std::size_t n_workers = std::min(n_threads, n_blocks);
  std::vector<std::future<void>> helpers;
  helpers.reserve(n_workers);
  try {
    for (std::size_t t = 1; t < n_workers; ++t) {
      helpers.push_back(
          std::async(std::launch::async, [&] { guarded_work([&] { return !stop; }); }));
    }
  } catch (const std::system_error&) {  // no more threads to be had: fewer do the work
  }
  guarded_work(keep_going);
  for (auto& helper : helpers) {
    // A helper may be at a long document still: whoever waits wants to be able to give up.
    while (helper.wait_for(kWaitBetweenQuestions) != std::future_status::ready) {
      if (!stop && !keep_going()) stop = true;
    }
  }
  if (failure) std::rethrow_exception(failure);
  rows.complete = !stop;

  for (std::size_t d = 0; d < documents.size(); ++d) rows.offsets[d + 1] += rows.offsets[d];
  rows.ids.reserve(static_cast<std::size_t>(rows.offsets.back()));
  for (auto& ids : block_ids) {
    rows.ids.insert(rows.ids.end(), ids.begin(), ids.end());
    ids = {};
  }
  return rows;
}

}  // namespace bytepair
