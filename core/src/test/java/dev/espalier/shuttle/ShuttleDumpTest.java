// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.Indexes;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.TreePrinter;
import dev.espalier.shuttle.ShuttleTree.Geometry;
import dev.espalier.shuttle.ShuttleTree.Schedule;
import java.lang.foreign.ValueLayout;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Small trees after each case of the algorithms, and how they lie in memory. */
@Tag("fallback-too")
class ShuttleDumpTest {
  @RegisterExtension final Indexes indexes = new Indexes();

  @Test
  void leafThatIsFullSplitsInHalfBelowANewRoot() {
    assertEquals(
        """
        inner 1 @64 1/13: 10
          leaf @1344 1/2: 10=-10
          leaf @1472 2/2: 20=-20 30=-30
        """,
        print(put(2, 10, 20, 30)));
  }

  @Test
  void entryOfALeafIsRemovedInPlace() {
    ShuttleTree index = put(4, 1, 2, 3);
    index.remove(2);
    assertEquals(
        """
        leaf @64 2/4: 1=-1 3=-3
        """,
        print(index));
  }

  /** A node of height 2 and its leaves are a piece; the root of height 3 is the top above. */
  @Test
  void piecesOfASmallTreeLieOneAfterTheOther() {
    assertEquals("3211111211111211111", kinds(put(2, LongStream.range(0, 16).toArray())));
  }

  /** The buffers of both edges (a) follow the root of height 4; below are pieces of height 3. */
  @Test
  void firstBuffersAreThoseBelowANodeOfHeight4() {
    assertEquals(
        "4aa3211111211111211111321111121111121111121111111",
        kinds(put(2, LongStream.range(0, 40).toArray())));
  }

  /**
   * The cut of height 8 is at 5. The top has heights 8 to 6: first 8, then each node of height 7
   * with those of height 6 below it and the small buffers (a) that leave them, then all large
   * buffers (b), then the pieces of height 5.
   */
  @Test
  void buffersLieBehindThePieceThatTheyLeave() {
    ShuttleTree index = load(2, 20_000);
    assertEquals(8, index.tree.height);
    String top = kinds(index).replaceFirst("5.*", "");
    assertTrue(top.matches("8(76+a+)+b+"), top);
    assertEquals(count(top, 'a'), count(top, 'b'));
  }

  @Test
  void orderIsTheSameHoweverTheTreeCameAbout() {
    ShuttleTree index = put(2, LongStream.range(0, 3_000).map(i -> i * 7919 % 3_000).toArray());
    assertTrue(index.tree.height >= 6);
    index.verify(); // compares the links with the computed order
    LayoutOrder order =
        new LayoutOrder(
            index.tree.layout,
            index.tree.array.nodes,
            index.tree.array.elements,
            index.tree.array.used);
    order.addTree(index.tree.array.root, index.tree.height);
    assertEquals(index.tree.array.elements, order.count);
    assertEquals(index.tree.array.used, order.lines);
  }

  @Test
  void leafLiesInMemoryAsDrawn() {
    ShuttleTree index = put(2, 10, 20);
    assertEquals(
        """
        0: 200000001
        8: 2
        16: 0
        24: 1
        32: 0
        40: 0
        48: 0
        56: 0
        64: a
        72: 14
        80: fffffffffffffff6
        88: ffffffffffffffec
        """,
        words(index, index.tree.array.root, 12));
  }

  private static String words(ShuttleTree index, long from, int count) {
    return LongStream.range(0, count)
        .mapToObj(
            i ->
                "%d: %x\n"
                    .formatted(
                        8 * i,
                        index.tree.array.nodes.get(ValueLayout.JAVA_LONG_UNALIGNED, from + 8 * i)))
        .collect(Collectors.joining());
  }

  private static long count(String string, char letter) {
    return string.chars().filter(c -> c == letter).count();
  }

  /** Heights of nodes, and letters for the places of buffers in their lists, in memory order. */
  private static String kinds(ShuttleTree index) {
    ShuttleLayout layout = index.tree.layout;
    StringBuilder kinds = new StringBuilder();
    for (long at = index.tree.array.first; at != 0; at = index.tree.array.following(at)) {
      int height = layout.height(index.tree.array.nodes, at);
      kinds.append(
          height > 0
              ? String.valueOf(height)
              : String.valueOf((char) ('a' + layout.list(index.tree.array.nodes, at))));
    }
    return kinds.toString();
  }

  private ShuttleTree put(int leafEntries, long... keys) {
    ShuttleTree index = create(leafEntries);
    for (long key : keys) {
      index.put(key, -key);
    }
    return index;
  }

  private ShuttleTree load(int leafEntries, int entries) {
    ShuttleTree index = create(leafEntries);
    long[] keys = LongStream.range(0, entries).toArray();
    index.bulkload(LongEntrySource.of(keys, keys, entries), 1, entries, ProgressListener.NONE);
    return index;
  }

  private ShuttleTree create(int leafEntries) {
    return indexes.keep(
        ShuttleTree.create(IndexOptions.DEFAULT, new Geometry(Schedule.SHIFTED, 4, leafEntries)));
  }

  private static String print(ShuttleTree index) {
    return TreePrinter.print(index.rootView(), 100);
  }
}
