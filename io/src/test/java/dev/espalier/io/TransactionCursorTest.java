// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.LongNavigable;
import dev.espalier.TestSize;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.BytesNavigable;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cursors of transactions that move again and again: they remember what they have looked at. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TransactionCursorTest {
  private static final int KEYS = 30;
  private static final int STEPS = 1_500;

  private IndexStore store;

  @BeforeEach
  void open() {
    StoreEnvironment environment =
        new StoreEnvironment(DiskTrials.disk(1), new SplittableRandom(1), false, false);
    store = new StoreOpening(SimulatedDisk.path("store"), StoreOptions.DEFAULT, environment).open();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static byte[] key(int... bytes) {
    byte[] key = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      key[i] = (byte) bytes[i];
    }
    return key;
  }

  private static MemorySegment segment(int... bytes) {
    return MemorySegment.ofArray(key(bytes));
  }

  // ---------------------------------------------------------------- back to a bound

  private static void assertIsAt(long key, boolean found, LongCursor cursor) {
    assertTrue(found);
    assertEquals(key, cursor.key());
  }

  private static void assertIsAt(byte[] key, boolean found, BytesCursor cursor) {
    assertTrue(found);
    assertArrayEquals(key, cursor.keyArray());
  }

  @Test
  void viewsAreWalkedTwiceByOneCursor() {
    LongIndex index = store.index("a");
    index.set(10, 1);
    index.set(20, 2);
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      LongIndex own = transaction.index("a");
      LongCursor tail = own.tailView(10, true).cursor();
      assertIsAt(10, tail.first(), tail);
      assertIsAt(20, tail.next(), tail);
      assertIsAt(10, tail.first(), tail);
      for (LongNavigable view :
          List.of(own.subView(10, true, 10, true), own.subView(20, true, 20, true))) {
        LongCursor cursor = view.cursor();
        List<Long> keys = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
          while (cursor.next()) {
            keys.add(cursor.key());
          }
          while (cursor.previous()) {
            keys.add(cursor.key());
          }
        }
        assertEquals(4, keys.size(), keys.toString());
      }
    }
  }

  @Test
  void viewsOfByteStringsAreWalkedTwiceByOneCursor() {
    BytesIndex index = store.bytesIndex("a");
    index.set(key(10), key());
    index.set(key(20), key());
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      BytesIndex own = transaction.bytesIndex("a");
      BytesCursor tail = own.tailView(key(10), true).cursor();
      assertIsAt(key(10), tail.first(), tail);
      assertIsAt(key(20), tail.next(), tail);
      assertIsAt(key(10), tail.first(), tail);
      for (BytesNavigable view :
          List.of(
              own.subView(key(10), true, key(10), true),
              own.subView(key(20), true, key(20), true))) {
        BytesCursor cursor = view.cursor();
        int found = 0;
        for (int i = 0; i < 2; i++) {
          while (cursor.next()) {
            found++;
          }
          while (cursor.previous()) {
            found++;
          }
        }
        assertEquals(4, found);
      }
    }
  }

  @Test
  void theEmptyKeyIsFoundAgain() {
    BytesIndex index = store.bytesIndex("a");
    index.set(key(), key(1));
    index.set(key(1), key(2));
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      BytesCursor cursor = transaction.bytesIndex("a").cursor();
      assertIsAt(key(), cursor.first(), cursor);
      assertIsAt(key(1), cursor.next(), cursor);
      assertIsAt(key(), cursor.first(), cursor);
    }
  }

  @Test
  void theLargestKeyIsFoundAgain() {
    LongIndex index = store.index("a");
    index.set(Long.MAX_VALUE, 1);
    index.set(0, 2);
    index.set(Long.MIN_VALUE, 3);
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      LongCursor cursor = transaction.index("a").cursor();
      assertIsAt(Long.MAX_VALUE, cursor.last(), cursor);
      assertIsAt(0, cursor.previous(), cursor);
      assertIsAt(Long.MAX_VALUE, cursor.last(), cursor);
      assertIsAt(Long.MIN_VALUE, cursor.first(), cursor);
      assertIsAt(0, cursor.next(), cursor);
      assertIsAt(Long.MIN_VALUE, cursor.first(), cursor);
    }
  }

  // ---------------------------------------------------------------- savepoints

  @Test
  void anEntryWhoseRemovalIsTakenBackIsFound() {
    LongIndex index = store.index("a");
    index.set(10, 1);
    index.set(20, 2);
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      LongIndex own = transaction.index("a");
      LongCursor up = own.cursor();
      LongCursor down = own.cursor();
      Savepoint savepoint = transaction.savepoint();
      own.delete(10);
      own.delete(20);
      assertFalse(up.ceiling(10));
      assertFalse(down.floor(20));
      transaction.rollbackTo(savepoint);
      assertIsAt(10, up.ceiling(10), up);
      assertIsAt(20, down.floor(20), down);
    }
  }

  @Test
  void aByteStringWhoseRemovalIsTakenBackIsFound() {
    BytesIndex index = store.bytesIndex("a");
    index.set(key(10), key(1));
    index.set(key(20), key(2));
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      BytesIndex own = transaction.bytesIndex("a");
      BytesCursor up = own.cursor();
      BytesCursor down = own.cursor();
      Savepoint savepoint = transaction.savepoint();
      own.delete(key(10));
      own.delete(key(20));
      assertFalse(up.ceiling(segment(10)));
      assertFalse(down.floor(segment(20)));
      transaction.rollbackTo(savepoint);
      assertIsAt(key(10), up.ceiling(segment(10)), up);
      assertIsAt(key(20), down.floor(segment(20)), down);
    }
  }

  @Test
  void aCursorDoesNotWriteToAnEntryThatWasTakenBack() {
    store.bytesIndex("a").set(key(20), key(2));
    store.index("longs").set(20, 2);
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      BytesIndex own = transaction.bytesIndex("a");
      LongIndex longs = transaction.index("longs");
      Savepoint savepoint = transaction.savepoint();
      own.set(key(10), key(1));
      own.set(key(20), key(3));
      longs.set(10, 1);
      BytesCursor cursor = own.cursor();
      BytesCursor stays = own.cursor();
      LongCursor ofLongs = longs.cursor();
      assertIsAt(key(10), cursor.first(), cursor);
      assertIsAt(key(20), stays.last(), stays);
      assertIsAt(10, ofLongs.first(), ofLongs);
      transaction.rollbackTo(savepoint);
      assertThrows(IllegalStateException.class, () -> cursor.setValue(segment(9)));
      assertThrows(IllegalStateException.class, cursor::remove);
      assertThrows(IllegalStateException.class, () -> ofLongs.setValue(9));
      assertThrows(IllegalStateException.class, ofLongs::remove);
      stays.setValue(segment(9));
      transaction.commit();
    }
    BytesIndex index = store.bytesIndex("a");
    assertEquals(1, index.size());
    assertArrayEquals(key(9), index.get(key(20)));
    assertEquals(1, store.index("longs").size());
  }

  // ---------------------------------------------------------------- a random walk

  /** A cursor that moves at random while its transaction and others write. */
  private static final class Walk {
    private final String tree;
    private final SplittableRandom random;
    private final IndexStore store;
    private final Transaction transaction;
    private final LongIndex own;
    private final LongCursor cursor;
    private final TreeMap<Long, Long> model;

    /** Where the cursor is, or was when its entry was removed; null if it is nowhere. */
    private @Nullable Long place;

    private boolean isOnEntry;
    private @Nullable Savepoint savepoint;
    private TreeMap<Long, Long> then = new TreeMap<>();

    Walk(IndexStore store, String tree, long seed) {
      this.tree = tree;
      this.random = new SplittableRandom(seed);
      this.store = store;
      LongIndex index = AsLongs.of(store, tree, "a");
      for (long key = 0; key < KEYS; key++) {
        if (random.nextBoolean()) {
          index.set(key, -key);
        }
      }
      this.model = AsLongs.entries(index);
      this.transaction = store.begin(Isolation.SNAPSHOT);
      this.own = AsLongs.of(transaction, tree, "a");
      this.cursor = own.cursor();
    }

    void run() {
      try (transaction) {
        for (int i = 0; i < STEPS; i++) {
          step(i);
        }
      }
    }

    private void step(int i) {
      long key = random.nextInt(KEYS);
      // A search from where the cursor is finds out what it remembers.
      long from = place != null && random.nextBoolean() ? place : key;
      switch (random.nextInt(16)) {
        case 0 -> arrive("first", cursor.first(), model.firstEntry());
        case 1 -> arrive("last", cursor.last(), model.lastEntry());
        case 2, 3 -> arrive("ceiling " + from, cursor.ceiling(from), model.ceilingEntry(from));
        case 4 -> arrive("higher " + from, cursor.higher(from), model.higherEntry(from));
        case 5, 6 -> arrive("floor " + from, cursor.floor(from), model.floorEntry(from));
        case 7 -> arrive("lower " + from, cursor.lower(from), model.lowerEntry(from));
        case 8, 9 -> {
          Long now = place;
          arrive("next", cursor.next(), now == null ? model.firstEntry() : model.higherEntry(now));
        }
        case 10, 11 -> {
          Long now = place;
          arrive(
              "previous",
              cursor.previous(),
              now == null ? model.lastEntry() : model.lowerEntry(now));
        }
        case 12 -> {
          own.set(key, i);
          model.put(key, (long) i);
        }
        case 13 -> {
          own.delete(key);
          model.remove(key);
        }
        case 14 -> {
          if (random.nextInt(3) > 0) {
            commitOther(key, i);
          } else {
            goBack();
          }
        }
        default -> writeByCursor(i);
      }
    }

    private void arrive(String how, boolean found, Map.@Nullable Entry<Long, Long> expected) {
      Map.Entry<Long, Long> at = found ? Map.entry(cursor.key(), cursor.value()) : null;
      assertEquals(expected, at, how);
      isOnEntry = found;
      place = found ? cursor.key() : null;
    }

    private void commitOther(long key, long value) {
      try (Transaction other = store.begin(Isolation.SNAPSHOT)) {
        LongIndex theirs = AsLongs.of(other, tree, "a");
        theirs.set(key, -1_000 - value);
        theirs.delete(random.nextInt(KEYS));
        other.commit();
      }
    }

    private void goBack() {
      if (savepoint == null) {
        savepoint = transaction.savepoint();
        then = new TreeMap<>(model);
      } else {
        transaction.rollbackTo(savepoint);
        model.clear();
        model.putAll(then);
      }
    }

    private void writeByCursor(long value) {
      Long at = place;
      if (!isOnEntry || at == null) {
        return;
      }
      boolean isThere = model.containsKey(at);
      try {
        if (random.nextBoolean()) {
          cursor.setValue(value);
          model.put(at, value);
        } else {
          cursor.remove();
          model.remove(at);
          isOnEntry = false;
        }
        assertTrue(isThere, () -> "written to " + at + ", which is not there");
      } catch (IllegalStateException gone) {
        assertFalse(isThere, () -> "not written to " + at + ", which is there");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"FpbLinkTree", StoreBytesIndex.KIND})
  void aWalkShowsWhatAMapDoes(String tree) {
    for (long seed : TestSize.seeds(tree, 20, 200)) {
      store.drop("a");
      try {
        new Walk(store, tree, seed).run();
      } catch (AssertionError failed) {
        throw new AssertionError("seed " + seed + ": " + failed.getMessage(), failed);
      }
    }
  }
}
