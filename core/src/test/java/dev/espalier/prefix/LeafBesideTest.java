// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which leaves a cursor looks at before it comes to them, since it prefetches them. */
class LeafBesideTest {
  private static final int ENTRIES = 200;

  private final Looks pages = new Looks();
  private final ConcurrentPrefixBPlusTree index = ConcurrentPrefixBPlusTree.open(pages);

  /** The leaf of each key. */
  private final int[] leaves = new int[ENTRIES];

  /** Knows which pages were looked at. */
  private static final class Looks extends ForwardingPageStore {
    private final Set<Integer> looked = new HashSet<>();
    private final MemoryPageStore memory;

    /** A frame of another page, where a page that was looked at seems to be; -1 for none. */
    private long otherFrame = -1;

    Looks() {
      this(new MemoryPageStore(512, Long.MAX_VALUE, HugePages.OFF));
    }

    private Looks(MemoryPageStore memory) {
      super(memory);
      this.memory = memory;
    }

    @Override
    public long look(int page) {
      looked.add(page);
      return memory.look(page);
    }

    @Override
    public long offset(long look) {
      return otherFrame < 0 ? memory.offset(look) : otherFrame;
    }

    @Override
    public boolean isStill(long look) {
      return otherFrame < 0 && memory.isStill(look);
    }
  }

  private static MemorySegment bytes(long key) {
    return MemorySegment.ofArray(ByteBuffer.allocate(Long.BYTES).putLong(key).array());
  }

  @BeforeEach
  void fill() {
    for (int key = 0; key < ENTRIES; key++) {
      index.set(bytes(key), bytes(key));
    }
    PrefixStructure tree = index.structure();
    assertEquals(2, tree.height(), "all leaves have the same parent");
    for (int key = 0; key < ENTRIES; key++) {
      PrefixLook look = new PrefixLook(tree, tree.shared());
      look.findLeaf(bytes(key), 0);
      leaves[key] = look.number;
      look.release();
    }
    assertTrue(Arrays.stream(leaves).distinct().count() > 5);
  }

  @Test
  void aScanLooksAtTheNextLeafBeforeItsEnd() {
    BytesCursor cursor = index.cursor();
    pages.looked.clear();
    assertTrue(cursor.first());
    for (int key = 0; key < ENTRIES - 1; key++) {
      checkLeafOf(key, key + 1);
      assertTrue(cursor.next());
    }
  }

  @Test
  void aScanBackwardsLooksAtThePreviousLeafBeforeItsEnd() {
    BytesCursor cursor = index.cursor();
    pages.looked.clear();
    assertTrue(cursor.last());
    for (int key = ENTRIES - 1; key > 0; key--) {
      checkLeafOf(key, key - 1);
      assertTrue(cursor.previous());
    }
  }

  private void checkLeafOf(int key, int next) {
    if (leaves[key] != leaves[next]) {
      assertTrue(pages.looked.contains(leaves[next]), () -> "before " + next);
      pages.looked.clear();
    }
  }

  @Test
  void whoeverWantsOneEntryLooksAtItsLeafOnly() {
    BytesCursor cursor = index.cursor();
    for (int key = 0; key < ENTRIES; key++) {
      pages.looked.clear();
      assertTrue(cursor.ceiling(bytes(key)));
      for (int leaf : leaves) {
        if (leaf != leaves[key]) {
          assertFalse(pages.looked.contains(leaf), "leaf " + leaf + " for " + key);
        }
      }
    }
  }

  @Test
  void aFrameThatAnotherPageHasComeToLeadsNowhere() {
    PrefixStructure tree = index.structure();
    PrefixLook look = new PrefixLook(tree, tree.shared());
    look.findLeaf(bytes(0), 0);
    look.release();
    int root = tree.sharedRoot();

    long frame = pages.pin(pages.allocate());
    MemorySegment memory = tree.pages.asSlice(frame, pages.pageBytes());
    // Of so many entries the children would be behind the end of all frames.
    for (int entries : new int[] {2, 20, 0xffff}) {
      memory.fill((byte) 0x11);
      PageLayout.count(tree.pages, frame, entries);
      pages.looked.clear();
      pages.otherFrame = frame;
      look.prefetchBeside(1);
      pages.otherFrame = -1;
      assertEquals(Set.of(root), pages.looked, entries + " entries");
    }
    pages.unpin(frame, false);

    pages.looked.clear();
    look.prefetchBeside(1);
    assertEquals(2, pages.looked.size(), "the root and a leaf, once the page is where it was");
  }
}
