// target.hpp: functions for an instruction set that not every processor has.
//
// All functions between BYTEPAIR_BEGIN("set,set") and BYTEPAIR_END are compiled for it; whoever calls
// them asks the processor first.
#pragma once

#define BYTEPAIR_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define BYTEPAIR_BEGIN(set) \
  BYTEPAIR_PRAGMA(clang attribute push(__attribute__((target(set))), apply_to = function))
#define BYTEPAIR_END BYTEPAIR_PRAGMA(clang attribute pop)
#else
#define BYTEPAIR_BEGIN(set) BYTEPAIR_PRAGMA(GCC push_options) BYTEPAIR_PRAGMA(GCC target(set))
#define BYTEPAIR_END BYTEPAIR_PRAGMA(GCC pop_options)
#endif
