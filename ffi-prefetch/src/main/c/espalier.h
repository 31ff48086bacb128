/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The contract between the native library and its Java bindings. It has two parts, prefetch and ring.
 * No function of either calls the C library, calls back, or sets errno.
 */
#ifndef ESPALIER_H
#define ESPALIER_H

#include <stdint.h>

/* Grows by one with every change that a caller compiled against an older header would notice. */
#define ESPALIER_ABI_VERSION 2

#if defined(__GNUC__)
#define ESPALIER_EXPORT __attribute__((visibility("default")))
#else
#define ESPALIER_EXPORT
#endif

/* ESPALIER_ABI_VERSION of the library. The caller compares it with its own before any other call. */
ESPALIER_EXPORT int32_t espalier_abi_version(void);

/* ---------------------------------------------------------------- prefetch
 *
 * These functions return at once, and never block or allocate: the Java side makes critical calls,
 * during which the garbage collector waits.
 *
 * A prefetch is a hint. It may name any address, mapped or not, aligned or not; it never faults and
 * never changes what the program computes. The functions below read no memory of their own accord
 * except the `offsets` array.
 */

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

/* ---------------------------------------------------------------- ring
 *
 * Reads and writes by io_uring. These functions make system calls and may block, so the Java side makes
 * plain calls, during which the garbage collector runs. A ring is for one thread at a time. Failures
 * are negative error numbers of Linux; where there is no io_uring, every function fails with ENOSYS.
 */

/* One request to move bytes between a file and memory, 32 bytes. */
struct espalier_io_request {
  int64_t position; /* in the file */
  uint64_t address; /* in memory */
  uint32_t length;  /* bytes to be moved */
  int32_t result;   /* ESPALIER_QUEUED, ESPALIER_PENDING, or how it ended: bytes moved, or -errno */
  int32_t file;     /* descriptor */
  int32_t reserved;
};

#define ESPALIER_QUEUED (INT32_MIN + 1) /* to be handed over */
#define ESPALIER_PENDING INT32_MIN      /* under way */

struct espalier_ring;

/*
 * Makes a ring that has up to `entries` requests under way, and returns its address, which is positive,
 * or a failure: EPERM where the system forbids io_uring, ENOSYS where the kernel is older than 5.6,
 * ENOMEM at the limit on locked memory, and what else io_uring_setup fails with.
 */
ESPALIER_EXPORT int64_t espalier_ring_open(uint32_t entries);

/*
 * Hands over all requests that are queued, as reads, or as writes when `write` is not 0, and does not
 * wait unless more are under way than the ring takes. From then on the ring writes into `requests`,
 * until the last result is set. Requests that the kernel refuses get a result at once.
 */
ESPALIER_EXPORT int32_t espalier_ring_submit(struct espalier_ring *ring,
                                             struct espalier_io_request *requests, int32_t count,
                                             int32_t write);

/*
 * As espalier_ring_submit, and waits until none of the requests is pending, in one system call if the
 * ring has room for all. What completes meanwhile of other arrays gets its result as well.
 */
ESPALIER_EXPORT int32_t espalier_ring_transfer(struct espalier_ring *ring,
                                               struct espalier_io_request *requests, int32_t count,
                                               int32_t write);

/* Sets the results of what has completed, without waiting. */
ESPALIER_EXPORT int32_t espalier_ring_reap(struct espalier_ring *ring);

/* Waits for all that is under way, sets its results, and frees the ring. */
ESPALIER_EXPORT int32_t espalier_ring_close(struct espalier_ring *ring);

#endif
