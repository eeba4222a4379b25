// batch.cpp: threads take shares in order; what they made is put together in the same order.
#include "bytepair/batch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

namespace bytepair {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kShare = std::size_t{64} << 10;  // bytes; ids of that many stay in the cache
constexpr std::size_t kLeastShare = std::size_t{16} << 10;
constexpr std::size_t kLarge = std::size_t{64} << 10;  // ids from which memory comes from the pool
constexpr std::size_t kSlack = std::size_t{8} << 10;   // ids; words that are looked up want room
constexpr std::chrono::milliseconds kBetweenQuestions{50};

/// Puts the ids of shares one behind the other, in whichever order the shares come.
class Collector {
 public:
  /// `all`: takes them, and has room for nearly all.
  explicit Collector(IdBuffer all) : all_(std::move(all)) {}

  /// Takes the ids of a share over and leaves an empty buffer.
  void add(std::size_t share, IdBuffer& ids) {
    std::vector<Placed> ready;
    {
      const std::lock_guard lock(lock_);
      waiting_.emplace(share, std::move(ids));
      for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_;
           first = waiting_.erase(first), ++next_) {
        const std::size_t n = first->second.size();
        ready.push_back({std::exchange(n_ids_, n_ids_ + n), std::move(first->second)});
      }
    }
    for (const auto& [place, some] : ready) {
      if (fits(place, some)) put(place, some);
    }
    const std::lock_guard lock(lock_);
    for (auto& placed : ready) {
      if (fits(placed.place, placed.ids)) {
        placed.ids.clear();
        spare_.push_back(std::move(placed.ids));
      } else {
        late_.push_back(std::move(placed));
      }
    }
    ids = IdBuffer();
    if (spare_.empty()) return;
    ids = std::move(spare_.back());
    spare_.pop_back();
  }

  /// All ids; once every share has been added.
  [[nodiscard]] IdBuffer result() {
    if (late_.empty()) {
      all_.grow(n_ids_);
    } else {
      all_.grow(late_.front().place);
      all_.room(n_ids_ - all_.size());
      for (const auto& [place, some] : late_) put(place, some);
      all_.grow(n_ids_ - all_.size());
    }
    return std::move(all_);
  }

 private:
  struct Placed {
    std::size_t place;
    IdBuffer ids;
  };
  [[nodiscard]] bool fits(std::size_t place, const IdBuffer& ids) const {
    return place + ids.size() <= all_.capacity();
  }
  void put(std::size_t place, const IdBuffer& ids) const {
    if (ids.size() > 0) {
      std::memcpy(all_.data() + place, ids.data(), ids.size() * sizeof(TokenId));
    }
  }

  std::mutex lock_;
  IdBuffer all_;  // nothing is said to be there before all is
  std::size_t n_ids_ = 0;
  std::size_t next_ = 0;  // share
  std::map<std::size_t, IdBuffer> waiting_;
  std::vector<IdBuffer> spare_;
  std::vector<Placed> late_;  // those for which there was no room, in any order
};

/// Thrown within a text that is given up.
struct Stopped {};

/// The numbers of ids of the rows in a share.
struct Counted {
  bool goes_on;  // the first one belongs to the row before
  std::vector<std::int64_t> rows;
};

/// One batch: what its threads share.
class Work {
 public:
  Work(const Encoder& encoder, TextSource& texts, const Cutter& cutter, std::size_t n_threads,
       bool keeps_ids)
      : encoder_(encoder),
        texts_(texts),
        cutter_(cutter),
        keeps_ids_(keeps_ids),
        is_alone_(n_threads == 1),
        share_bytes_(std::clamp(texts.n_bytes() / n_threads / 8, kLeastShare, kShare)),
        collector_(keeps_ids && !is_alone_ ? room_for_all() : IdBuffer()) {}

  /// Runs in the calling thread, which may ask for permission now and then.
  void run(const KeepGoing* keep_going) {
    Encoder::Run run(encoder_, texts_.n_bytes(), keeps_ids_);
    if (keeps_ids_) run.ids = is_alone_ ? room_for_all() : room_for_share();
    TextSource::Share share;
    auto question = Clock::now() + kBetweenQuestions;
    const auto ask = [&] {
      if (keep_going == nullptr || Clock::now() < question) return;
      if (!(*keep_going)()) stop_ = true;
      question = Clock::now() + kBetweenQuestions;
    };
    run.pause = [&] {
      ask();
      if (stop_) throw Stopped();
    };
    for (std::size_t number; take(share, number); ask()) encode(run, share, number);
    if (keeps_ids_ && is_alone_) alone_ = std::move(run.ids);
  }

  void stop() { stop_ = true; }
  [[nodiscard]] bool is_stopped() const { return stop_; }

  [[nodiscard]] Rows result() {
    if (failure_) std::rethrow_exception(failure_);
    Rows rows;
    rows.complete = !stop_;
    if (stop_) return rows;
    rows.offsets.push_back(0);
    for (const auto& [share, counted] : counts_) {
      auto end = rows.offsets.back();
      if (counted.goes_on) rows.offsets.pop_back();
      for (const auto count : counted.rows) rows.offsets.push_back(end += count);
    }
    if (keeps_ids_) rows.ids = is_alone_ ? std::move(alone_) : collector_.result();
    return rows;
  }

 private:
  bool take(TextSource::Share& share, std::size_t& number) {
    const std::lock_guard lock(take_lock_);
    // What lies behind a text that failed is of no interest, what lies before it is.
    if (stop_ || n_taken_ > first_failed_ || !texts_.next(share_bytes_, share)) return false;
    number = n_taken_++;
    return true;
  }

  void encode(Encoder::Run& run, const TextSource::Share& share, std::size_t number) {
    Counted counted{share.n_before > 0, {}};
    counted.rows.reserve(share.texts.size());
    std::size_t before = run.n_ids();
    try {
      run.encode(share.texts, cutter_);
    } catch (const Stopped&) {
      return;
    } catch (const ForbiddenToken& error) {
      const std::size_t n_before = run.text_ends.empty() ? share.n_before : 0;
      const ForbiddenToken in_row(n_before + error.at, error.content);
      fail(number, share.first_row + run.text_ends.size(), std::make_exception_ptr(in_row));
      return;
    } catch (...) {
      fail(number, share.first_row + run.text_ends.size(), std::current_exception());
      return;
    }
    for (const std::size_t end : run.text_ends) {
      counted.rows.push_back(static_cast<std::int64_t>(end - std::exchange(before, end)));
    }
    if (keeps_ids_ && !is_alone_) {
      collector_.add(number, run.ids);
      if (run.ids.capacity() == 0) run.ids = room_for_share();
    }
    const std::lock_guard lock(result_lock_);
    counts_.emplace(number, std::move(counted));
  }

  void fail(std::size_t number, std::size_t row, std::exception_ptr why) {
    const std::lock_guard lock(result_lock_);
    if (number >= first_failed_) return;
    first_failed_ = number;
    failure_ = std::make_exception_ptr(RowError(row, std::move(why)));
  }

  [[nodiscard]] IdBuffer room_for_share() const {
    return IdBuffer(encoder_.pool(), encoder_.most_ids(share_bytes_) + kSlack);
  }

  [[nodiscard]] IdBuffer room_for_all() const {
    const std::size_t n = encoder_.most_ids(texts_.n_bytes()) + kSlack;
    if (n < kLarge) return {};
    try {
      return IdBuffer(encoder_.pool(), n);
    } catch (const std::bad_alloc&) {  // there is no room for the most: see how many there will be
      return IdBuffer(encoder_.pool(), kLarge);
    }
  }

  const Encoder& encoder_;
  TextSource& texts_;
  const Cutter& cutter_;
  bool keeps_ids_;
  bool is_alone_;  // one thread
  std::size_t share_bytes_;
  std::mutex take_lock_;
  std::size_t n_taken_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> first_failed_{static_cast<std::size_t>(-1)};
  std::mutex result_lock_;
  std::exception_ptr failure_;
  std::map<std::size_t, Counted> counts_;  // by share
  Collector collector_;
  IdBuffer alone_;
};

Rows run_batch(Work& work, std::size_t n_threads, const KeepGoing& keep_going) {
  std::vector<std::future<void>> helpers;
  std::exception_ptr failure;
  try {
    for (std::size_t t = 1; t < n_threads; ++t) {
      helpers.push_back(std::async(std::launch::async, [&work] { work.run(nullptr); }));
    }
  } catch (const std::system_error&) {  // no more threads to be had: fewer do the work
  }
  const auto guarded = [&](const auto& call) {
    try {
      call();
    } catch (...) {  // out of memory, or so: others must end before it goes on up
      if (!failure) failure = std::current_exception();
      work.stop();
    }
  };
  guarded([&] { work.run(&keep_going); });
  for (auto& helper : helpers) {
    // A helper may be at a long text still: whoever waits wants to be able to give up.
    while (helper.wait_for(kBetweenQuestions) != std::future_status::ready) {
      if (!work.is_stopped() && !keep_going()) work.stop();
    }
    guarded([&] { helper.get(); });
  }
  if (failure) std::rethrow_exception(failure);
  return work.result();
}

Rows run_batch(const Encoder& encoder, TextSource& texts, const Cutter& cutter,
               std::size_t n_threads, const KeepGoing& keep_going, bool keeps_ids) {
  n_threads = std::min(n_threads, texts.n_bytes() / kLeastShare + 1);
  DividedTexts divided(texts, encoder, cutter);
  TextSource& source = n_threads > 1 ? divided : texts;
  Work work(encoder, source, cutter, n_threads, keeps_ids);
  return run_batch(work, n_threads, keep_going);
}

}  // namespace

Texts::Texts(std::span<const std::string_view> texts) : texts_(texts) {
  for (const auto text : texts) n_bytes_ += text.size();
}

bool Texts::next(std::size_t n_bytes, Share& share) {
  share.first_row = next_;
  share.texts.clear();
  for (std::size_t size = 0; next_ < texts_.size() && size < n_bytes; ++next_) {
    share.texts.push_back(texts_[next_]);
    size += texts_[next_].size() + 1;
  }
  return !share.texts.empty();
}

SeparatedTexts::SeparatedTexts(std::span<const std::string_view> documents, std::string separator)
    : documents_(documents), separator_(std::move(separator)) {
  for (const auto document : documents) n_bytes_ += document.size();
}

bool SeparatedTexts::next(std::size_t n_bytes, Share& share) {
  share.first_row = row_;
  share.texts.clear();
  for (std::size_t size = 0; document_ < documents_.size() && size < n_bytes;) {
    const auto document = documents_[document_];
    const std::size_t found = separator_.empty() ? document.npos : document.find(separator_, start_);
    const std::size_t end = std::min(found, document.size());
    share.texts.push_back(document.substr(start_, end - start_));
    size += end - start_ + 1;
    start_ = end + separator_.size();
    if (found == document.npos || start_ == document.size()) {
      ++document_;
      start_ = 0;
    }
  }
  row_ += share.texts.size();
  return !share.texts.empty();
}

bool DividedTexts::next(std::size_t n_bytes, Share& share) {
  share.n_before = 0;
  if (start_ == 0) {
    if (!texts_.next(n_bytes, share)) return false;
    long_text_ = share.texts.back();
    row_ = share.first_row + share.texts.size() - 1;
  } else {
    share.first_row = row_;
    share.texts.assign(1, {});
    share.n_before = start_;
  }
  const bool is_long = long_text_.size() - start_ > 2 * n_bytes;
  const std::size_t border =
      is_long ? encoder_.border(long_text_, start_ + n_bytes, cutter_) : Encoder::kNone;
  const std::size_t end = border == Encoder::kNone ? long_text_.size() : border;
  share.texts.back() = long_text_.substr(start_, end - start_);
  start_ = border == Encoder::kNone ? 0 : end;
  return true;
}

Rows encode_batch(const Encoder& encoder, TextSource& texts, const Cutter& cutter,
                  std::size_t n_threads, const KeepGoing& keep_going) {
  return run_batch(encoder, texts, cutter, n_threads, keep_going, true);
}

Rows count_batch(const Encoder& encoder, TextSource& texts, const Cutter& cutter,
                 std::size_t n_threads, const KeepGoing& keep_going) {
  return run_batch(encoder, texts, cutter, n_threads, keep_going, false);
}

}  // namespace bytepair
