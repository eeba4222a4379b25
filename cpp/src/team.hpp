// team.hpp: a few threads that do the same work on different parts.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bytepair {

/// Runs a function once for each member, the caller being the first of them. The others begin with
/// the first call that needs them, and wait for the next one until they are dismissed: no thread
/// is there between calls from outside, so that a process may fork.
class Team {
 public:
  using Part = std::function<void(std::size_t member)>;

  explicit Team(std::size_t n_members) : n_members_(n_members == 0 ? 1 : n_members) {}
  ~Team() { dismiss(); }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return n_members_; }

  /// Returns when all are done; throws what the first of them threw. `part` is called with 0 to
  /// size() - 1, by the caller alone if there are no threads to be had.
  void run(const Part& part);

  /// Ends the threads.
  void dismiss() noexcept;

 private:
  void assemble();
  void serve(std::size_t member, std::size_t round);
  void do_part(std::size_t member);
  [[nodiscard]] std::size_t await_round(std::size_t round);

  std::size_t n_members_;
  std::vector<std::thread> threads_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::atomic<std::size_t> round_{0};
  std::atomic<std::size_t> n_busy_{0};
  bool is_over_ = false;
  const Part* part_ = nullptr;
  std::vector<std::exception_ptr> failures_;
};

}  // namespace bytepair
