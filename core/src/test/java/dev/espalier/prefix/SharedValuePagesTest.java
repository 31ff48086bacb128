// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.bytes.BytesEntrySource;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.ValueReader;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.RefusingPageStore;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How many pages long values take, and what stays of them. */
class SharedValuePagesTest {
  private static final int PAGE_BYTES = 16 << 10;
  private static final int TEN_KB = 10_000;

  /** The trees that values can be in. */
  enum Kind {
    ONE_WRITER {
      @Override
      BytesIndex open(MemoryPageStore store) {
        return PrefixBPlusTree.open(store);
      }
    },
    MANY_WRITERS {
      @Override
      BytesIndex open(MemoryPageStore store) {
        return ConcurrentPrefixBPlusTree.open(store);
      }
    };

    abstract BytesIndex open(MemoryPageStore store);
  }

  private final SplittableRandom random = new SplittableRandom(79);

  /** Its memory does not move, so that a test may begin an operation. */
  private final MemoryPageStore store = IndexOptions.DEFAULT.pagesBesideReaders(PAGE_BYTES);

  @AfterEach
  void close() {
    store.close();
  }

  private static byte[] key(int i) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
  }

  /** Returns a value of which each byte depends on its place, and on a number. */
  private static byte[] value(int number, int length) {
    byte[] value = new byte[length];
    for (int i = 0; i < length; i++) {
      value[i] = (byte) (number + i * 31 + (i >>> 8));
    }
    return value;
  }

  private void put(BytesIndex index, int[] lengths, int i, int length) {
    index.set(key(i), value(i + length, length));
    lengths[i] = length;
  }

  private static void check(BytesIndex index, int[] lengths) {
    index.verify();
    for (int i = 0; i < lengths.length; i++) {
      byte[] expected = lengths[i] == 0 ? null : value(i + lengths[i], lengths[i]);
      assertArrayEquals(expected, index.get(key(i)));
    }
  }

  /** Returns the pages in use for each value. */
  private double pagesOf(int values) {
    return (double) store.pagesInUse() / values;
  }

  /** Returns the pieces in pages that values share, for each value. */
  private double piecesOf(int values) {
    long pieces = 0;
    int left = store.pagesInUse();
    for (int page = 1; left > 0; page++) {
      if (store.isInUse(page)) {
        left--;
        long at = store.pin(page);
        if (PiecePage.isMarked(store.segment(), at)) {
          pieces += Integer.bitCount(PiecePage.living(store.segment(), at));
        }
      }
    }
    return (double) pieces / values;
  }

  // ---------------------------------------------------------------- space

  /**
   * A value of 10 KB had a page alone. Now all of a page is in use until values go; what these
   * leave is used again, most of it by values that are not cut in two for that.
   */
  @ParameterizedTest
  @EnumSource
  void valuesOfTenKilobytesTakeTwoThirdsOfAPage(Kind kind) {
    BytesIndex index = kind.open(store);
    int count = TestSize.of(500, 3000);
    int[] lengths = new int[count];
    int[] order = random.ints(0, count).distinct().limit(count).toArray();
    for (int i : order) {
      put(index, lengths, i, TEN_KB);
    }
    check(index, lengths);
    assertTrue(pagesOf(count) < 0.69, () -> "pages of a value: " + pagesOf(count));
    assertTrue(piecesOf(count) < 1.36, () -> "pieces of a value: " + piecesOf(count));

    for (int round = 0; round < 4; round++) {
      for (int i = 0; i < count; i++) {
        put(index, lengths, random.nextInt(count), TEN_KB + random.nextInt(10));
      }
      check(index, lengths);
      assertTrue(pagesOf(count) < 0.72, () -> "pages of a value: " + pagesOf(count));
      assertTrue(piecesOf(count) < 1.65, () -> "pieces of a value: " + piecesOf(count));
    }

    for (int i = 0; i < count / 2; i++) {
      assertTrue(index.delete(key(order[i])));
      lengths[order[i]] = 0;
    }
    check(index, lengths);
    assertTrue(pagesOf(count / 2) < 1.15, () -> "pages of a value: " + pagesOf(count / 2));

    for (int i = count / 2; i < count; i++) {
      assertTrue(index.delete(key(order[i])));
    }
    index.verify();
    assertTrue(store.pagesInUse() <= 4, () -> store.pagesInUse() + " pages without values");
  }

  /** Each of them was cut in two or three, most of the time. */
  @ParameterizedTest
  @EnumSource
  void valuesOfManyLengthsLieInOnePieceEach(Kind kind) {
    BytesIndex index = kind.open(store);
    int count = TestSize.of(500, 3000);
    int[] lengths = new int[count];
    for (int i = 0; i < 5 * count; i++) {
      put(index, lengths, i < count ? i : random.nextInt(count), random.nextInt(4000, 12_000));
    }
    check(index, lengths);
    assertTrue(piecesOf(count) < 1.1, () -> "pieces of a value: " + piecesOf(count));
    double spent = (double) store.pagesInUse() * PAGE_BYTES / Arrays.stream(lengths).sum();
    assertTrue(spent < 1.15, () -> "bytes over those of values: " + spent);
  }

  /** What is kept for values that are not cut in two is used before one is refused. */
  @Test
  void noValueIsRefusedThatHasRoomInTwoPieces() {
    RefusingPageStore few = new RefusingPageStore(store, 101);
    BytesIndex index = PrefixBPlusTree.open(few);
    int count = 0;
    try {
      for (; count < 200; count++) {
        index.set(key(count), value(count, 12_000));
      }
    } catch (MemoryLimitException full) {
      index.verify();
    }
    assertTrue(count > 128, "values: " + count);
  }

  /** However values go, there are no more pages than pieces, and then the room is used again. */
  @ParameterizedTest
  @EnumSource
  void whatIsLeftOfPagesIsFilledAgain(Kind kind) {
    BytesIndex index = kind.open(store);
    int count = TestSize.of(600, 3000);
    int[] lengths = new int[count];
    for (int i = 0; i < count; i++) {
      put(index, lengths, i, TEN_KB);
    }
    int full = store.pagesInUse();
    int left = 0;
    for (int i = 0; i < count; i++) {
      if (i % 3 == 0) {
        left++;
      } else {
        assertTrue(index.delete(key(i)));
        lengths[i] = 0;
      }
    }
    check(index, lengths);
    int pieces = PlacedValue.MOST_PIECES * left;
    assertTrue(store.pagesInUse() <= pieces + 20, () -> store.pagesInUse() + " of " + pieces);
    for (int i = 0; i < count; i++) {
      if (lengths[i] == 0) {
        put(index, lengths, i, TEN_KB);
      }
    }
    check(index, lengths);
    assertTrue(store.pagesInUse() < full * 1.15, () -> store.pagesInUse() + " after " + full);
  }

  @ParameterizedTest
  @CsvSource({"10000, 1.13", "20000, 1.1", "50000, 1.06", "1000000, 1.02", "20000000, 1.01"})
  void longerValuesTakeLittleMoreThanTheirBytes(int bytes, double most) {
    BytesIndex index = PrefixBPlusTree.open(store);
    int count = Math.clamp(40_000_000 / bytes, 3, 200);
    for (int i = 0; i < count; i++) {
      index.set(key(i), value(i, bytes));
    }
    index.verify();
    double spent = (double) store.pagesInUse() * PAGE_BYTES / ((double) count * bytes);
    assertTrue(spent < most, () -> "bytes over those of values: " + spent);
  }

  // ---------------------------------------------------------------- lengths

  private static void checkLengths(BytesIndex index, IntUnaryOperator lengthOf, int count) {
    int[] lengths = new int[count];
    for (int i = 0; i < count; i++) {
      lengths[i] = lengthOf.applyAsInt(i);
      index.set(key(i), value(i + lengths[i], lengths[i]));
    }
    check(index, lengths);
    MemorySegment into = MemorySegment.ofArray(new byte[100]);
    assertEquals(lengths[7], index.get(MemorySegment.ofArray(key(7)), into));
    byte[] expected = value(7 + lengths[7], lengths[7]);
    assertEquals(-1, into.mismatch(MemorySegment.ofArray(expected).asSlice(0, 100)));
    for (int i = 0; i < count; i += 2) {
      lengths[i] = lengthOf.applyAsInt(i + 1);
      index.set(key(i), value(i + lengths[i], lengths[i]));
    }
    check(index, lengths);
    for (int i = 0; i < count; i += 3) {
      assertTrue(index.delete(key(i)));
      lengths[i] = 0;
    }
    check(index, lengths);
    assertEquals(count - (count + 2) / 3, index.removeRange(key(0), true, key(count), true));
    index.verify();
  }

  /** Around the lengths where the last page, or the last piece, is just full. */
  @ParameterizedTest
  @ValueSource(ints = {512, 1024, 4096, 16_384, 65_536})
  void valuesOfAnyLengthComeBack(int pageBytes) {
    for (Kind kind : Kind.values()) {
      int page = pageBytes - 24;
      int room = new PiecePage(pageBytes).room();
      int[] borders = {page, 2 * page, room, room - room / 16, page + room / 4, page + room};
      try (MemoryPageStore pages = IndexOptions.DEFAULT.pagesInMemory(pageBytes)) {
        BytesIndex index = kind.open(pages);
        checkLengths(index, i -> borders[i % borders.length] + i / borders.length % 5 - 2, 60);
        checkLengths(index, i -> pageBytes / 3 + i * pageBytes / 40, 150);
      }
    }
  }

  // ---------------------------------------------------------------- the tree as a whole

  /** A tree that is opened again goes on with the page that was open. */
  @Test
  void theOpenPageIsOpenWhenTheTreeIsOpenedAgain() {
    BytesIndex index = PrefixBPlusTree.open(store);
    index.set(key(0), value(0, 5000));
    int before = store.pagesInUse();
    BytesIndex again = ConcurrentPrefixBPlusTree.open(store);
    again.set(key(1), value(1, 5000));
    assertEquals(before, store.pagesInUse());
    again.verify();
    assertArrayEquals(value(0, 5000), again.get(key(0)));
  }

  /** What dies before that page is known to be open may still be read. */
  @Test
  void whatDiesInAPageThatIsNotKnownYetIsNotFree() {
    BytesIndex index = PrefixBPlusTree.open(store);
    index.set(key(0), value(0, 5000));
    index.set(key(1), value(1, 5000));
    ConcurrentPrefixBPlusTree again = ConcurrentPrefixBPlusTree.open(store);
    int operation = again.structure().shared().epochs.enter(); // One that reads the first value.
    again.delete(key(0));
    again.set(key(2), value(2, 5000));
    again.set(key(3), value(3, 5000));
    int first = -1;
    for (int page = 1; page <= store.pagesInUse() && first < 0; page++) {
      first = PiecePage.isMarked(store.segment(), store.pin(page)) ? page : -1;
    }
    long at = store.pin(first) + PiecePage.offset(store.segment(), store.pin(first), 0);
    assertEquals(-1, store.segment().asSlice(at, 5000).mismatch(segment(value(0, 5000))));
    again.structure().shared().epochs.exit(operation);
    again.verify();
  }

  /** A leaf that lies of a length does not have all of the heap taken for it. */
  @ParameterizedTest
  @EnumSource
  void aValueIsNoLongerThanAllPages(Kind kind) {
    BytesIndex index = kind.open(store);
    index.set(key(0), value(0, TEN_KB));
    MemorySegment memory = store.segment();
    long leaf = store.pin((int) store.meta()[PrefixStructure.ROOT]);
    long at = PageLayout.valueAt(memory, leaf, PageLayout.slot(memory, leaf, 0));
    for (int length : new int[] {-1, Integer.MIN_VALUE, BytesIndex.MAX_VALUE, 1 << 20}) {
      PageLayout.refer(memory, at, PageLayout.referredPage(memory, at), length);
      assertThrows(ConcurrentModificationException.class, () -> index.get(key(0)));
    }
  }

  /** Neither what has died, nor the page of the last one of a page. */
  @Test
  void whatHasDiedStaysAsItIsWhileAnOperationMayReadIt() {
    ConcurrentPrefixBPlusTree index = ConcurrentPrefixBPlusTree.open(store);
    for (int i = 0; i < 20; i++) {
      index.set(key(i), value(i, TEN_KB + 100 * i));
    }
    MemorySegment before =
        MemorySegment.ofArray(new long[(int) (store.usedBytes() / Long.BYTES)])
            .copyFrom(store.segment().asSlice(0, store.usedBytes()));
    PiecePage layout = new PiecePage(PAGE_BYTES);
    int operation = index.structure().shared().epochs.enter();
    int pages = store.pagesInUse();
    for (int i = 0; i < 60; i++) {
      index.delete(key(i));
      index.set(key(100 + i), value(i, 3000 + 90 * i));
    }
    for (int page = 1; page <= pages; page++) {
      long at = store.pin(page);
      int living = PiecePage.isMarked(before, at) ? PiecePage.living(before, at) : 0;
      for (int piece = 0; living >>> piece != 0; piece++) {
        if ((living >>> piece & 1) != 0) {
          assertTrue(layout.isSound(store.segment(), at, piece));
          long from = at + PiecePage.offset(before, at, piece);
          int length = PiecePage.length(before, at, piece);
          assertEquals(length, PiecePage.length(store.segment(), at, piece));
          assertEquals(
              -1, store.segment().asSlice(from, length).mismatch(before.asSlice(from, length)));
        }
      }
    }
    index.structure().shared().epochs.exit(operation);
    index.verify();
  }

  /** A word that lies about the open page must not lead to another value's being overwritten. */
  @ParameterizedTest
  @EnumSource
  void aPageThatIsNotSharedIsNotOpened(Kind kind) {
    byte[] zeros = new byte[PAGE_BYTES - 24];
    BytesIndex index = kind.open(store);
    index.set(key(0), zeros);
    index.set(key(1), value(1, 5000));
    long[] meta = store.meta();
    int open = (int) meta[PrefixStructure.OPEN];
    for (int page = 0; page <= store.pagesInUse() + 1; page++) {
      if (page != open && (page == 0 || store.isInUse(page))) {
        meta[PrefixStructure.OPEN] = page;
        BytesIndex again = kind.open(store);
        again.set(key(2), value(2, 5000));
        again.verify();
        assertArrayEquals(zeros, again.get(key(0)));
        assertArrayEquals(value(1, 5000), again.get(key(1)));
        assertArrayEquals(value(2, 5000), again.get(key(2)));
        again.delete(key(2));
      }
    }
  }

  /** Whoever verifies a tree for many threads may come between the two steps of a write. */
  @Test
  void valuesThatAreNotInTheTreeYetAreNotLost() {
    ConcurrentPrefixBPlusTree index = ConcurrentPrefixBPlusTree.open(store);
    index.set(key(0), value(0, 5000));
    int before = store.pagesInUse();
    PrefixSpace space = index.structure().shared();
    PlacedValue placed = space.place(2 * TEN_KB);
    index.verify();
    assertTrue(index.delete(key(0))); // The page has only what is not in the tree.
    index.verify();
    space.giveBack(placed);
    index.verify();
    index.set(key(0), value(0, 5000));
    index.delete(key(1));
    index.verify();
    assertTrue(store.pagesInUse() <= before + 1, () -> store.pagesInUse() + " of " + before);
  }

  @ParameterizedTest
  @EnumSource
  void aTreeThatWasClearedHasNoGaps(Kind kind) {
    BytesIndex index = kind.open(store);
    int count = 100;
    int[] lengths = new int[count];
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < count; i++) {
        put(index, lengths, i, round == 0 ? TEN_KB : 3000 + i);
      }
      for (int i = 0; i < count; i += 2) {
        index.delete(key(i));
        put(index, lengths, i + 1, TEN_KB);
        lengths[i] = 0;
      }
      check(index, lengths);
      index.clear();
      Arrays.fill(lengths, 0);
    }
  }

  /** Pages whose numbers are too high for references to pieces are not shared. */
  @Test
  void pagesWithHighNumbersHaveOneValueEach() {
    try (HighNumbers high = new HighNumbers(IndexOptions.DEFAULT.pagesInMemory(PAGE_BYTES))) {
      BytesIndex index = PrefixBPlusTree.open(high);
      int count = 40;
      int[] lengths = new int[count];
      for (int i = 0; i < count; i++) {
        put(index, lengths, i, TEN_KB * (1 + i % 3));
      }
      check(index, lengths);
      assertTrue(high.isInUse(PiecePage.MOST_PAGE + 10));
      for (int i = 0; i < count; i += 2) {
        put(index, lengths, i, TEN_KB + i);
      }
      check(index, lengths);
    }
  }

  /** Pages whose numbers begin a little below the highest that a reference has room for. */
  private static final class HighNumbers extends ForwardingPageStore {
    private static final int MORE = PiecePage.MOST_PAGE - 20;

    HighNumbers(MemoryPageStore store) {
      super(store);
    }

    @Override
    public int allocate() {
      return super.allocate() + MORE;
    }

    @Override
    public long pin(int page) {
      return super.pin(page - MORE);
    }

    @Override
    public long pinFresh(int page) {
      return super.pinFresh(page - MORE);
    }

    @Override
    public void free(int page) {
      super.free(page - MORE);
    }

    @Override
    public boolean isInUse(int page) {
      return super.isInUse(page - MORE);
    }
  }

  private static MemorySegment segment(byte[] bytes) {
    return MemorySegment.ofArray(bytes);
  }

  /** Only files that need it say so: releases before this one go on to open all others. */
  @ParameterizedTest
  @EnumSource
  void onlyTreesWithSharedPagesHaveTheStampOfThem(Kind kind) {
    BytesIndex index = kind.open(store);
    index.set(key(0), value(0, 100));
    assertEquals(PrefixStructure.OWN_STAMP, store.meta()[PrefixStructure.STAMP]);
    index.set(key(1), value(1, TEN_KB));
    assertEquals(PrefixStructure.STAMP_WITH_PIECES, store.meta()[PrefixStructure.STAMP]);
    index.clear();
    assertEquals(PrefixStructure.OWN_STAMP, store.meta()[PrefixStructure.STAMP]);
    index.set(key(1), value(1, TEN_KB));
    index.verify();
  }

  @ParameterizedTest
  @EnumSource
  void bulkloadSharesPages(Kind kind) {
    BytesIndex index = kind.open(store);
    int count = 300;
    Values refused = new Values(count);
    assertThrows(
        CancellationException.class, () -> index.bulkload(refused, 1, -1, (_, _) -> false));
    index.bulkload(new Values(count), 1, -1, ProgressListener.NONE);
    int[] lengths = new int[count];
    Arrays.fill(lengths, TEN_KB);
    check(index, lengths);
    assertTrue(pagesOf(count) < 0.69, () -> "pages of a value: " + pagesOf(count));
    put(index, lengths, 5, 3 * TEN_KB);
    check(index, lengths);
  }

  private static final class Values implements BytesEntrySource {
    private final int count;
    private int at = -1;

    Values(int count) {
      this.count = count;
    }

    @Override
    public boolean next() {
      return ++at < count;
    }

    @Override
    public MemorySegment key() {
      return segment(SharedValuePagesTest.key(at));
    }

    @Override
    public void value(ValueReader reader) {
      reader.read(segment(SharedValuePagesTest.value(at + TEN_KB, TEN_KB)), 0, TEN_KB, 0, TEN_KB);
    }

    @Override
    public long valueBytes() {
      return TEN_KB;
    }
  }
}
