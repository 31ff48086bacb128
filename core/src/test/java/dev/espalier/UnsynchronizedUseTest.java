// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Threads that use one index at the same time without a lock, which is forbidden: calls may throw
 * and answers may be wrong, but the JVM lives, every call ends, and a cleared index is sound again.
 * The time limit is for calls that would not end.
 */
@Tag("fallback-thorough")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnsynchronizedUseTest {
  private static final int OPERATIONS = TestSize.share(600, 12_000);
  private static final int KEYS = 3000;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#defaultsAndSmallest")
  void twoWritersNeitherCrashNorHang(TreeShape shape) throws Exception {
    run(shape, UnsynchronizedUseTest::write, UnsynchronizedUseTest::write);
  }

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#defaultsAndSmallest")
  void readerBesideAWriterNeitherCrashesNorHangs(TreeShape shape) throws Exception {
    run(shape, UnsynchronizedUseTest::write, UnsynchronizedUseTest::read);
  }

  private interface Use {
    void once(LongIndex index, SplittableRandom random);
  }

  private void run(TreeShape shape, Use first, Use second) throws Exception {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT.withMemoryLimit(64 << 20))) {
      for (long key = 0; key < KEYS; key += 2) {
        index.put(key, key);
      }
      List<Future<?>> users = new ArrayList<>();
      for (Use use : List.of(first, second)) {
        SplittableRandom random = new SplittableRandom(users.size());
        users.add(threads.submit(() -> repeat(index, use, random)));
      }
      for (Future<?> user : users) {
        user.get();
      }
      index.clear();
      index.verify();
      index.put(1, 10);
      assertEquals(10, index.get(1));
    }
  }

  private static void repeat(LongIndex index, Use use, SplittableRandom random) {
    for (int i = 0; i < OPERATIONS; i++) {
      try {
        use.once(index, random);
      } catch (RuntimeException _) {
        // What the other thread does at the same time may make any call fail.
      }
    }
  }

  private static void write(LongIndex index, SplittableRandom random) {
    long key = random.nextInt(KEYS);
    switch (random.nextInt(12)) {
      case 0 -> index.removeRange(key, true, key + 50, true);
      case 1, 2, 3, 4 -> index.remove(key);
      case 5 -> index.putAll(random.longs(100, 0, KEYS).toArray(), new long[100]);
      case 6 -> {
        if (random.nextInt(200) == 0) {
          index.clear();
        }
      }
      default -> index.put(key, key);
    }
  }

  private static void read(LongIndex index, SplittableRandom random) {
    long key = random.nextInt(KEYS);
    switch (random.nextInt(6)) {
      case 0 -> index.getAll(random.longs(70, 0, KEYS).toArray(), new long[70]);
      case 1 -> scan(index.cursor(), key);
      case 2 -> scanRuns(index.cursor(), key);
      case 3 -> index.countRange(key, true, Long.MAX_VALUE, true);
      case 4 -> index.verify();
      default -> index.get(key);
    }
  }

  private static void scan(LongCursor cursor, long from) {
    cursor.ceiling(from);
    for (int i = 0; i < 500 && cursor.next(); i++) {
      cursor.value();
    }
  }

  private static void scanRuns(LongCursor cursor, long from) {
    LongRun run = new LongRun();
    cursor.ceiling(from);
    for (int i = 0; i < 20 && cursor.nextRun(run); i++) {
      for (int entry = 0; entry < run.count(); entry++) {
        run.value(entry);
      }
    }
  }
}
