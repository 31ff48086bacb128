// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bplus.PbPlusTree;
import dev.espalier.memory.Arenas;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Growth takes no memory from lookups that hold no lock: where memory is freed under a reader, the
 * JVM sets the interrupt status of its thread.
 */
@Tag("fallback-exhaustive")
class LockedGrowthTest {
  private static final int ENTRIES = TestSize.of(4_000, 40_000);

  /** Writes from one look at the memory to the next, at first. */
  private static final int LOOK_EVERY = 50;

  static Stream<TreeShape> shapes() {
    return TreeShape.defaultsAndSmallestIfThorough().stream();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void growthBehindALockFreesNothingBeforeTheIndexIsClosed(TreeShape shape) {
    LongIndex index = shape.create(IndexOptions.DEFAULT);
    assertGrowthFreesNothing(index, index.withReadWriteLock());
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void thatTheIndexHasGrownBeforeDoesNotMatter(TreeShape shape) {
    LongIndex index = shape.create(IndexOptions.DEFAULT);
    for (long key = 1; key < 500; key++) {
      index.set(-key, key);
    }
    assertGrowthFreesNothing(index, index.withReadWriteLock());
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void neitherDoesThatItWasEmptiedBehindTheLock(TreeShape shape) {
    LongIndex index = shape.create(IndexOptions.DEFAULT);
    LongIndex locked = index.withReadWriteLock();
    locked.set(1, 2);
    locked.clear();
    assertGrowthFreesNothing(index, locked);
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void neitherDoesThatItWasShrunkBehindTheLock(TreeShape shape) {
    LongIndex index = shape.create(IndexOptions.DEFAULT);
    LongIndex locked = index.withReadWriteLock();
    for (long key = 1; key < 2000; key++) {
      locked.set(-key, key);
    }
    locked.removeRange(-1900, true, 0, true);
    locked.shrink();
    assertGrowthFreesNothing(index, locked);
  }

  @Test
  void growthOfPartsFreesNothingEither() {
    PartitionedIndex index = PartitionedIndex.create(PbPlusTree.VARIANT, IndexOptions.DEFAULT, 4);
    assertGrowthFreesNothing(index, index);
  }

  private static void assertGrowthFreesNothing(LongIndex index, LongIndex locked) {
    Arenas arenas = new Arenas(index);
    SplittableRandom random = new SplittableRandom(5);
    int nextLook = LOOK_EVERY;
    for (int i = 0; i < ENTRIES; i++) {
      locked.set(random.nextLong(), i);
      if (i == nextLook) {
        nextLook += Math.max(LOOK_EVERY, i / 10);
        assertEquals(0, arenas.leaked(), "memory that nobody would free");
        assertEquals(arenas.seen(), arenas.open(), "memory taken from readers");
      }
    }
    locked.verify();
    locked.close();
    arenas.leaked();
    assertEquals(0, arenas.open());
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void removalsTakeMemoryFromReadersOnlyWhereTheyMakeAnArrayOfAllSmaller(TreeShape shape) {
    LongIndex index = shape.create(IndexOptions.DEFAULT);
    boolean isOneArray =
        index.variant().name().matches("PackedMemoryArray|CacheObliviousBTree|ShuttleTree");
    try (LongIndex locked = index.withReadWriteLock()) {
      SplittableRandom random = new SplittableRandom(5);
      for (int i = 0; i < 3000; i++) {
        locked.set(random.nextLong(), i);
      }
      Arenas arenas = new Arenas(index);
      SplittableRandom again = new SplittableRandom(5);
      for (int i = 0; i < 2990; i++) {
        locked.delete(again.nextLong());
      }
      assertEquals(10, locked.size());
      assertEquals(isOneArray, arenas.open() < arenas.seen());
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void withoutReadersNothingOutgrownIsKept(TreeShape shape) {
    try (LongIndex index = shape.create(IndexOptions.DEFAULT)) {
      if (index instanceof ConcurrentLongIndex) {
        return;
      }
      SplittableRandom random = new SplittableRandom(5);
      for (int i = 0; i < 1000; i++) {
        index.set(random.nextLong(), i);
      }
      long before = new Arenas(index).seen();
      for (int i = 0; i < 12_000; i++) {
        index.set(random.nextLong(), i);
      }
      assertTrue(new Arenas(index).seen() <= before);
    }
  }
}
