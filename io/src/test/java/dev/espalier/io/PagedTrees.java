// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.family.Family;
import dev.espalier.pio.PioBTree;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The trees that can live in files, and a way to compare one with a map. */
final class PagedTrees {
  /** The trees that need pages of 512 bytes at least. */
  private static final Set<String> MIDDLE_PAGED = Set.of(StoreBytesIndex.KIND);

  /** The trees that need pages of 1,024 bytes at least. */
  private static final Set<String> LARGE_PAGED = Set.of("Cola", "DeamortizedCola", "FdTree");

  private PagedTrees() {}

  /** Returns the names of the trees that live in pages. */
  static List<String> names() {
    return Family.all().stream()
        .filter(tree -> tree.medium() == TreeVariant.Medium.PAGES)
        .map(TreeVariant::name)
        .toList();
  }

  /**
   * Returns the names of trees that use their pages each in a way of its own, and of all in a
   * thorough run.
   */
  static List<String> namesOfKinds() {
    return TestSize.isThorough()
        ? names()
        : List.of("FpbLinkTree", "DiskFirstFpbPlusTree", "CacheFirstFpbPlusTree", "Cola");
  }

  /** Returns the names of the trees that live in pages, with the tree of byte strings. */
  static List<String> allNames() {
    return Stream.concat(names().stream(), Stream.of(StoreBytesIndex.KIND)).toList();
  }

  /** Returns {@link #namesOfKinds} with the tree of byte strings. */
  static List<String> allNamesOfKinds() {
    return Stream.concat(namesOfKinds().stream(), Stream.of(StoreBytesIndex.KIND)).toList();
  }

  /** Returns the tree of a name; the queue of a PIO B-tree is emptied after a few dozen writes. */
  static TreeVariant withSmallParts(String tree) {
    PioBTree.Geometry geometry = new PioBTree.Geometry(2, 3, 64, 5, 40);
    return !tree.equals(PioBTree.VARIANT.name())
        ? Family.named(tree)
        : TreeVariant.inPages(
            tree,
            PioBTree.VARIANT.paper(),
            PioBTree::create,
            (options, store) -> PioBTree.open(options, store, geometry));
  }

  /** Returns the bytes of the smallest pages that the tests give a tree. */
  static int leastPageBytes(String tree) {
    return LARGE_PAGED.contains(tree) ? 1024 : MIDDLE_PAGED.contains(tree) ? 512 : 256;
  }

  /**
   * Returns options for a tree in small pages, or the smallest that it can have if those are
   * larger, and a pool with so many frames.
   */
  static FileOptions options(String tree, int pageBytes, int frames) {
    int bytes = Math.max(pageBytes, leastPageBytes(tree));
    FileOptions options =
        FileOptions.DEFAULT.withPageBytes(bytes).withPoolBytes((frames + 1L) * bytes);
    return tree.equals(StoreBytesIndex.KIND) ? options : options.withVariant(Family.named(tree));
  }

  /** Checks that an index has the entries of a map, by lookups and by a scan, and is sound. */
  static void assertHolds(Map<Long, Long> entries, LongIndex index) {
    index.verify();
    assertEquals(entries.size(), index.size());
    LongCursor cursor = index.cursor();
    for (Map.Entry<Long, Long> entry : entries.entrySet()) {
      assertTrue(cursor.next());
      assertEquals(entry.getKey(), cursor.key());
      assertEquals(entry.getValue(), cursor.value());
    }
    long[] keys = entries.keySet().stream().mapToLong(Long::longValue).toArray();
    long[] values = new long[keys.length];
    index.getAll(keys, values);
    for (int i = 0; i < keys.length; i++) {
      assertEquals(entries.get(keys[i]), values[i]);
      assertEquals(values[i], index.get(keys[i]));
    }
  }
}
