// json_text.cpp: one pass to measure, one to write.
#include "bytepair/json_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "bytepair/utf8.hpp"
#include "json_cursor.hpp"

namespace bytepair {
namespace {

constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080;

bool is_utf8(std::string_view text) noexcept {
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    if (end - at >= 8 && (load8(at) & kHighBits) == 0) {
      at += 8;
      continue;
    }
    const Utf8 read = read_utf8(reinterpret_cast<const unsigned char*>(at),
                                reinterpret_cast<const unsigned char*>(end));
    if (read.size == 0 || read.code == Utf8::kInvalid) return false;
    at += read.size;
  }
  return true;
}

bool is_space(char sign) noexcept {
  return sign == ' ' || sign == '\n' || sign == '\r' || sign == '\t';
}

std::size_t behind_space(std::string_view json, std::size_t at) noexcept {
  while (at < json.size() && is_space(json[at])) ++at;
  return at;
}

/// Behind the quote that ends the string which begins at `at`; npos: it does not end.
std::size_t string_end(std::string_view json, std::size_t at) noexcept {
  for (++at;;) {
    const void* found = std::memchr(json.data() + at, '"', json.size() - at);
    if (found == nullptr) return std::string_view::npos;
    const auto quote = static_cast<std::size_t>(static_cast<const char*>(found) - json.data());
    std::size_t before = quote;
    while (json[before - 1] == '\\') --before;  // stops at the first quote
    at = quote + 1;
    if ((quote - before) % 2 == 0) return at;
  }
}

/// Behind the array of ids that begins at `at`; npos: it is none.
std::size_t read_array(std::string_view json, std::size_t at, std::vector<std::uint32_t>& ids) {
  constexpr auto kNone = std::string_view::npos;
  do {
    at = behind_space(json, at + 1);
    const char* first = json.data() + at;
    std::uint32_t id = 0;
    const auto [last, error] = std::from_chars(first, json.data() + json.size(), id);
    if (error != std::errc{} || (*first == '0' && last - first > 1)) return kNone;
    ids.push_back(id);
    at = behind_space(json, static_cast<std::size_t>(last - json.data()));
    if (at == json.size()) return kNone;
  } while (json[at] == ',');
  return json[at] == ']' ? at + 1 : kNone;
}

/// Calls `write(run)` for each run of bytes of a string, without its quotes; false: it is not valid.
template <class Write>
bool each_run(std::string_view inner, const Write& write) {
  JsonCursor cursor(inner, 0, JsonCursor::Halves::replaced);
  std::string_view run;
  std::string escaped;
  while (cursor.position() < inner.size()) {
    if (!cursor.run(run, escaped) || !write(run)) return false;
    if (!escaped.empty()) write(escaped);
  }
  return true;
}

std::string_view within(std::string_view quoted) noexcept {
  return quoted.substr(1, quoted.size() - 2);
}

/// The bytes of a string with its quotes; nullopt: it is not valid.
std::optional<std::size_t> string_size(std::string_view quoted) {
  std::size_t size = 0;
  const bool is_valid = each_run(within(quoted), [&](std::string_view run) {
    size += run.size();
    return is_utf8(run);
  });
  return is_valid ? std::optional(size) : std::nullopt;
}

/// Takes the value that begins at `at`, a quote or a bracket, and looks whether it is long.
class Finder {
 public:
  Finder(std::string_view json, std::size_t shortest) : json_(json), shortest_(shortest) {}

  /// Where to go on; npos: nothing that can be read.
  std::size_t take(std::size_t at, std::vector<LongPart>& parts) {
    return json_[at] == '"' ? take_string(at, parts) : take_bracket(at, parts);
  }

 private:
  std::size_t take_string(std::size_t at, std::vector<LongPart>& parts) {
    const std::size_t end = string_end(json_, at);
    if (end == std::string_view::npos || end - at < shortest_) return end;
    const std::size_t next = behind_space(json_, end);
    if (next < json_.size() && json_[next] == ':') return end;  // a name
    const auto size = string_size(json_.substr(at, end - at));
    if (!size) return std::string_view::npos;
    parts.push_back({at, end, *size, {}});
    return end;
  }

  std::size_t take_bracket(std::size_t at, std::vector<LongPart>& parts) {
    ids_.clear();
    if (json_[at] == '{') return at + 1;
    const std::size_t end = read_array(json_, at, ids_);
    if (end == std::string_view::npos) return at + 1;
    if (end - at >= shortest_) parts.push_back({at, end, 0, std::exchange(ids_, {})});
    return end;
  }

  std::string_view json_;
  std::size_t shortest_;
  std::vector<std::uint32_t> ids_;
};

std::size_t n_digits(std::uint32_t id) noexcept {
  std::size_t digits = 1;
  for (std::uint64_t limit = 10; id >= limit; limit *= 10) ++digits;
  return digits;
}

constexpr std::string_view kShort = "\"\\\b\f\n\r\t";
constexpr std::string_view kShortNames = "\"\\bfnrt";

/// How many bytes of JSON each byte of a text takes.
constexpr std::array<std::uint8_t, 256> escape_sizes() {
  std::array<std::uint8_t, 256> sizes{};
  for (std::size_t byte = 0; byte < 256; ++byte) sizes[byte] = byte < ' ' ? 6 : 1;
  for (const char sign : kShort) sizes[static_cast<unsigned char>(sign)] = 2;
  return sizes;
}

constexpr auto kEscapeSizes = escape_sizes();

char* write_escape(char sign, char* out) noexcept {
  *out++ = '\\';
  if (const auto found = kShort.find(sign); found != std::string_view::npos) {
    *out++ = kShortNames[found];
    return out;
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  out = std::copy_n("u00", 3, out);
  *out++ = kHex[static_cast<unsigned char>(sign) >> 4];
  *out++ = kHex[static_cast<unsigned char>(sign) & 15];
  return out;
}

}  // namespace

std::optional<LongParts> find_long(std::string_view json, std::size_t shortest,
                                   std::size_t most_values) {
  LongParts found;
  Finder finder(json, shortest);
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] != '"' && json[at] != '[' && json[at] != '{') {
      ++at;
      continue;
    }
    if (++found.n_values > most_values) return LongParts{{}, found.n_values};
    at = finder.take(at, found.parts);
    if (at == std::string_view::npos) return std::nullopt;
  }
  return found;
}

std::string with_marks(std::string_view json, std::span<const LongPart> parts,
                       std::uint64_t mark) {
  std::string shortened;
  std::size_t done = 0;
  for (const LongPart& part : parts) {
    shortened += json.substr(done, part.begin - done);
    shortened += part.is_text() ? '"' : '[';
    shortened += std::to_string(mark++);
    shortened += part.is_text() ? '"' : ']';
    done = part.end;
  }
  return shortened += json.substr(done);
}

void read_string(std::string_view quoted, char* out) {
  each_run(within(quoted), [&](std::string_view run) {
    out = std::copy(run.begin(), run.end(), out);
    return true;
  });
}

std::size_t ids_json_size(std::span<const std::uint32_t> ids) noexcept {
  std::size_t size = ids.empty() ? 2 : 1 + ids.size();  // a bracket, and a sign behind each
  for (const std::uint32_t id : ids) size += n_digits(id);
  return size;
}

void write_ids(std::span<const std::uint32_t> ids, char* out) noexcept {
  *out++ = '[';
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) *out++ = ',';
    out = std::to_chars(out, out + 10, ids[i]).ptr;
  }
  *out = ']';
}

std::optional<std::size_t> string_json_size(std::string_view text) noexcept {
  if (!is_utf8(text)) return std::nullopt;
  std::size_t size = 2;
  for (const char sign : text) size += kEscapeSizes[static_cast<unsigned char>(sign)];
  return size;
}

void write_string(std::string_view text, char* out) noexcept {
  *out++ = '"';
  for (const char sign : text) {
    if (kEscapeSizes[static_cast<unsigned char>(sign)] == 1) {
      *out++ = sign;
    } else {
      out = write_escape(sign, out);
    }
  }
  *out = '"';
}

}  // namespace bytepair
