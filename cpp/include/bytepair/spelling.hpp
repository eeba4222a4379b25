// bytepair/spelling.hpp: tokens as byte-level files write them. No Python, no I/O.
#pragma once

#include <string>
#include <string_view>

namespace bytepair {

/// Appends the bytes that the characters of a byte-level spelling stand for (GPT-2's alphabet: see
/// bytepair.model.BYTE_TO_CHAR). False: one of them stands for none.
bool append_spelt_bytes(std::string_view spelling, std::string& bytes);

}  // namespace bytepair
