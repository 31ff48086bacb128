// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.Indexes;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.pma.PackedMemoryArray.Geometry;
import java.util.BitSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("fallback-too")
class VebTest {
  @RegisterExtension final Indexes indexes = new Indexes();

  @Test
  void treeOfHeightFourIsInTheOrderOfTheSheet() {
    VebLayout layout = new VebLayout(4);
    long[] order = {1, 2, 3, 4, 8, 9, 5, 10, 11, 6, 12, 13, 7, 14, 15};
    for (int i = 0; i < order.length; i++) {
      assertEquals(i, layout.position(order[i], depth(order[i])), "node " + order[i]);
    }
  }

  @Test
  void everyPositionHasOneNodeWithTheRootFirst() {
    for (int height = 1; height <= 16; height++) {
      VebLayout layout = new VebLayout(height);
      BitSet taken = new BitSet();
      for (long node = 1; node <= layout.nodes(); node++) {
        int position = (int) layout.position(node, depth(node));
        assertFalse(taken.get(position), "height " + height + ", node " + node);
        taken.set(position);
      }
      assertEquals(0, layout.position(1, 0));
      assertEquals(layout.nodes(), taken.length());
    }
  }

  /** A path of a tree of height 16 goes through 2 trees of height 8, 4 of height 4. */
  @Test
  void pathStaysInFewBlocksOfEverySize() {
    VebLayout layout = new VebLayout(16);
    for (long leaf = 1 << 15; leaf < 1 << 16; leaf += 37) {
      assertTrue(blocks(layout, leaf, 15) <= 8);
      assertTrue(blocks(layout, leaf, 255) <= 4);
    }
  }

  private static long blocks(VebLayout layout, long leaf, int nodesPerBlock) {
    return LongStream.range(0, 16)
        .map(depth -> layout.position(leaf >> (15 - depth), (int) depth) / nodesPerBlock)
        .distinct()
        .count();
  }

  @Test
  void everySegmentIsReachedByItsKeysForAnyNumberOfSegments() {
    Geometry geometry = new Geometry(4, Densities.UPDATE_ORIENTED);
    for (int segments = 1; segments <= 70; segments++) {
      CacheObliviousBTree tree =
          indexes.keep(CacheObliviousBTree.create(IndexOptions.DEFAULT, geometry));
      int entries = 3 * segments;
      long[] keys = LongStream.range(0, entries).map(i -> 2 * i).toArray();
      LongEntrySource source = LongEntrySource.of(keys, keys, entries);
      tree.bulkload(source, 0.75, entries, ProgressListener.NONE);
      assertEquals(segments, tree.tree.segments);
      long[] probes = LongStream.range(-1, 2L * entries).toArray();
      long[] found = new long[probes.length];
      tree.getAll(probes, found);
      for (int i = 0; i < probes.length; i++) {
        boolean isThere = probes[i] >= 0 && probes[i] % 2 == 0;
        long expected = isThere ? probes[i] : tree.missingValue();
        assertEquals(expected, found[i]);
        assertEquals(expected, tree.get(probes[i]));
      }
      tree.put(-1, -1);
      tree.put(Long.MAX_VALUE, 1);
      tree.put(Long.MIN_VALUE, 2);
      assertEquals(1, tree.get(Long.MAX_VALUE));
      assertEquals(2, tree.get(Long.MIN_VALUE));
      tree.verify();
    }
  }

  /**
   * The separator is then below the first key of its segment, and what comes between goes there.
   */
  @Test
  void keyBetweenASeparatorAndTheFirstKeyGoesIntoTheSegmentOnTheRight() {
    CacheObliviousBTree tree = indexes.keep(CacheObliviousBTree.create(IndexOptions.DEFAULT));
    long[] keys = LongStream.range(0, 384).map(i -> 10 * i).toArray();
    tree.bulkload(LongEntrySource.of(keys, keys, 384), 0.75, 384, ProgressListener.NONE);
    long first = tree.tree.columns.key(tree.tree.columns.slot(1));
    tree.remove(first);
    tree.verify();
    tree.put(first + 5, 7);
    assertEquals(first + 5, tree.tree.columns.key(tree.tree.columns.slot(1)));
    assertEquals(7, tree.get(first + 5));
    tree.put(first - 5, 8);
    assertEquals(first + 5, tree.tree.columns.key(tree.tree.columns.slot(1)));
    assertEquals(8, tree.get(first - 5));
    tree.verify();
  }

  private static int depth(long node) {
    return Long.SIZE - 1 - Long.numberOfLeadingZeros(node);
  }
}
