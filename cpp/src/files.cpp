// files.cpp: mmap for large files; small ones, and what is no plain file, are read.
#include "bytepair/files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace bytepair {
namespace {

constexpr std::size_t kLarge = std::size_t{256} << 10;

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

/// Closes the file however it is left.
struct Open {
  int file;
  explicit Open(const char* path) : file(open(path, O_RDONLY | O_CLOEXEC)) {
    if (file < 0) fail();
  }
  ~Open() { close(file); }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
};

}  // namespace

FileBytes::FileBytes(const std::string& path) {
  const Open open(path.c_str());
  struct stat status {};
  if (fstat(open.file, &status) != 0) fail();
  const auto size = static_cast<std::size_t>(status.st_size);
  if (S_ISREG(status.st_mode) && size >= kLarge) {
    void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, open.file, 0);
    if (data != MAP_FAILED) {
      bytes_ = {static_cast<const char*>(data), size};
      is_mapped_ = true;
      return;
    }
  }
  read(open.file);
}

void FileBytes::read(int file) {
  std::array<char, std::size_t{1} << 16> block;
  while (true) {
    const auto n = ::read(file, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail();
    if (n == 0) break;
    copy_.append(block.data(), static_cast<std::size_t>(n));
  }
  bytes_ = copy_;
}

FileBytes::~FileBytes() {
  // munmap takes what it gave: the bytes are not written.
  if (is_mapped_) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : copy_(std::move(other.copy_)),
      bytes_(other.is_mapped_ ? other.bytes_ : std::string_view(copy_)),
      is_mapped_(std::exchange(other.is_mapped_, false)) {}

FileReader::FileReader(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0) fail();
}

FileReader::~FileReader() { close(file_); }

std::size_t FileReader::read(std::size_t position, std::span<char> buffer) const {
  std::size_t n_read = 0;
  while (n_read < buffer.size()) {
    const auto n = pread(file_, buffer.data() + n_read, buffer.size() - n_read,
                         static_cast<off_t>(position + n_read));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail();
    if (n == 0) break;
    n_read += static_cast<std::size_t>(n);
  }
  return n_read;
}

}  // namespace bytepair
