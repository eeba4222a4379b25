// bytepair/memory.hpp: large blocks of memory straight from the system. No Python, no I/O.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>

namespace bytepair {

/// Zeroed memory on pages that become real where they are first touched; on huge pages where the
/// system has them, which saves most of the page faults and of the address look-ups.
class Pages {
 public:
  Pages() = default;
  /// Throws std::bad_alloc if the system refuses.
  explicit Pages(std::size_t n_bytes);
  ~Pages();
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  /// Gives back what lies beyond the first `n_bytes`, as far as whole pages go.
  void shrink(std::size_t n_bytes) noexcept;

  /// Lets the system have the memory when it needs some; what it holds is of no use any more.
  void lend() noexcept;

  /// Aligned to 64 bytes at least; nullptr without any memory.
  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;  // as the system counts it
};

/// Keeps the last large block that was given back, for the next who wants one: to touch new memory
/// costs more than to write it. Meanwhile the system may have it. Safe to share between threads.
class PagePool {
 public:
  /// Some memory of `n_bytes` or more, with anything in it. Throws std::bad_alloc.
  [[nodiscard]] Pages take(std::size_t n_bytes);
  void give_back(Pages pages) noexcept;

 private:
  std::mutex lock_;
  Pages kept_;
};

/// An array of `T` that never grows; zeroed. `T` needs no constructor.
template <class T>
class PageArray {
 public:
  PageArray() = default;
  explicit PageArray(std::size_t n) : pages_(n * sizeof(T)), size_(n) {}
  [[nodiscard]] T* data() const noexcept { return static_cast<T*>(pages_.data()); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return data()[i]; }

  /// Keeps the first `n` only.
  void shrink(std::size_t n) noexcept {
    pages_.shrink(n * sizeof(T));
    size_ = n;
  }

 private:
  Pages pages_;
  std::size_t size_ = 0;
};

}  // namespace bytepair
