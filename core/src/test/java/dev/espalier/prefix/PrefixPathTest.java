// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which pages a cursor asks for ahead, where they are on a device. */
@Tag("fallback-too")
class PrefixPathTest {
  /** Notes what is asked for. */
  static final class AskedPages extends ForwardingPageStore {
    final List<Integer> asked = new ArrayList<>();

    /** Whether all pages are in memory. */
    boolean areThere;

    private final PageStore behind;

    AskedPages() {
      this(new MemoryPageStore(512, Long.MAX_VALUE, HugePages.OFF));
    }

    private AskedPages(PageStore behind) {
      super(behind);
      this.behind = behind;
    }

    @Override
    public long look(int page) {
      return areThere ? behind.look(page) : -1;
    }

    @Override
    public boolean isStill(long look) {
      return behind.isStill(look);
    }

    @Override
    public boolean pagesStay() {
      return false;
    }

    @Override
    public void readAhead(int[] pages, int from, int count) {
      for (int i = from; i < from + count; i++) {
        asked.add(pages[i]);
      }
    }
  }

  static final int ENTRIES = 5000;

  final AskedPages store = new AskedPages();
  final BytesIndex index = open(store);

  PrefixPathTest() {
    for (int i = 0; i < ENTRIES; i++) {
      index.set(key(i), new byte[i % 20]);
    }
  }

  BytesIndex open(PageStore pages) {
    return PrefixBPlusTree.open(pages);
  }

  PrefixStructure structure(BytesIndex opened) {
    return ((PrefixBPlusTree) opened).structure();
  }

  private static byte[] key(int i) {
    return "entry %06d".formatted(i).getBytes(StandardCharsets.US_ASCII);
  }

  private static MemorySegment segment(int i) {
    return MemorySegment.ofArray(key(i));
  }

  /** Returns the smallest key of a leaf, as a number. */
  int firstOf(int page) {
    PrefixStructure tree = structure(index);
    long at = tree.store.pin(page);
    byte[] key = new byte[tree.keyLength(at, 0)];
    assertEquals(0, PageLayout.level(tree.pages, at));
    tree.copyKey(at, 0, key);
    tree.store.unpin(at, false);
    return Integer.parseInt(new String(key, 6, 6, StandardCharsets.US_ASCII));
  }

  private void assertMostAskedOnce() {
    assertEquals(store.asked.size(), new HashSet<>(store.asked).size(), "asked for twice");
    long leaves = index.statistics().leafNodes();
    assertTrue(store.asked.size() > leaves / 2, store.asked.size() + " of " + leaves);
    store.asked.forEach(this::firstOf);
  }

  @Test
  void scansAskForMostLeavesOnce() {
    BytesCursor cursor = index.cursor();
    while (cursor.next()) {
      assertTrue(cursor.valueBytes() < 20);
    }
    assertMostAskedOnce();
    assertEquals(
        store.asked.stream().sorted((a, b) -> firstOf(a) - firstOf(b)).toList(), store.asked);
    store.asked.clear();
    while (cursor.previous()) {
      assertTrue(cursor.valueBytes() < 20);
    }
    assertMostAskedOnce();
    assertEquals(
        store.asked.stream().sorted((a, b) -> firstOf(b) - firstOf(a)).toList(), store.asked);
  }

  @Test
  void scansAskForNothingBehindTheirEnd() {
    BytesCursor cursor = index.cursor();
    cursor.scanTo(segment(2000));
    assertTrue(cursor.ceiling(segment(500)));
    for (int i = 500; i < 2000; i++) {
      assertTrue(cursor.next());
    }
    assertFalse(store.asked.isEmpty());
    for (int page : store.asked) {
      int first = firstOf(page);
      assertTrue(first > 500 && first <= 2000, "a leaf from " + first);
    }
  }

  @Test
  void lookupsAskForNothing() {
    BytesCursor cursor = index.cursor();
    for (int i = 0; i < ENTRIES; i += 7) {
      assertTrue(cursor.floor(segment(i)));
    }
    assertEquals(List.of(), store.asked);
  }
}
