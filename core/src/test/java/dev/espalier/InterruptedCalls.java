// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bytes.BatchReader;
import dev.espalier.bytes.BytesEntryReader;
import dev.espalier.bytes.BytesEntrySource;
import dev.espalier.bytes.BytesKeyCodec;
import dev.espalier.bytes.BytesValueCodec;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.bytes.ValueReader;
import dev.espalier.sort.BytesSorter;
import dev.espalier.sort.SortOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls with the interrupt status set, which must change nothing, and must stay set. */
public final class InterruptedCalls {
  private static final LongAdder MADE = new LongAdder();

  private InterruptedCalls() {}

  /** Returns how many calls were made in this way so far. */
  public static long made() {
    return MADE.sum();
  }

  /** Something to do. */
  @FunctionalInterface
  public interface Work {
    /** Does it. */
    void run() throws Exception;
  }

  /** Does something with the status set, which must be set afterwards, and clears it then. */
  public static void run(Work work) throws Exception {
    run(1, work);
  }

  /**
   * Does something with the status set, which must be set afterwards, and clears it then.
   *
   * @param calls how many calls this makes
   */
  public static void run(int calls, Work work) throws Exception {
    call(
        () -> {
          work.run();
          return true;
        });
    MADE.add(calls - 1);
  }

  /** Calls something with the status set, which must be set afterwards, and clears it then. */
  public static <T> T call(Callable<T> work) throws Exception {
    Thread.currentThread().interrupt();
    T result;
    try {
      result = work.call();
    } catch (Throwable thrown) {
      Thread.interrupted();
      throw thrown;
    }
    assertTrue(Thread.interrupted(), "the interrupt status is lost");
    MADE.increment();
    return result;
  }

  /**
   * Calls every public method of a type: each of a new object with the status set, and of another
   * new object without it. Both must answer alike, or fail alike.
   *
   * @param objects makes objects, which are all alike
   * @param arguments answers what to pass for a type of parameter; null for the usual value
   * @param end given each object in the end, and the method that was called
   */
  public static <T> void eachMethod(
      Class<T> type,
      Supplier<? extends T> objects,
      Function<Class<?>, @Nullable Object> arguments,
      BiConsumer<? super T, Method> end)
      throws Exception {
    List<Method> methods =
        Arrays.stream(type.getMethods())
            .filter(method -> !Modifier.isStatic(method.getModifiers()))
            .filter(method -> method.getDeclaringClass() != Object.class)
            .sorted(Comparator.comparing(Method::toString))
            .toList();
    for (Method method : methods) {
      T usual = objects.get();
      Object expected = answer(method, usual, arguments);
      end.accept(usual, method);
      T object = objects.get();
      Thread.currentThread().interrupt();
      Object answer = answer(method, object, arguments);
      assertTrue(Thread.interrupted(), () -> method + " loses the interrupt status");
      MADE.increment();
      if (answer instanceof Throwable failure && !failure.getClass().equals(expected.getClass())) {
        throw new AssertionError(method + " fails: " + failure, failure);
      }
      if (!(expected instanceof Throwable)) {
        assertEquals(expected, answer, method::toString);
      }
      end.accept(object, method);
    }
  }

  private static Object answer(
      Method method, Object object, Function<Class<?>, @Nullable Object> arguments)
      throws IllegalAccessException {
    Object[] passed =
        Arrays.stream(method.getParameterTypes()).map(type -> value(type, arguments)).toArray();
    try {
      Object answer = method.invoke(object, passed);
      return answer instanceof Number || answer instanceof Boolean ? answer : "something else";
    } catch (InvocationTargetException e) {
      return e.getCause();
    }
  }

  private static Object value(Class<?> type, Function<Class<?>, @Nullable Object> arguments) {
    Object known = arguments.apply(type);
    if (known != null) {
      return known;
    }
    return switch (type.getName()) {
      case "long" -> 7L;
      case "int" -> 1;
      case "double" -> 0.8;
      case "boolean" -> true;
      case "[B" -> new byte[] {1, 2};
      case "[J" -> new long[64];
      case "java.lang.String" -> "a";
      default -> special(type);
    };
  }

  private static Object special(Class<?> type) {
    if (type == MemorySegment.class) {
      return Arena.ofAuto().allocate(64, Long.BYTES);
    }
    if (type == ProgressListener.class) {
      return ProgressListener.NONE;
    }
    if (type == KeyCodec.class) {
      return KeyCodec.ofLong();
    }
    if (type == ValueCodec.class) {
      return ValueCodec.ofLong();
    }
    if (type == BytesKeyCodec.class) {
      return BytesKeyCodec.ofString();
    }
    if (type == BytesValueCodec.class) {
      return BytesValueCodec.ofString();
    }
    if (type == CodecMarks.class) {
      return CodecMarks.NONE;
    }
    if (type == PackedBytes.class) {
      return PackedBytes.of(List.of(new byte[] {1}, new byte[] {1, 2}));
    }
    if (type == LongEntry.class) {
      return new LongEntry();
    }
    if (type == LongBinaryOperator.class) {
      return (LongBinaryOperator) Long::sum;
    }
    if (type == LongUnaryOperator.class) {
      return (LongUnaryOperator) key -> key;
    }
    if (type == LongUpdate.class) {
      return (LongUpdate) (_, _) -> true;
    }
    if (type == LongLongConsumer.class) {
      return (LongLongConsumer) (_, _) -> {};
    }
    if (type == LongLongPredicate.class) {
      return (LongLongPredicate) (_, _) -> true;
    }
    if (type == LongEntrySource.class) {
      return LongEntrySource.of(new long[] {1, 2}, new long[] {3, 4}, 2);
    }
    if (type == BytesEntrySource.class) {
      BytesSorter sorter = BytesSorter.create(SortOptions.DEFAULT);
      sorter.add(new byte[] {1}, new byte[] {2});
      return sorter.sorted(ProgressListener.NONE);
    }
    if (type == ValueReader.class) {
      return (ValueReader) (_, _, _, _, _) -> {};
    }
    if (type == BytesEntryReader.class) {
      return (BytesEntryReader) _ -> {};
    }
    if (type == BatchReader.class) {
      return (BatchReader) (_, _, _, _, _, _) -> {};
    }
    if (type == ReentrantReadWriteLock.class) {
      return new ReentrantReadWriteLock();
    }
    throw new AssertionError("no value is known for " + type);
  }
}
