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
    REMOVE,
    INSERT,
    REPLACE,
    REMOVE_IF,
    SET,
    DELETE
  }

  /** The answers of calls that tell whether they did something. */
  static final long DONE = 1;

  static final long NOT_DONE = 0;

  /**
   * A call.
   *
   * @param value what it was to write
   * @param expected the value to be replaced or removed; of no meaning for most kinds
   * @param answer the value before, or {@link #ABSENT}; or {@link #DONE} or {@link #NOT_DONE}; of
   *     no meaning for {@code SET} and {@code DELETE}
   * @param begin a moment before the call, and {@code end} one after it
   */
  record Call(Kind kind, long value, long expected, long answer, long begin, long end) {
    Call(Kind kind, long value, long answer, long begin, long end) {
      this(kind, value, ABSENT, answer, begin, end);
    }

    /** Tells whether the answer is right if the key has a value before the call. */
    boolean isRightAfter(long before) {
      return switch (kind) {
        case GET, PUT, PUT_IF_ABSENT, REMOVE -> answer == before;
        case INSERT -> (answer == DONE) == (before == ABSENT);
        case REPLACE, REMOVE_IF -> (answer == DONE) == (before == expected);
        case SET, DELETE -> true;
      };
    }

    /** Returns what the key has after the call. */
    long after(long before) {
      return switch (kind) {
        case GET -> before;
        case PUT, SET -> value;
        case PUT_IF_ABSENT, INSERT -> before == ABSENT ? value : before;
        case REMOVE, DELETE -> ABSENT;
        case REPLACE -> before == expected ? value : before;
        case REMOVE_IF -> before == expected ? ABSENT : before;
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
          && call.isRightAfter(value)
          && explains(left & ~Long.lowestOneBit(rest), call.after(value))) {
        return true;
      }
    }
    return false;
  }
}
