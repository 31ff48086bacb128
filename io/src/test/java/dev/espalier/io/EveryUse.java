// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import dev.espalier.ProgressListener;
import dev.espalier.batch.BatchLookup;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.MemoryLimitException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Calls everything that there is to call on the indexes of a store whose pages may lie, and sorts
 * what they throw into what is documented and what is not.
 */
final class EveryUse {
  private final IndexStore store;
  private final String tree;
  private final Random random;
  private final int keys;

  /** What was thrown that says of damage. */
  final List<String> refusals = new ArrayList<>();

  /** What was thrown that must not be. */
  final List<Throwable> raw = new ArrayList<>();

  /**
   * Takes a store.
   *
   * @param keys keys are below this number, most of them
   */
  EveryUse(IndexStore store, String tree, int keys, Random random) {
    this.store = store;
    this.tree = tree;
    this.keys = keys;
    this.random = random;
  }

  /** Something that is called. */
  interface Call {
    void run() throws Exception;
  }

  /** Makes a call; what it throws is noted. Returns whether it threw nothing. */
  static boolean call(String what, Call call, List<String> refusals, List<Throwable> raw) {
    try {
      call.run();
      return true;
    } catch (PageFileException | InvariantViolationException documented) {
      refusals.add(what + ": " + documented);
    } catch (MemoryLimitException | UnsupportedOperationException full) {
      // As a page that says how many there are may have it.
    } catch (IllegalArgumentException otherTree) {
      if (!String.valueOf(otherTree.getMessage())
          .matches("(?s).*(can't be opened: |is to be opened before it is verified|named).*")) {
        raw.add(new AssertionError(what, otherTree));
      }
    } catch (IllegalStateException unusable) {
      if (!String.valueOf(unusable.getMessage())
          .matches(
              "(?s).*(takes no more changes|can't be used, because|is closed|was"
                  + " closed|bulkload).*")) {
        raw.add(new AssertionError(what, unusable));
      }
    } catch (Throwable undocumented) {
      raw.add(new AssertionError(what, undocumented));
    }
    return false;
  }

  private boolean call(String what, Call call) {
    return call(what, call, refusals, raw);
  }

  private long key() {
    return random.nextInt(8) == 0 ? random.nextLong() : random.nextInt(keys);
  }

  private long[] someKeys(int count) {
    return IntStream.range(0, count).mapToLong(_ -> key()).toArray();
  }

  private static void checkEnds(long steps) {
    assertTrue(steps < 1_000_000, "a scan goes on without an end");
  }

  // ---------------------------------------------------------------- read

  /** Reads in every way. */
  void read() {
    for (String name : List.of("a", "b")) {
      call("open " + name, () -> read(name));
    }
  }

  private void read(String name) {
    if (tree.equals(StoreBytesIndex.KIND)) {
      readStrings(store.bytesIndex(name));
    } else {
      readLongs(store.index(name));
    }
  }

  private void readLongs(LongIndex index) {
    for (int i = 0; i < 60; i++) {
      long key = i < 40 ? (long) i * keys / 40 : key();
      call("get", () -> index.get(key));
      call("getOrDefault", () -> index.getOrDefault(key, 3));
      call("find", () -> index.find(key, new long[1]));
      call("containsKey", () -> index.containsKey(key));
      call("ceilingEntry", () -> index.asMap().ceilingEntry(key));
    }
    for (int count : new int[] {1, 33, 300}) {
      long[] some = someKeys(count);
      call("getAll", () -> index.getAll(some, new long[count]));
      call("getAll found", () -> index.getAll(some, new long[count], new long[5]));
      call("batchLookup", () -> index.batchLookup().getAll(some, 0, new long[count], 0, count));
      for (ProbeMethod method : ProbeMethod.values()) {
        call("getAll by " + method, () -> getBy(method, index, some));
      }
      call("getAll segments", () -> getSegments(index, some));
    }
    call("costs", () -> BatchLookup.of(index).costs());
    LongCursor cursor = index.cursor();
    call("scan forwards", () -> scan(cursor, true));
    call("scan backwards", () -> scan(cursor, false));
    call("runs", () -> runs(index.cursor()));
    for (int i = 0; i < 20; i++) {
      long key = key();
      call("floor", () -> moved(cursor.floor(key), cursor));
      call("previous", () -> moved(cursor.previous(), cursor));
      call("ceiling", () -> moved(cursor.ceiling(key), cursor));
      call("next", () -> moved(cursor.next(), cursor));
      call("lower", () -> moved(cursor.lower(key), cursor));
      call("higher", () -> moved(cursor.higher(key), cursor));
      call("scanTo", () -> scanTo(cursor, key));
    }
    call("last", () -> moved(cursor.last(), cursor));
    call("countRange", () -> index.countRange(1, true, keys / 2, true));
    call("size", index::size);
    call("isEmpty", index::isEmpty);
    call("sizeEstimate", index::sizeEstimate);
    call("statistics", index::statistics);
    call("toString", index::toString);
    call("rootView", index::rootView);
    call("descending", () -> index.descendingView().cursor().first());
    call("locked", () -> index.withReadWriteLock().get(key()));
  }

  private static void getBy(ProbeMethod method, LongIndex index, long[] some) {
    BatchLookup lookup = BatchLookup.of(index);
    lookup.getAll(method, some, 0, new long[some.length], 0, some.length);
    lookup.getAll(method, some, 0, new long[some.length], 0, some.length, new long[5]);
  }

  private static void getSegments(LongIndex index, long[] some) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment values = arena.allocate(8L * some.length, 8);
      index.getAll(MemorySegment.ofArray(some), values);
    }
  }

  private static void moved(boolean isOnEntry, LongCursor cursor) {
    if (isOnEntry) {
      cursor.key();
      cursor.value();
    }
  }

  private static void scan(LongCursor cursor, boolean forwards) {
    boolean isOn = forwards ? cursor.first() : cursor.last();
    for (long steps = 0; isOn; steps++) {
      moved(true, cursor);
      isOn = forwards ? cursor.next() : cursor.previous();
      checkEnds(steps);
    }
  }

  private static void scanTo(LongCursor cursor, long key) {
    cursor.scanTo(key);
    for (int i = 0; i < 50 && cursor.next(); i++) {
      cursor.value();
    }
  }

  private static void runs(LongCursor cursor) {
    LongRun run = new LongRun();
    for (long steps = 0; cursor.nextRun(run); steps++) {
      run.key(0);
      run.value(run.count() - 1);
      checkEnds(steps);
    }
  }

  private void readStrings(BytesIndex index) {
    for (int i = 0; i < 60; i++) {
      byte[] key = StoredStrings.key(i < 40 ? (long) i * keys / 40 : key());
      MemorySegment whole = MemorySegment.ofArray(key);
      call("get", () -> index.get(key));
      call("get piecewise", () -> index.get(whole, (_, _, _, _, _) -> {}));
      call("get into", () -> index.get(whole, MemorySegment.ofArray(new byte[3_000])));
      call("containsKey", () -> index.containsKey(key));
    }
    for (int count : new int[] {1, 33, 300}) {
      PackedBytes some = packed(count);
      call("getAll", () -> index.getAll(some, (_, _, _, _, _, _) -> {}));
    }
    BytesCursor cursor = index.cursor();
    call("scan forwards", () -> scan(cursor, true));
    call("scan backwards", () -> scan(cursor, false));
    for (int i = 0; i < 20; i++) {
      MemorySegment key = MemorySegment.ofArray(StoredStrings.key(key()));
      call("floor", () -> moved(cursor.floor(key), cursor));
      call("previous", () -> moved(cursor.previous(), cursor));
      call("ceiling", () -> moved(cursor.ceiling(key), cursor));
      call("next", () -> moved(cursor.next(), cursor));
      call("lower", () -> moved(cursor.lower(key), cursor));
      call("higher", () -> moved(cursor.higher(key), cursor));
      call("scanTo", () -> cursor.scanTo(key));
      call("after scanTo", () -> moved(cursor.next(), cursor));
    }
    call("last", () -> moved(cursor.last(), cursor));
    byte[] from = StoredStrings.key(1);
    byte[] to = StoredStrings.key(keys / 2);
    call("countRange", () -> index.countRange(from, true, to, true));
    call("size", index::size);
    call("isEmpty", index::isEmpty);
    call("statistics", index::statistics);
    call("toString", index::toString);
    call("rootView", index::rootView);
    call("locked", () -> index.withReadWriteLock().get(from));
  }

  private PackedBytes packed(int count) {
    return PackedBytes.of(
        IntStream.range(0, count).mapToObj(_ -> StoredStrings.key(key())).toList());
  }

  private static void moved(boolean isOnEntry, BytesCursor cursor) {
    if (isOnEntry) {
      cursor.keyArray();
      cursor.key();
      cursor.valueBytes();
      cursor.valueArray();
      cursor.value((_, _, _, _, _) -> {});
    }
  }

  private static void scan(BytesCursor cursor, boolean forwards) {
    boolean isOn = forwards ? cursor.first() : cursor.last();
    for (long steps = 0; isOn; steps++) {
      moved(true, cursor);
      isOn = forwards ? cursor.next() : cursor.previous();
      checkEnds(steps);
    }
  }

  // ---------------------------------------------------------------- the whole

  /** Verifies. Returns whether all is sound. */
  boolean verify() {
    return call("verify", () -> store.verify(ProgressListener.NONE));
  }

  // ---------------------------------------------------------------- write

  /** Writes in every way, until the store takes no more. */
  void write() {
    for (String name : List.of("a", "b")) {
      for (int i = 0; i < 120 && call("write " + name, () -> write(name)); i++) {
        checkEnds(i);
      }
    }
    call("remove range", () -> index("a").removeRange(keys / 4, keys / 2));
    call("batch", this::writeBatch);
    call("clear", () -> index("b").clear());
    call("commit", () -> store.commit(new byte[] {7}));
    call("checkpoint", store::checkpoint);
    call("snapshot", this::readSnapshot);
    call("shrink", store::shrink);
  }

  private StoredIndex index(String name) {
    return StoredIndex.of(store, tree, name);
  }

  private void write(String name) {
    StoredIndex index = index(name);
    long key = key();
    switch (random.nextInt(9)) {
      case 0 -> index.set(key, random.nextInt(10_000));
      case 1 -> index.put(key, random.nextInt(10_000));
      case 2 -> index.putIfAbsent(key, random.nextInt(10_000));
      case 3, 4 -> index.delete(key);
      case 5 -> index.remove(key);
      case 6 -> index.putAll(someKeys(20), new long[20]);
      case 7 -> {
        StoredIndex.Place place = index.ceiling(key);
        if (place != null) {
          change(() -> place.setValue().accept(3));
        }
      }
      default -> {
        StoredIndex.Place place = index.ceiling(key);
        if (place != null) {
          change(place.remove());
        }
      }
    }
  }

  /**
   * Makes a change through a cursor. Where pages lie, a search may not find the entry that a cursor
   * shows; the cursor then takes it as removed, and says so as it does of any other such entry.
   */
  private static void change(Runnable change) {
    try {
      change.run();
    } catch (IllegalStateException gone) {
      if (!"the cursor is on no entry".equals(gone.getMessage())) {
        throw gone;
      }
    }
  }

  private void writeBatch() {
    WriteBatch batch = new WriteBatch();
    for (int i = 0; i < 20; i++) {
      index("a").addSet(batch, key(), i);
      index("b").addDelete(batch, key());
    }
    store.write(batch);
  }

  private void readSnapshot() {
    try (Snapshot snapshot = store.snapshot()) {
      StoredIndex.of(snapshot, tree, "a").verify();
    }
  }
}
