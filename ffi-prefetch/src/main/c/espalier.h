/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The contract between the native library and its Java bindings.
 *
 * Every function returns at once and never blocks, calls back, allocates, or sets errno: the Java side
 * makes critical calls, during which the garbage collector waits.
 *
 * A prefetch is a hint. It may name any address, mapped or not, aligned or not; it never faults and
 * never changes what the program computes. The functions below read no memory of their own accord
 * except the `offsets` array.
 */
#ifndef ESPALIER_H
#define ESPALIER_H

#include <stdint.h>

/* Grows by one with every change that a caller compiled against an older header would notice. */
#define ESPALIER_ABI_VERSION 1

/*
 * Bytes from one prefetched line to the next. All x86-64 and nearly all aarch64 processors have lines
 * of 64 bytes; where a line is 128 bytes, every other prefetch finds its line already on the way.
 */
#define ESPALIER_LINE_BYTES 64

/* Where a line is wanted. A hint that is none of these prefetches nothing. */
#define ESPALIER_HINT_T0 0    /* every level of cache */
#define ESPALIER_HINT_T1 1    /* the second level and beyond */
#define ESPALIER_HINT_T2 2    /* the last level */
#define ESPALIER_HINT_NTA 3   /* the first level, and soon evicted: read once */
#define ESPALIER_HINT_WRITE 4 /* every level, exclusive: about to be written */

#if defined(__GNUC__)
#define ESPALIER_EXPORT __attribute__((visibility("default")))
#else
#define ESPALIER_EXPORT
#endif

/* ESPALIER_ABI_VERSION of the library. The caller compares it with its own before any other call. */
ESPALIER_EXPORT int32_t espalier_abi_version(void);

/*
 * Prefetches `lines` lines: the one that holds `address`, and those that follow it.
 * None when `lines` is not positive.
 */
ESPALIER_EXPORT void espalier_prefetch_lines(const char *address, int32_t lines, int32_t hint);

/*
 * Prefetches `lines` lines at each address base + offsets[i], for i in [from, from + count), in that
 * order. `offsets` is in bytes, must be readable at those i, and is not written.
 * None when `lines` or `count` is not positive.
 */
ESPALIER_EXPORT void espalier_prefetch_batch(const char *base, const int64_t *offsets, int32_t from,
                                             int32_t count, int32_t lines, int32_t hint);

#endif
