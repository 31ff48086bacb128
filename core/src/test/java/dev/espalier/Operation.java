// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A call whose answer from an index can be compared with that from a {@link ModelIndex}.
 *
 * @param <T> what is called: an index, a view, a cursor
 */
record Operation<T>(String name, Function<? super T, Object> call) {

  static <T> Operation<T> of(String name, Function<? super T, Object> call) {
    return new Operation<>(name, call);
  }

  /** An operation that answers nothing. */
  static <T> Operation<T> running(String name, Consumer<? super T> call) {
    return new Operation<>(
        name,
        target -> {
          call.accept(target);
          return "done";
        });
  }

  /** Returns what the call answers, or the kind of exception by which it refuses. */
  Object outcomeOn(T target) {
    try {
      Object answer = call.apply(target);
      return answer instanceof long[] array ? asList(array) : answer;
    } catch (IllegalArgumentException | IllegalStateException | NoSuchElementException refused) {
      return refused.getClass();
    }
  }

  private static List<Long> asList(long[] array) {
    return Arrays.stream(array).boxed().toList();
  }

  @Override
  public String toString() {
    return name;
  }
}
