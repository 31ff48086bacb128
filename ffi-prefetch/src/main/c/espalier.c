/* SPDX-License-Identifier: Apache-2.0 */

#include "espalier.h"

int32_t espalier_abi_version(void) { return ESPALIER_ABI_VERSION; }

/*
 * __builtin_prefetch wants its hint as a constant, and a choice inside the loop would cost as much as
 * the prefetch: so one pair of loops for each hint. Addresses are integers here, because stepping a
 * pointer outside its object is undefined in C, and a prefetch may name any address.
 *
 * The empty asm statement emits nothing. Without it gcc sees a function that neither returns nor
 * writes anything, and removes the calls to it, prefetches and all.
 */
#define DEFINE_PREFETCH(hint, for_write, locality)                                                 \
  static inline void prefetch_lines_##hint(uintptr_t address, int32_t lines) {                     \
    for (int32_t line = 0; line < lines; line++) {                                                 \
      __builtin_prefetch((const void *)address, for_write, locality);                              \
      __asm__ volatile("");                                                                        \
      address += ESPALIER_LINE_BYTES;                                                              \
    }                                                                                              \
  }                                                                                                \
  static inline void prefetch_batch_##hint(uintptr_t base, const int64_t *offsets, int32_t count,  \
                                           int32_t lines) {                                        \
    for (int32_t i = 0; i < count; i++) {                                                          \
      prefetch_lines_##hint(base + (uintptr_t)offsets[i], lines);                                  \
    }                                                                                              \
  }

DEFINE_PREFETCH(t0, 0, 3)
DEFINE_PREFETCH(t1, 0, 2)
DEFINE_PREFETCH(t2, 0, 1)
DEFINE_PREFETCH(nta, 0, 0)
DEFINE_PREFETCH(write, 1, 3)

void espalier_prefetch_lines(const char *address, int32_t lines, int32_t hint) {
  uintptr_t first = (uintptr_t)address;
  switch (hint) {
    case ESPALIER_HINT_T0: prefetch_lines_t0(first, lines); break;
    case ESPALIER_HINT_T1: prefetch_lines_t1(first, lines); break;
    case ESPALIER_HINT_T2: prefetch_lines_t2(first, lines); break;
    case ESPALIER_HINT_NTA: prefetch_lines_nta(first, lines); break;
    case ESPALIER_HINT_WRITE: prefetch_lines_write(first, lines); break;
  }
}

void espalier_prefetch_batch(const char *base, const int64_t *offsets, int32_t from, int32_t count,
                             int32_t lines, int32_t hint) {
  uintptr_t origin = (uintptr_t)base;
  const int64_t *first = offsets + from;
  switch (hint) {
    case ESPALIER_HINT_T0: prefetch_batch_t0(origin, first, count, lines); break;
    case ESPALIER_HINT_T1: prefetch_batch_t1(origin, first, count, lines); break;
    case ESPALIER_HINT_T2: prefetch_batch_t2(origin, first, count, lines); break;
    case ESPALIER_HINT_NTA: prefetch_batch_nta(origin, first, count, lines); break;
    case ESPALIER_HINT_WRITE: prefetch_batch_write(origin, first, count, lines); break;
  }
}
