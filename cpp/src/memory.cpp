// memory.cpp: mmap where there is one, else the allocator.
#include "bytepair/memory.hpp"

#include <cstdlib>
#include <new>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
#define BYTEPAIR_HAS_MMAP 1
#endif

namespace bytepair {
namespace {

#if BYTEPAIR_HAS_MMAP

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t whole_pages(std::size_t n_bytes) {
  return (n_bytes + page_size() - 1) / page_size() * page_size();
}

char* map(std::size_t n_bytes) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_NORESERVE
  flags |= MAP_NORESERVE;  // room that may never be used is not counted against the machine
#endif
  void* data = mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(data);
}

/// Memory that begins where a huge page does.
char* map_aligned(std::size_t n_bytes) {
  char* data = map(n_bytes + kHugePage);
  const auto over = reinterpret_cast<std::size_t>(data) % kHugePage;
  const std::size_t before = over == 0 ? 0 : kHugePage - over;
  if (before > 0) munmap(data, before);
  if (before < kHugePage) munmap(data + before + n_bytes, kHugePage - before);
#ifdef MADV_HUGEPAGE
  madvise(data + before, n_bytes, MADV_HUGEPAGE);  // if it is refused, small pages do
#endif
  return data + before;
}

#endif

}  // namespace

#if BYTEPAIR_HAS_MMAP

Pages::Pages(std::size_t n_bytes) {
  if (n_bytes == 0) return;
  if (n_bytes > static_cast<std::size_t>(-1) / 2) throw std::bad_alloc();
  size_ = whole_pages(n_bytes);
  data_ = size_ < kHugePage ? map(size_) : map_aligned(size_);
}

Pages::~Pages() {
  if (size_ > 0) munmap(data_, size_);
}

void Pages::shrink(std::size_t n_bytes) noexcept {
  const std::size_t kept = whole_pages(n_bytes);
  if (kept >= size_) return;
  munmap(static_cast<char*>(data_) + kept, size_ - kept);
  size_ = kept;
  if (kept == 0) data_ = nullptr;
}

void Pages::lend() noexcept {
#ifdef MADV_FREE
  if (size_ > 0) madvise(data_, size_, MADV_FREE);
#endif
}

#else

Pages::Pages(std::size_t n_bytes) {
  if (n_bytes == 0) return;
  data_ = std::calloc(n_bytes, 1);
  if (data_ == nullptr) throw std::bad_alloc();
  size_ = n_bytes;
}

Pages::~Pages() { std::free(data_); }

void Pages::shrink(std::size_t) noexcept {}

void Pages::lend() noexcept {}

#endif

Pages PagePool::take(std::size_t n_bytes) {
  {
    // Whoever holds the lock when a process is forked never gives it back: do without.
    const std::unique_lock lock(lock_, std::try_to_lock);
    const bool fits = lock && kept_.size() >= n_bytes && kept_.size() / 8 <= n_bytes;
    if (fits) return std::exchange(kept_, Pages());
  }
  return Pages(n_bytes);
}

void PagePool::give_back(Pages pages) noexcept {
  pages.lend();
  const std::unique_lock lock(lock_, std::try_to_lock);
  if (lock && pages.size() >= kept_.size()) std::swap(kept_, pages);
}

}  // namespace bytepair
