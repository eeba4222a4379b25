// bytepair/files.hpp: the bytes of a file without a copy where the system allows it. No Python.
#pragma once

#include <cstddef>
#include <span>
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

/// A file that is read part by part; it may change meanwhile.
class FileReader {
 public:
  /// Throws std::system_error if the file cannot be opened.
  explicit FileReader(const std::string& path);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  /// Fills `buffer` with what stands at `position`; returns how many bytes there were, fewer only at
  /// the end of the file. Throws std::system_error.
  [[nodiscard]] std::size_t read(std::size_t position, std::span<char> buffer) const;

 private:
  int file_;
};

}  // namespace bytepair
