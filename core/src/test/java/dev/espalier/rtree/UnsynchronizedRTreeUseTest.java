// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.TestSize;
import dev.espalier.rtree.RTree.Geometry;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Threads that use one tree at the same time, with nothing that keeps them apart: calls may throw
 * and answers may be wrong, but the JVM lives, every call ends, and a cleared tree is sound again.
 */
@Tag("fallback-too")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnsynchronizedRTreeUseTest {
  private static final int OPERATIONS = TestSize.of(2000, 8000);

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  @Test
  void twoWritersNeitherCrashNorHang() throws Exception {
    run(UnsynchronizedRTreeUseTest::write, UnsynchronizedRTreeUseTest::write);
  }

  @Test
  void readerBesideAWriterNeitherCrashesNorHangs() throws Exception {
    run(UnsynchronizedRTreeUseTest::write, UnsynchronizedRTreeUseTest::read);
  }

  private interface Use {
    void once(RTree tree, SplittableRandom random);
  }

  private void run(Use first, Use second) throws Exception {
    for (Geometry geometry : List.of(new Geometry(3, 3), Geometry.DEFAULT)) {
      try (RTree tree = RTree.create(IndexOptions.DEFAULT.withMemoryLimit(64 << 20), geometry)) {
        RectangleSets.UNIT.model(1500, new SplittableRandom(1)).insertInto(tree);
        List<Future<?>> users = new ArrayList<>();
        for (Use use : List.of(first, second)) {
          SplittableRandom random = new SplittableRandom(users.size());
          users.add(threads.submit(() -> repeat(tree, use, random)));
        }
        for (Future<?> user : users) {
          user.get();
        }
        tree.clear();
        tree.verify();
        tree.insert(0, 0, 1, 1, 10);
        assertEquals(1, tree.overlapping(0, 0, 1, 1, value -> value == 10));
      }
    }
  }

  private static void repeat(RTree tree, Use use, SplittableRandom random) {
    for (int i = 0; i < OPERATIONS; i++) {
      try {
        use.once(tree, random);
      } catch (RuntimeException _) {
        // What the other thread does at the same time may make any call fail.
      }
    }
  }

  private static void write(RTree tree, SplittableRandom random) {
    Rectangle rectangle = RectangleSets.TOUCHING.next(random);
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> tree.delete(rectangle, 1);
      case 3 -> {
        if (random.nextInt(200) == 0) {
          tree.clear();
        }
      }
      default -> tree.insert(rectangle, 1);
    }
  }

  private static void read(RTree tree, SplittableRandom random) {
    Rectangle rectangle = RectangleSets.UNIT.next(random);
    switch (random.nextInt(5)) {
      case 0 -> tree.verify();
      case 1 -> tree.nearest(rectangle.minX(), rectangle.minY(), 5);
      case 2 -> tree.containedIn(rectangle, value -> true);
      default -> tree.overlapping(rectangle, value -> true);
    }
  }
}
