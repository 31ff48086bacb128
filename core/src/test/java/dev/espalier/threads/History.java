// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What threads have done with one key, and when: a check whether there is an order of all calls, in
 * which each takes effect between its begin and its end, and that explains all answers (Wing and
 * Gong, Testing and Verifying Concurrent Objects, 1993). The check takes exponential time at worst,
 * so histories are short. Keys are independent: a history of several is linearizable if that of
 * each is.
 */
public final class History {
  /** What a key without entry has. */
  public static final long ABSENT = Long.MIN_VALUE;

  enum Kind {
    GET,
    PUT,
    PUT_IF_ABSENT,
    REMOVE
  }

  /**
   * A call.
   *
   * @param value what it was to write
   * @param answer the value before, or {@link #ABSENT}
   * @param begin a moment before the call, and {@code end} one after it
   */
  record Call(Kind kind, long value, long answer, long begin, long end) {

    /** Returns what the key has after the call. */
    long after(long before) {
      return switch (kind) {
        case GET -> before;
        case PUT -> value;
        case PUT_IF_ABSENT -> before == ABSENT ? value : before;
        case REMOVE -> ABSENT;
      };
    }
  }

  private final List<Call> calls;

  /** What is left to be ordered, with what the key has then: states that lead to nothing. */
  private final Set<State> vain = new HashSet<>();

  private record State(long left, long value) {}

  private History(List<Call> calls) {
    this.calls = calls;
  }

  /** Tells whether the calls, at most 63, are linearizable for a key that has no entry at first. */
  static boolean isLinearizable(List<Call> calls) {
    return new History(calls).explains((1L << calls.size()) - 1, ABSENT);
  }

  private boolean explains(long left, long value) {
    if (left == 0) {
      return true;
    }
    if (!vain.add(new State(left, value))) {
      return false;
    }
    long firstEnd = Long.MAX_VALUE;
    for (long rest = left; rest != 0; rest &= rest - 1) {
      firstEnd = Math.min(firstEnd, calls.get(Long.numberOfTrailingZeros(rest)).end);
    }
    for (long rest = left; rest != 0; rest &= rest - 1) {
      Call call = calls.get(Long.numberOfTrailingZeros(rest));
      // Only what began before any other has ended can be next.
      if (call.begin <= firstEnd
          && call.answer == value
          && explains(left & ~Long.lowestOneBit(rest), call.after(value))) {
        return true;
      }
    }
    return false;
  }
}
