// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pages of long values that can't be read any more, or lie: what can still be written then. */
class UnreadableValuesTest {
  private static final int PAGE_BYTES = 4096;

  /** A value that has pieces, one that has pages of its own as well, and a long key. */
  private static final int IN_PIECES = 2500;

  private static final int IN_PAGES = 11_000;

  private final Unreadable store =
      new Unreadable(IndexOptions.DEFAULT.pagesBesideReaders(PAGE_BYTES));

  @AfterEach
  void close() {
    store.close();
  }

  /** The trees that values can be in. */
  enum Kind {
    ONE_WRITER {
      @Override
      BytesIndex open(PageStore store) {
        return PrefixBPlusTree.open(store);
      }
    },
    MANY_WRITERS {
      @Override
      BytesIndex open(PageStore store) {
        return ConcurrentPrefixBPlusTree.open(store);
      }
    };

    abstract BytesIndex open(PageStore store);
  }

  /** Changes of the entry of a key. */
  enum Change {
    SET_LONG(index -> index.set(key(7), value(1, 3000))),
    SET_SHORT(index -> index.set(key(7), value(2, 3))),
    DELETE(index -> index.delete(key(7)));

    private final Consumer<BytesIndex> change;

    Change(Consumer<BytesIndex> change) {
      this.change = change;
    }
  }

  /** A store with a page that can't be read. */
  private static final class Unreadable extends ForwardingPageStore {
    private int bad;
    private boolean isHalfway;
    private boolean isTold;
    private int looks;

    Unreadable(PageStore store) {
      super(store);
    }

    @Override
    public long pin(int page) {
      if (page == bad) {
        throw new IllegalStateException("page " + page + " can't be read, as ordered");
      }
      return super.pin(page);
    }

    @Override
    public long look(int page) {
      looks++;
      return super.look(page);
    }

    @Override
    public void beforeSet(MemorySegment key, MemorySegment value) {
      isTold = true;
    }

    @Override
    public void beforeRemoval(MemorySegment key) {
      isTold = true;
    }

    @Override
    public void leftHalfway(Throwable cause) {
      isHalfway = true;
    }
  }

  private static byte[] key(int i) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
  }

  private static byte[] value(int number, int length) {
    byte[] value = new byte[length];
    for (int i = 0; i < length; i++) {
      value[i] = (byte) (number + i * 31 + (i >>> 8));
    }
    return value;
  }

  private BytesIndex fill(Kind kind, int bytes) {
    BytesIndex index = kind.open(store);
    for (int i = 0; i < 10; i++) {
      index.set(key(i), value(i, bytes));
    }
    return index;
  }

  private long leaf() {
    return store.pin((int) store.meta()[PrefixStructure.ROOT]);
  }

  /** Returns where the reference to the value of a key is; the tree has one leaf. */
  private long referenceTo(int key) {
    MemorySegment pages = store.segment();
    long leaf = leaf();
    return PageLayout.valueAt(pages, leaf, PageLayout.slot(pages, leaf, key));
  }

  /** Returns what leads to the value of a key. */
  private int chainOf(int key) {
    return PageLayout.referredPage(store.segment(), referenceTo(key));
  }

  // ---------------------------------------------------------------- the open page

  /** It was readable when it was opened; other values go elsewhere, and so does the next one. */
  @ParameterizedTest
  @EnumSource
  void anOpenPageThatGoesBadIsNoReasonToRefuseValues(Kind kind) {
    BytesIndex index = fill(kind, 1200);
    int open = (int) store.meta()[PrefixStructure.OPEN];
    assertNotEquals(0, open);
    store.bad = open;
    for (int i = 10; i < 30; i++) {
      index.set(key(i), value(i, 1200));
      assertArrayEquals(value(i, 1200), index.get(key(i)));
    }
    assertFalse(store.isHalfway);
    store.bad = 0;
    index.verify();
    for (int i = 0; i < 30; i++) {
      assertArrayEquals(value(i, 1200), index.get(key(i)));
    }
  }

  // ---------------------------------------------------------------- values that go

  /**
   * Nothing has changed then, and no log was told: otherwise a tree could not be recovered either.
   */
  @ParameterizedTest
  @EnumSource
  void anEntryWhoseValueCantBeReadStays(Kind kind) {
    BytesIndex index = fill(kind, IN_PIECES);
    checkStays(index, PiecePage.pageOf(chainOf(7)), IN_PIECES);
  }

  @ParameterizedTest
  @EnumSource
  void anEntryStaysAlsoIfOnlyTheLastPageOfItsValueCantBeRead(Kind kind) {
    BytesIndex index = fill(kind, IN_PAGES);
    int reference = chainOf(7);
    while (PiecePage.isPiece(reference)) {
      long page = store.pin(PiecePage.pageOf(reference));
      reference = PiecePage.next(store.segment(), page, PiecePage.pieceOf(reference));
    }
    Chain chain = new Chain(store);
    int last = reference;
    for (int next = reference; next != 0; next = chain.next(next)) {
      last = next;
    }
    assertNotEquals(reference, last);
    checkStays(index, last, IN_PAGES);
  }

  private void checkStays(BytesIndex index, int page, int bytes) {
    int pages = store.pagesInUse();
    for (Change change : Change.values()) {
      store.bad = page;
      store.isTold = false;
      assertThrows(IllegalStateException.class, () -> change.change.accept(index));
      assertFalse(store.isHalfway, change + " was left halfway");
      assertFalse(store.isTold, change + " was told of");
      store.bad = 0;
      assertArrayEquals(value(7, bytes), index.get(key(7)));
      index.verify();
    }
    assertTrue(store.pagesInUse() <= pages + 2, () -> store.pagesInUse() + " of " + pages);
    assertTrue(index.delete(key(7)));
    index.verify();
  }

  /** Whoever tells a log of many writes asks before. */
  @Test
  void aKeyTellsWhetherItCanBeWritten() {
    ConcurrentPrefixBPlusTree index = (ConcurrentPrefixBPlusTree) fill(Kind.MANY_WRITERS, IN_PAGES);
    byte[] longKey = Arrays.copyOf(new byte[] {1}, 3 * PAGE_BYTES); // Behind all others.
    index.set(longKey, value(1, 3));
    index.set(key(20), value(2, 3));
    store.isTold = false;
    assertEquals(Set.of(), pagesThatMustBeRead(index, key(20)));
    assertEquals(Set.of(), pagesThatMustBeRead(index, key(21)));
    assertEquals(3, pagesThatMustBeRead(index, longKey).size());
    Set<Integer> pages = pagesThatMustBeRead(index, key(7));
    assertTrue(pages.contains(PiecePage.pageOf(chainOf(7))), pages::toString);
    assertTrue(pages.size() >= 3, pages::toString);
    assertFalse(store.isTold);
  }

  /** Returns the pages without which a key can't be written, beside the only leaf. */
  private Set<Integer> pagesThatMustBeRead(ConcurrentPrefixBPlusTree index, byte[] key) {
    index.checkLeaving(segment(key));
    Set<Integer> pages = new TreeSet<>();
    for (int page = 1; page < 200; page++) {
      store.bad = page == store.meta()[PrefixStructure.ROOT] ? 0 : page;
      try {
        index.checkLeaving(segment(key));
      } catch (IllegalStateException unreadable) {
        pages.add(page);
      }
    }
    store.bad = 0;
    return pages;
  }

  /** As long as there are no long values, and keys are short, nothing is looked for. */
  @Test
  void shortEntriesAreNotLookedFor() {
    ConcurrentPrefixBPlusTree index = (ConcurrentPrefixBPlusTree) fill(Kind.MANY_WRITERS, 10);
    assertEquals(0, looksFor(index, key(7)));
    assertEquals(1, looksFor(index, new byte[2 * PAGE_BYTES]));
    index.set(key(7), value(1, PAGE_BYTES - 24)); // It has a page of its own, and no piece.
    assertEquals(1, looksFor(index, key(6)));
    store.bad = chainOf(7);
    assertThrows(IllegalStateException.class, () -> index.checkLeaving(segment(key(7))));
    store.bad = 0;
    index.clear();
    assertEquals(0, looksFor(index, key(7)));
    index.set(key(7), value(1, 1200)); // It has a piece.
    assertEquals(1, looksFor(index, key(6)));
  }

  private int looksFor(ConcurrentPrefixBPlusTree index, byte[] key) {
    store.looks = 0;
    index.checkLeaving(segment(key));
    return store.looks;
  }

  /** What others have in that page must not be freed with it. */
  @ParameterizedTest
  @EnumSource
  void aValueThatLeadsToAPageOfOthersStays(Kind kind) {
    BytesIndex index = fill(kind, IN_PIECES);
    int reference = chainOf(7);
    int shared = PiecePage.pageOf(reference);
    PageLayout.refer(store.segment(), referenceTo(7), shared, IN_PIECES);
    for (Change change : Change.values()) {
      assertThrows(ConcurrentModificationException.class, () -> change.change.accept(index));
      assertFalse(store.isHalfway, change + " was left halfway");
    }
    PageLayout.refer(store.segment(), referenceTo(7), reference, IN_PIECES);
    index.verify();
  }

  // ---------------------------------------------------------------- lengths

  /** A leaf that lies of a length has no memory taken for it, and nobody is told the length. */
  @Test
  void aValueThatACursorCopiesIsNoLongerThanAllPages() {
    BytesIndex index = fill(Kind.MANY_WRITERS, IN_PIECES);
    long at = referenceTo(7);
    PageLayout.refer(store.segment(), at, chainOf(7), BytesIndex.MAX_VALUE);
    BytesCursor cursor = index.cursor();
    cursor.expectValues(BytesCursor.Expected.ALL);
    assertTrue(cursor.ceiling(segment(key(6))));
    assertThrows(ConcurrentModificationException.class, cursor::next);
    assertThrows(
        ConcurrentModificationException.class,
        () -> index.get(segment(key(7)), segment(new byte[10])));
    BytesCursor ofKeys = index.cursor();
    assertTrue(ofKeys.ceiling(segment(key(7))));
    assertThrows(ConcurrentModificationException.class, ofKeys::valueBytes);
    PageLayout.refer(store.segment(), at, chainOf(7), IN_PIECES);
    assertEquals(IN_PIECES, ofKeys.valueBytes());
  }

  private static MemorySegment segment(byte[] bytes) {
    return MemorySegment.ofArray(bytes);
  }
}
