/* SPDX-License-Identifier: Apache-2.0 */

#include "espalier.h"

_Static_assert(sizeof(struct espalier_io_request) == 32, "as in IoRequest.java");
_Static_assert(__builtin_offsetof(struct espalier_io_request, result) == 20, "as in IoRequest.java");
_Static_assert(__builtin_offsetof(struct espalier_io_request, file) == 24, "as in IoRequest.java");

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) && defined(__has_include)
#if __has_include(<linux/io_uring.h>)
#include <linux/io_uring.h>
#endif
#endif

/* Headers from 5.6 on have this, and with it the operations that are used here. */
#ifdef IORING_FEAT_RW_CUR_POS

#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/mman.h>

/* Since Linux 5.19, which the kernel that runs may be when its headers here are not. */
#ifndef IORING_SETUP_COOP_TASKRUN
#define IORING_SETUP_COOP_TASKRUN (1U << 8)
#endif

/*
 * System calls, which return a negative error number, without the C library.
 */
static long system_call(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#else
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory", "cc");
  return x0;
#endif
}

static int is_failure(long result) { return result < 0 && result >= -4095; }

static long map(uint64_t bytes, int flags, int file, uint64_t offset) {
  return system_call(__NR_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE, flags, file, (long)offset);
}

static void unmap(const void *address, uint64_t bytes) {
  system_call(__NR_munmap, (long)address, (long)bytes, 0, 0, 0, 0);
}

/*
 * A ring: the queues that it shares with the kernel, and how much is under way. `pending` counts the
 * requests that are in the submission queue or with the kernel. It never exceeds `entries`, so neither
 * queue overflows: the completion queue is twice as long.
 */
struct espalier_ring {
  struct io_uring_params params;
  int32_t file;
  uint32_t entries;
  uint32_t pending;
  char *queues;
  uint64_t queues_bytes;
  struct io_uring_sqe *sqes;
  uint64_t sqes_bytes;
  uint32_t *sq_head;
  uint32_t *sq_tail;
  uint32_t sq_mask;
  uint32_t *cq_head;
  uint32_t *cq_tail;
  uint32_t cq_mask;
  struct io_uring_cqe *cqes;
};

static uint32_t acquire(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static void release(uint32_t *word, uint32_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static int32_t result_of(const struct espalier_io_request *request) {
  return __atomic_load_n(&request->result, __ATOMIC_ACQUIRE);
}

static void set_result(struct espalier_io_request *request, int32_t result) {
  __atomic_store_n(&request->result, result, __ATOMIC_RELEASE);
}

/* ---------------------------------------------------------------- set up and tear down */

static long set_up(struct espalier_ring *ring, uint32_t entries, uint32_t flags) {
  ring->params.flags = flags;
  return system_call(__NR_io_uring_setup, entries, (long)&ring->params, 0, 0, 0, 0);
}

static int32_t map_queues(struct espalier_ring *ring) {
  const struct io_sqring_offsets *sq = &ring->params.sq_off;
  const struct io_cqring_offsets *cq = &ring->params.cq_off;
  uint64_t sq_bytes = sq->array + (uint64_t)ring->params.sq_entries * sizeof(uint32_t);
  uint64_t cq_bytes = cq->cqes + (uint64_t)ring->params.cq_entries * sizeof(struct io_uring_cqe);
  ring->queues_bytes = sq_bytes > cq_bytes ? sq_bytes : cq_bytes;
  long queues = map(ring->queues_bytes, MAP_SHARED | MAP_POPULATE, ring->file, IORING_OFF_SQ_RING);
  if (is_failure(queues)) {
    return (int32_t)queues;
  }
  ring->queues = (char *)queues;
  ring->sqes_bytes = (uint64_t)ring->params.sq_entries * sizeof(struct io_uring_sqe);
  long sqes = map(ring->sqes_bytes, MAP_SHARED | MAP_POPULATE, ring->file, IORING_OFF_SQES);
  if (is_failure(sqes)) {
    return (int32_t)sqes;
  }
  ring->sqes = (struct io_uring_sqe *)sqes;
  ring->entries = ring->params.sq_entries;
  ring->sq_head = (uint32_t *)(ring->queues + sq->head);
  ring->sq_tail = (uint32_t *)(ring->queues + sq->tail);
  ring->sq_mask = *(uint32_t *)(ring->queues + sq->ring_mask);
  ring->cq_head = (uint32_t *)(ring->queues + cq->head);
  ring->cq_tail = (uint32_t *)(ring->queues + cq->tail);
  ring->cq_mask = *(uint32_t *)(ring->queues + cq->ring_mask);
  ring->cqes = (struct io_uring_cqe *)(ring->queues + cq->cqes);
  uint32_t *array = (uint32_t *)(ring->queues + sq->array);
  for (uint32_t slot = 0; slot < ring->entries; slot++) {
    array[slot] = slot;
  }
  return 0;
}

static void tear_down(struct espalier_ring *ring) {
  if (ring->sqes != 0) {
    unmap(ring->sqes, ring->sqes_bytes);
  }
  if (ring->queues != 0) {
    unmap(ring->queues, ring->queues_bytes);
  }
  system_call(__NR_close, ring->file, 0, 0, 0, 0, 0);
  unmap(ring, sizeof *ring);
}

int64_t espalier_ring_open(uint32_t entries) {
  /* Mapped memory is zero, so the parameters are what io_uring_setup wants them to be. */
  long address = map(sizeof(struct espalier_ring), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (is_failure(address)) {
    return address;
  }
  struct espalier_ring *ring = (struct espalier_ring *)address;
  long file = set_up(ring, entries, IORING_SETUP_CLAMP | IORING_SETUP_COOP_TASKRUN);
  if (file == -EINVAL) {
    file = set_up(ring, entries, IORING_SETUP_CLAMP);
  }
  if (is_failure(file)) {
    unmap(ring, sizeof *ring);
    /* Kernels before 5.6 know no IORING_SETUP_CLAMP. */
    return file == -EINVAL ? -ENOSYS : file;
  }
  ring->file = (int32_t)file;
  /* This feature came with 5.6, as did IORING_OP_READ; one mapping for both queues is older. */
  int32_t failure = ring->params.features & IORING_FEAT_RW_CUR_POS ? map_queues(ring) : -ENOSYS;
  if (failure != 0) {
    tear_down(ring);
    return failure;
  }
  return address;
}

/* ---------------------------------------------------------------- hand over and wait */

static void reap(struct espalier_ring *ring) {
  uint32_t head = *ring->cq_head;
  uint32_t tail = acquire(ring->cq_tail);
  for (; head != tail; head++) {
    const struct io_uring_cqe *cqe = &ring->cqes[head & ring->cq_mask];
    set_result((struct espalier_io_request *)(uintptr_t)cqe->user_data, cqe->res);
    ring->pending--;
  }
  release(ring->cq_head, head);
}

static uint32_t unsubmitted(const struct espalier_ring *ring) {
  return *ring->sq_tail - acquire(ring->sq_head);
}

/* Puts queued requests from `next` on into the submission queue, until it is full; returns the next. */
static int32_t fill(struct espalier_ring *ring, struct espalier_io_request *requests, int32_t count,
                    int32_t next, int32_t write) {
  uint32_t tail = *ring->sq_tail;
  for (; next < count; next++) {
    struct espalier_io_request *request = &requests[next];
    if (result_of(request) != ESPALIER_QUEUED) {
      continue;
    }
    if (ring->pending == ring->entries) {
      break;
    }
    /* All other fields are zero from the start, and stay so. */
    struct io_uring_sqe *sqe = &ring->sqes[tail & ring->sq_mask];
    sqe->opcode = write ? IORING_OP_WRITE : IORING_OP_READ;
    sqe->fd = request->file;
    sqe->off = (uint64_t)request->position;
    sqe->addr = request->address;
    sqe->len = request->length;
    sqe->user_data = (uintptr_t)request;
    set_result(request, ESPALIER_PENDING);
    ring->pending++;
    tail++;
  }
  release(ring->sq_tail, tail);
  return next;
}

/* Takes back what the kernel refuses; its requests have ended. The kernel reads the queue in calls only. */
static void refuse(struct espalier_ring *ring, int32_t failure) {
  uint32_t head = acquire(ring->sq_head);
  for (uint32_t at = head; at != *ring->sq_tail; at++) {
    uint64_t request = ring->sqes[at & ring->sq_mask].user_data;
    set_result((struct espalier_io_request *)(uintptr_t)request, failure);
    ring->pending--;
  }
  release(ring->sq_tail, head);
}

static long enter(struct espalier_ring *ring, uint32_t submit, uint32_t completions) {
  long result;
  do {
    result = system_call(__NR_io_uring_enter, ring->file, submit, completions,
                         IORING_ENTER_GETEVENTS, 0, 0);
  } while (result == -EINTR);
  return result;
}

/*
 * Hands over what is in the submission queue. If that is all of it, waits until the completion queue
 * has so many completions. Fails only if waiting does.
 */
static int32_t hand_over(struct espalier_ring *ring, uint32_t completions) {
  uint32_t submit = unsubmitted(ring);
  long result = enter(ring, submit, completions);
  if (!is_failure(result)) {
    return 0;
  }
  if (submit == 0) {
    return (int32_t)result;
  }
  uint32_t with_kernel = ring->pending - submit;
  if ((result == -EAGAIN || result == -EBUSY) && with_kernel > 0) {
    /* Short of memory for now: what completes gives some back. */
    result = enter(ring, 0, 1);
    if (!is_failure(result)) {
      return 0;
    }
  }
  /* EAGAIN would be taken for a request to try again at once. */
  refuse(ring, result == -EAGAIN ? -ENOMEM : (int32_t)result);
  return 0;
}

static uint32_t pending_of(const struct espalier_io_request *requests, int32_t count) {
  uint32_t pending = 0;
  for (int32_t i = 0; i < count; i++) {
    pending += result_of(&requests[i]) == ESPALIER_PENDING;
  }
  return pending;
}

static int32_t run(struct espalier_ring *ring, struct espalier_io_request *requests, int32_t count,
                   int32_t write, int wait) {
  int32_t next = 0;
  for (;;) {
    next = fill(ring, requests, count, next, write);
    uint32_t completions;
    if (next < count) {
      /* The ring is full. A quarter of it keeps the device busy and makes few calls. */
      completions = (ring->entries + 3) / 4;
    } else {
      /* So many that are not reaped yet belong to this array, whichever others complete as well. */
      completions = wait ? pending_of(requests, count) : 0;
    }
    if (completions == 0 && unsubmitted(ring) == 0) {
      return 0;
    }
    int32_t failure = hand_over(ring, completions);
    reap(ring);
    if (failure != 0) {
      return failure;
    }
  }
}

int32_t espalier_ring_submit(struct espalier_ring *ring, struct espalier_io_request *requests,
                             int32_t count, int32_t write) {
  return run(ring, requests, count, write, 0);
}

int32_t espalier_ring_transfer(struct espalier_ring *ring, struct espalier_io_request *requests,
                               int32_t count, int32_t write) {
  reap(ring);
  return run(ring, requests, count, write, 1);
}

int32_t espalier_ring_reap(struct espalier_ring *ring) {
  /* The kernel may finish completions of this thread's requests only when it is called. */
  long result = ring->pending > 0 ? enter(ring, 0, 0) : 0;
  reap(ring);
  return is_failure(result) ? (int32_t)result : 0;
}

int32_t espalier_ring_close(struct espalier_ring *ring) {
  while (ring->pending > 0) {
    int32_t failure = hand_over(ring, ring->pending);
    reap(ring);
    if (failure != 0) {
      return failure; /* The ring stays, for the kernel may still write to its requests. */
    }
  }
  tear_down(ring);
  return 0;
}

#else

/* ENOSYS of Linux, which is another number elsewhere. */
#define NOT_SUPPORTED (-38)

int64_t espalier_ring_open(uint32_t entries) {
  (void)entries;
  return NOT_SUPPORTED;
}

int32_t espalier_ring_submit(struct espalier_ring *ring, struct espalier_io_request *requests,
                             int32_t count, int32_t write) {
  (void)ring, (void)requests, (void)count, (void)write;
  return NOT_SUPPORTED;
}

int32_t espalier_ring_transfer(struct espalier_ring *ring, struct espalier_io_request *requests,
                               int32_t count, int32_t write) {
  (void)ring, (void)requests, (void)count, (void)write;
  return NOT_SUPPORTED;
}

int32_t espalier_ring_reap(struct espalier_ring *ring) {
  (void)ring;
  return NOT_SUPPORTED;
}

int32_t espalier_ring_close(struct espalier_ring *ring) {
  (void)ring;
  return NOT_SUPPORTED;
}

#endif
