// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An index that is closed while it is written stays closed, whatever the writer does. */
class RacingCloseTest {
  private static final int RACES = TestSize.share(8, 60);

  static Stream<TreeShape> shapes() {
    return TreeShape.defaultsAndSmallestIfThorough().stream();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void indexClosedByTheSourceOfItsBulkloadStaysClosed(TreeShape shape) {
    for (int last : new int[] {1, 2, 5, 50, 700, 1999}) {
      LongIndex index = shape.create(IndexOptions.DEFAULT);
      LongEntrySource source = new CountingSource(2000, i -> closeAt(index, i, last));
      assertThrows(
          IllegalStateException.class,
          () -> index.bulkload(source, 1.0, -1, ProgressListener.NONE));
      assertClosed(index);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void indexClosedByTheListenerOfItsBulkloadStaysClosed(TreeShape shape) {
    LongIndex index = shape.create(IndexOptions.DEFAULT);
    LongEntrySource source = new CountingSource(2000, i -> {});
    ProgressListener closing =
        (done, total) -> {
          index.close();
          return true;
        };
    try {
      index.bulkload(source, 1.0, 2000, closing);
    } catch (IllegalStateException expected) {
      // Where the last report comes after all entries, nothing is left to fail.
    }
    assertClosed(index);
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void indexClosedByTheListenerThatCancelsItsBulkloadStaysClosed(TreeShape shape) {
    LongIndex index = shape.create(IndexOptions.DEFAULT);
    LongEntrySource source = new CountingSource(200_000, i -> {});
    ProgressListener closing =
        (done, total) -> {
          index.close();
          return false;
        };
    assertThrows(RuntimeException.class, () -> index.bulkload(source, 1.0, 200_000, closing));
    assertClosed(index);
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void indexClosedBesideAWriterStaysClosed(TreeShape shape) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(1);
    for (int race = 0; race < RACES; race++) {
      LongIndex index = shape.create(IndexOptions.DEFAULT);
      AtomicInteger written = new AtomicInteger();
      AtomicBoolean refused = new AtomicBoolean();
      boolean clears = race % 3 == 0;
      Thread writer =
          new Thread(
              () -> {
                try {
                  for (long key = 0; ; key++) {
                    index.set(key * 0x9E3779B97F4A7C15L, key);
                    written.incrementAndGet();
                    if (clears && key % 64 == 63) {
                      index.clear();
                    }
                  }
                } catch (RuntimeException closed) {
                  refused.set(true);
                }
              });
      writer.start();
      int most = random.nextInt(1, 600);
      while (written.get() < most) {
        Thread.onSpinWait();
      }
      index.close();
      writer.join();
      assertTrue(refused.get());
      assertClosed(index);
    }
  }

  private static void closeAt(LongIndex index, int entry, int last) {
    if (entry == last) {
      index.close();
    }
  }

  /** Every call throws, also in an index whose writer was cut off in the middle. */
  private static void assertClosed(LongIndex index) {
    assertTrue(index.isClosed());
    long[] keys = {Long.MIN_VALUE, 0, 5, 0x9E3779B97F4A7C15L, Long.MAX_VALUE};
    long[] values = new long[keys.length];
    for (long key : keys) {
      refuses(() -> index.get(key));
      refuses(() -> index.getOrDefault(key, 0));
      refuses(() -> index.containsKey(key));
      refuses(() -> index.put(key, 1));
      refuses(() -> index.set(key, 1));
      refuses(() -> index.putIfAbsent(key, 1));
      refuses(() -> index.remove(key));
      refuses(() -> index.delete(key));
    }
    refuses(() -> index.getAll(keys, values));
    refuses(() -> index.putAll(keys, values));
    refuses(() -> index.removeRange(0, true, 9, true));
    refuses(index::size);
    refuses(index::isEmpty);
    refuses(index::clear);
    refuses(index::cursor);
    refuses(index::verify);
    refuses(index::statistics);
    refuses(() -> index.bulkload(keys, values));
    index.close();
    assertTrue(index.isClosed());
  }

  private static void refuses(Executable call) {
    assertThrows(IllegalStateException.class, call);
  }

  /** Ascending entries, each told of before it is given. */
  private static final class CountingSource implements LongEntrySource {
    private final int entries;
    private final IntConsumer told;
    private int at = -1;

    CountingSource(int entries, IntConsumer told) {
      this.entries = entries;
      this.told = told;
    }

    @Override
    public boolean next() {
      at++;
      told.accept(at);
      return at < entries;
    }

    @Override
    public long key() {
      return at;
    }

    @Override
    public long value() {
      return at;
    }
  }
}
