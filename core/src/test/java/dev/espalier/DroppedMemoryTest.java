// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.batch.AnswerConsumer;
import dev.espalier.batch.BufferOptions;
import dev.espalier.batch.BufferOptions.Buffers;
import dev.espalier.batch.BufferedAccess;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.bplus.PbPlusTree.Geometry;
import dev.espalier.memory.Arenas;
import dev.espalier.rtree.BufferedOverlap;
import dev.espalier.rtree.BufferedOverlap.Choices;
import dev.espalier.rtree.RTree;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Native memory in whose place other memory is taken is given back, and not left behind. */
class DroppedMemoryTest {
  private static final AnswerConsumer NOBODY =
      new AnswerConsumer.Bulk() {
        @Override
        public void values(
            long[] tags, long[] keys, long[] values, long[] found, int from, int to) {}

        @Override
        public void entry(long tag, long key, long value) {}

        @Override
        public void end(long tag) {}
      };

  @ParameterizedTest
  @MethodSource("dev.espalier.TreeShape#all")
  void indexGivesBackWhatItNoLongerUses(TreeShape shape) {
    LongIndex index = shape.create(IndexOptions.DEFAULT);
    Arenas arenas = new Arenas(index);
    SplittableRandom random = new SplittableRandom(3);
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 800; i++) {
        index.put(random.nextLong(3_000), i);
        if (i % 8 == 0) {
          assertEquals(0, arenas.leaked(), "after put " + i);
        }
      }
      for (int i = 0; i < 800; i++) {
        index.remove(random.nextLong(3_000));
        if (i % 8 == 0) {
          assertEquals(0, arenas.leaked(), "after remove " + i);
        }
      }
      index.clear();
      assertEquals(0, arenas.leaked(), "after clear");
      long[] keys = LongStream.range(0, 2_000).toArray();
      index.bulkload(keys, keys);
      assertEquals(0, arenas.leaked(), "after bulkload");
    }
    assertTrue(arenas.seen() > 0);
    index.close();
    assertEquals(0, arenas.open(), "after close");
  }

  @Test
  void bufferedAccessGivesBackTheBuffersOfALowerTree() {
    for (Buffers buffers : List.of(new Buffers.Variable(), new Buffers.Fixed(16))) {
      try (LongIndex index = PbPlusTree.create(IndexOptions.DEFAULT, new Geometry(1, 1, 0))) {
        BufferedAccess access =
            BufferedAccess.over(index, new BufferOptions(buffers, 1_000, false, null), NOBODY);
        Arenas arenas = new Arenas(access);
        for (long key = 0; key < 30_000; key++) {
          access.put(key, key);
          if (key % 1_000 == 0) {
            access.flush();
            assertEquals(0, arenas.leaked(), "after " + key);
          }
        }
        assertTrue(arenas.seen() > 2, "seen: " + arenas.seen());
        access.close();
        assertEquals(1, arenas.open(), "that of the index");
      }
    }
  }

  @Test
  void bufferedOverlapGivesBackTheBuffersOfALowerTree() {
    try (RTree tree = RTree.create(IndexOptions.DEFAULT, new RTree.Geometry(3, 3))) {
      BufferedOverlap buffered = BufferedOverlap.over(tree, Choices.DEFAULT.withCapacity(8));
      Arenas arenas = new Arenas(buffered);
      for (int i = 0; i < 300; i++) {
        tree.insert(i, i, i + 2, i + 2, i);
        buffered.overlapAll(new double[] {i, i, i, i}, (_, _) -> true);
        assertEquals(0, arenas.leaked(), "after " + i);
      }
      assertTrue(arenas.seen() > 3, "seen: " + arenas.seen());
      buffered.close();
      assertEquals(1, arenas.open(), "that of the tree");
    }
  }
}
