// bytepair/files.hpp: the bytes of a file without a copy where the system allows it. No Python.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bytepair/memory.hpp"

namespace bytepair {

/// A file's bytes, mapped into memory if they are many. Such a file must not be made shorter while
/// it is read: the system then ends the process.
class FileBytes {
 public:
  /// Throws std::system_error if the file cannot be read.
  explicit FileBytes(const std::string& path);
  ~FileBytes();
  FileBytes(FileBytes&& other) noexcept;
  FileBytes& operator=(FileBytes&&) = delete;

  [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }

 private:
  void read(int file);

  std::string copy_;
  std::string_view bytes_;
  bool is_mapped_ = false;
};

}  // namespace bytepair
