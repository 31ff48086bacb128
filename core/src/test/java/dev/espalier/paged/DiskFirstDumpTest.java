// SPDX-License-Identifier: Apache-2.0
package dev.espalier.paged;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.inspect.TreePrinter;
import dev.espalier.memory.Words;
import dev.espalier.paged.DiskFirstFpbPlusTree.Geometry;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A small tree as it lies in its pages, word for word. */
class DiskFirstDumpTest {
  private static final long PADDING = Long.MAX_VALUE;

  private final DiskFirstFpbPlusTree tree =
      DiskFirstFpbPlusTree.open(
          IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(256), new Geometry(1, 1));

  @AfterEach
  void close() {
    tree.verify();
    tree.close();
  }

  @Test
  void wordsOfAnInPageTreeAreWhereTheLayoutSays() {
    LongStream.rangeClosed(1, 4).forEach(key -> tree.put(key, 10 * key));
    assertEquals("0 4 0 0", intsAt(16, 4), "level, count, next and previous of the page");
    assertEquals("2 3 1 4 2", shortsAt(32, 5), "root, first and last leaf, lines above and below");
    assertEquals("3 " + PADDING, longsAt(128, 2), "separators of the in-page root");
    assertEquals("3 1", shortsAt(128 + 40, 2), "its children, as lines");
    assertEquals("1 0 0 2", shortsAt(128 + 56, 4), "its level, previous, next and count");
    assertEquals("1 2 3 " + PADDING, longsAt(192, 4), "keys of the first leaf");
    assertEquals("10 20 30", longsAt(192 + 32, 3), "its values");
    assertEquals("0 0 1 3", shortsAt(192 + 56, 4), "its level, previous, next and count");
    assertEquals("4 " + PADDING, longsAt(64, 2), "keys of the second leaf");
    assertEquals("40", longsAt(64 + 32, 1), "its value");
    assertEquals("0 3 0 1", shortsAt(64 + 56, 4), "its level, previous, next and count");
  }

  @Test
  void innerPageHasNumbersOfPagesInItsLeaves() {
    LongStream.rangeClosed(1, 7).forEach(key -> tree.put(key, 10 * key));
    assertEquals(
        """
        inner 1 @256 2/8: 6 9223372036854775807
          leaf @0 6/6: 1=10 2=20 3=30 4=40 5=50 6=60
          leaf @512 1/6: 7=70
        """,
        TreePrinter.print(tree.rootView(), 100));
    int root = InPageTreeFormat.HEADER.root(tree.tree.pages, 256);
    int leaf = InPageTreeFormat.HEADER.firstLeaf(tree.tree.pages, 256);
    assertEquals(Integer.toString(leaf), shortsAt(256 + 64 * root + 40, 1), "the in-page leaf");
    assertEquals("6 " + PADDING, longsAt(256 + 64 * leaf, 2), "its keys");
    assertEquals("1 3", intsAt(256 + 64 * leaf + 64 - 8 - 16, 2), "the pages they belong to");
  }

  private String longsAt(long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + Words.getLong(tree.tree.pages, offset + 8 * i))
        .collect(Collectors.joining(" "));
  }

  private String intsAt(long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + Words.getInt(tree.tree.pages, offset + 4 * i))
        .collect(Collectors.joining(" "));
  }

  private String shortsAt(long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + Words.getUnsignedShort(tree.tree.pages, offset + 2 * i))
        .collect(Collectors.joining(" "));
  }
}
