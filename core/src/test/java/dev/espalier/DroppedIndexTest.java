// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ffi.VirtualMemory;
import dev.espalier.inspect.NodeView;
import dev.espalier.inspect.TreePrinter;
import java.util.NavigableMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The garbage collector gives back the memory of indexes that nobody closed. */
@EnabledOnOs(OS.LINUX)
class DroppedIndexTest {
  private static final int TREES = TestSize.of(10, 100);

  /** Enough for several nodes of the widest kind. */
  private static final int ENTRIES = 3000;

  /** More than one huge page of entries, so that memory is reserved address space. */
  private static final int ENTRIES_OF_RESERVED = 300_000;

  /** Returns trees that keep their memory each in a way of its own, and all in a thorough run. */
  static Stream<TreeShape> kinds() {
    return TreeShape.kinds().stream();
  }

  static Stream<TreeShape> kindsAndSmallestIfThorough() {
    return TestSize.isThorough() ? TreeShape.defaultsAndSmallest().stream() : kinds();
  }

  @ParameterizedTest
  @MethodSource("kindsAndSmallestIfThorough")
  void memoryOfDroppedIndexesComesBack(TreeShape shape) {
    long before = bytesAfterCollection();
    for (int i = 0; i < TREES; i++) {
      LongIndex dropped = filled(shape, i % 10 == 0 ? ENTRIES : 50);
      if (i % 20 == 0) {
        // Growing has closed memory; what was emptied has as well.
        dropped.clear();
        dropped.put(1, 2);
      }
    }
    awaitAtMost(before);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void addressSpaceOfDroppedIndexesComesBack(TreeShape shape) {
    long before = bytesAfterCollection();
    for (int i = 0; i < 3; i++) {
      assertEquals(1, loaded(shape, ENTRIES_OF_RESERVED).get(1));
    }
    awaitAtMost(before);
  }

  @Tag("thorough")
  @ParameterizedTest
  @MethodSource("kinds")
  void indexThatIsStillUsedKeepsItsMemory(TreeShape shape) {
    try (LongIndex index = filled(shape, ENTRIES)) {
      bytesAfterCollection();
      index.verify();
      assertEquals(ENTRIES, index.size());
    }
  }

  @Tag("thorough")
  @ParameterizedTest
  @MethodSource("kinds")
  void runOfDroppedIndexStaysReadable(TreeShape shape) {
    LongRun run = new LongRun();
    assertTrue(filled(shape, ENTRIES).cursor().nextRun(run));
    bytesAfterCollection();
    filled(shape, ENTRIES).close();
    for (int i = 0; i < run.count(); i++) {
      assertEquals(run.key(i), run.value(i));
    }
  }

  @Tag("thorough")
  @ParameterizedTest
  @MethodSource("kinds")
  void whatIsMadeOfAnIndexKeepsItsMemory(TreeShape shape) {
    LongCursor cursor = filled(shape, ENTRIES).cursor();
    LongNavigable view = filled(shape, ENTRIES).headView(ENTRIES, false);
    NavigableMap<Long, Long> map = filled(shape, ENTRIES).asMap();
    NodeView root = filled(shape, ENTRIES).rootView();
    LongIndex locked = filled(shape, ENTRIES).withReadWriteLock();
    bytesAfterCollection();
    for (long key = 0; key < ENTRIES; key++) {
      assertTrue(cursor.next());
      assertEquals(key, cursor.key());
      assertEquals(key, view.get(key));
      assertEquals(key, map.get(key));
      assertEquals(key, locked.get(key));
    }
    assertTrue(TreePrinter.print(root, 100).length() > 0);
  }

  @Test
  void memoryClosedByItsOwnerIsNotGivenBackTwice() {
    long before = bytesAfterCollection();
    for (int i = 0; i < TREES; i++) {
      LongIndex index = filled(TreeShape.bPlus(1), 50);
      index.close();
      index.close();
    }
    long after = bytesAfterCollection();
    assertTrue(after <= before, () -> "bytes: " + after + ", before " + before);
    assertTrue(after >= 0, () -> "bytes: " + after);
  }

  private static LongIndex filled(TreeShape shape, int entries) {
    LongIndex index = shape.create(IndexOptions.DEFAULT);
    for (long key = 0; key < entries; key++) {
      index.set(key, key);
    }
    return index;
  }

  private static LongIndex loaded(TreeShape shape, int entries) {
    LongIndex index = shape.create(IndexOptions.DEFAULT);
    long[] keys = LongStream.range(0, entries).toArray();
    index.bulkload(keys, keys);
    return index;
  }

  /** Returns the bytes of native memory in use once several collections have changed nothing. */
  private static long bytesAfterCollection() {
    long bytes = VirtualMemory.liveBytes();
    for (int same = 0; same < 3; same++) {
      long now = collect();
      if (now != bytes) {
        same = 0;
        bytes = now;
      }
    }
    return bytes;
  }

  private static void awaitAtMost(long bytes) {
    long now = collect();
    for (int i = 0; i < 200 && now > bytes; i++) {
      now = collect();
    }
    assertTrue(now <= bytes, "bytes of native memory: " + now + "; before: " + bytes);
  }

  private static long collect() {
    System.gc();
    try {
      Thread.sleep(5);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return VirtualMemory.liveBytes();
  }
}
