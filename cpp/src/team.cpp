// team.cpp: rounds, for which the threads first look and then sleep.
#include "team.hpp"

#include <algorithm>
#include <system_error>

namespace bytepair {
namespace {

constexpr int kLooks = 2000;  // before a thread sleeps: rounds often follow each other at once

}  // namespace

void Team::run(const Part& part) {
  assemble();
  failures_.assign(n_members_, nullptr);
  part_ = &part;
  n_busy_ = threads_.size();
  {
    const std::lock_guard guard(lock_);
    ++round_;
  }
  changed_.notify_all();
  do_part(0);
  for (std::size_t member = threads_.size() + 1; member < n_members_; ++member) do_part(member);
  for (int look = 0; n_busy_ > 0 && look < kLooks; ++look) std::this_thread::yield();
  {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [this] { return n_busy_ == 0; });
  }
  const auto failed = std::ranges::find_if(failures_, [](const auto& f) { return f != nullptr; });
  if (failed != failures_.end()) std::rethrow_exception(*failed);
}

void Team::dismiss() noexcept {
  {
    const std::lock_guard guard(lock_);
    is_over_ = true;
    ++round_;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
  is_over_ = false;
}

void Team::assemble() {
  try {
    while (threads_.size() + 1 < n_members_) {
      threads_.emplace_back(&Team::serve, this, threads_.size() + 1, round_.load());
    }
  } catch (const std::system_error&) {  // no more threads to be had: the caller does their parts
  }
}

void Team::serve(std::size_t member, std::size_t round) {
  while (true) {
    round = await_round(round);
    if (is_over_) return;
    do_part(member);
    {
      const std::lock_guard guard(lock_);
      --n_busy_;
    }
    changed_.notify_all();
  }
}

std::size_t Team::await_round(std::size_t round) {
  for (int look = 0; round_ == round && look < kLooks; ++look) std::this_thread::yield();
  std::unique_lock guard(lock_);
  changed_.wait(guard, [this, round] { return round_ != round; });
  return round_;
}

void Team::do_part(std::size_t member) {
  try {
    (*part_)(member);
  } catch (...) {
    failures_[member] = std::current_exception();
  }
}

}  // namespace bytepair
