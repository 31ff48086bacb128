// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import dev.espalier.ProgressListener;
import dev.espalier.batch.BatchLookup;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.io.IndexStore;
import dev.espalier.io.PageFileException;
import dev.espalier.io.Snapshot;
import dev.espalier.io.WriteBatch;
import dev.espalier.memory.MemoryLimitException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Every call that there is on the indexes of a store whose pages may lie. What they throw is sorted
 * into what says of damage and what is not documented.
 */
final class EveryCall {
  /** No scan of these stores takes so many steps, unless it goes round in circles. */
  private static final int MOST_STEPS = 1_000_000;

  private static final int FIXED_KEYS = 40;
  private static final int LOOKUPS = 60;
  private static final int SEEKS = 20;
  private static final int WRITES = 120;
  private static final int[] BATCHES = {1, 33, 300};

  /** How an index says that it can't be opened, or was not. */
  private static final Pattern OTHER_TREE =
      Pattern.compile("can't be opened: |is to be opened before it is verified|named");

  /** How a store or an index says that it can't go on. */
  private static final Pattern UNUSABLE =
      Pattern.compile("takes no more changes|can't be used, because|is closed|was closed");

  /**
   * What a cursor says of an entry that was removed. Where pages lie, a search may not find the
   * entry that the cursor shows.
   */
  private static final String GONE = "the cursor is on no entry";

  private final SplittableRandom random;
  private final int keys;
  private final List<String> refusals = new ArrayList<>();
  private final List<Throwable> raw = new ArrayList<>();

  /**
   * Prepares.
   *
   * @param keys most keys that are asked for are below this number
   */
  EveryCall(SplittableRandom random, int keys) {
    this.random = random;
    this.keys = keys;
  }

  /** Returns what was thrown that says of damage. */
  List<String> refusals() {
    return refusals;
  }

  /** Returns what was thrown that is not documented, each with the call as its message. */
  List<Throwable> raw() {
    return raw;
  }

  /** A call. */
  interface Call {
    void run() throws Exception;
  }

  /**
   * Makes a call; what it throws is noted. Returns whether it threw nothing.
   *
   * @throws UncheckedIOException if the files can't be read or written as they are made
   */
  boolean call(String what, Call call) {
    try {
      call.run();
      return true;
    } catch (IOException device) {
      throw new UncheckedIOException(device);
    } catch (PageFileException | InvariantViolationException damage) {
      refusals.add(what + ": " + damage);
    } catch (MemoryLimitException | UnsupportedOperationException full) {
      // As a page that says how many there are may have it.
    } catch (IllegalArgumentException refused) {
      noteUnless(OTHER_TREE, what, refused);
    } catch (IllegalStateException refused) {
      noteUnless(UNUSABLE, what, refused);
    } catch (Exception | Error undocumented) {
      raw.add(new AssertionError(what, undocumented));
    }
    return false;
  }

  private void noteUnless(Pattern documented, String what, RuntimeException refused) {
    if (!documented.matcher(String.valueOf(refused.getMessage())).find()) {
      raw.add(new AssertionError(what, refused));
    }
  }

  private long key() {
    return random.nextInt(8) == 0 ? random.nextLong() : random.nextInt(keys);
  }

  private long[] someKeys(int count) {
    return IntStream.range(0, count).mapToLong(_ -> key()).toArray();
  }

  private static void checkEnds(long steps) {
    if (steps >= MOST_STEPS) {
      throw new AssertionError("a scan goes on without an end");
    }
  }

  // ---------------------------------------------------------------- read

  /** Reads an index in every way. */
  void read(LongIndex index) {
    for (int i = 0; i < LOOKUPS; i++) {
      long key = i < FIXED_KEYS ? (long) i * keys / FIXED_KEYS : key();
      call("get", () -> index.get(key));
      call("getOrDefault", () -> index.getOrDefault(key, 3));
      call("find", () -> index.find(key, new long[1]));
      call("containsKey", () -> index.containsKey(key));
      call("ceilingEntry", () -> index.asMap().ceilingEntry(key));
    }
    for (int count : BATCHES) {
      readBatch(index, someKeys(count));
    }
    call("costs", () -> BatchLookup.of(index).costs());
    readByCursors(index);
    call("countRange", () -> index.countRange(1, true, keys / 2, true));
    call("size", index::size);
    call("isEmpty", index::isEmpty);
    call("sizeEstimate", index::sizeEstimate);
    call("statistics", index::statistics);
    call("toString", () -> Objects.requireNonNull(index.toString()));
    call("rootView", index::rootView);
    call("descendingView", () -> index.descendingView().cursor().first());
    call("withReadWriteLock", () -> index.withReadWriteLock().get(key()));
  }

  private void readBatch(LongIndex index, long[] some) {
    int count = some.length;
    int words = (count + 63) / 64;
    call("getAll", () -> index.getAll(some, new long[count]));
    call("getAll with presence", () -> index.getAll(some, new long[count], new long[words]));
    call("batchLookup", () -> index.batchLookup().getAll(some, 0, new long[count], 0, count));
    for (ProbeMethod method : ProbeMethod.values()) {
      call(
          "getAll by " + method,
          () -> BatchLookup.of(index).getAll(method, some, 0, new long[count], 0, count));
      call(
          "getAll with presence by " + method,
          () ->
              BatchLookup.of(index)
                  .getAll(method, some, 0, new long[count], 0, count, new long[words]));
    }
    call("getAll of a segment", () -> readSegment(index, some));
  }

  private static void readSegment(LongIndex index, long[] some) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment probes = arena.allocateFrom(ValueLayout.JAVA_LONG, some);
      index.getAll(probes, arena.allocate(ValueLayout.JAVA_LONG, some.length));
    }
  }

  private void readByCursors(LongIndex index) {
    LongCursor cursor = index.cursor();
    call("a scan forwards", () -> scan(cursor, true));
    call("a scan backwards", () -> scan(cursor, false));
    call("nextRun", () -> runs(index.cursor()));
    for (int i = 0; i < SEEKS; i++) {
      long key = key();
      call("floor", () -> look(cursor.floor(key), cursor));
      call("previous", () -> look(cursor.previous(), cursor));
      call("ceiling", () -> look(cursor.ceiling(key), cursor));
      call("next", () -> look(cursor.next(), cursor));
      call("lower", () -> look(cursor.lower(key), cursor));
      call("higher", () -> look(cursor.higher(key), cursor));
      call("scanTo", () -> cursor.scanTo(key));
      call("next after scanTo", () -> look(cursor.next(), cursor));
    }
    call("last", () -> look(cursor.last(), cursor));
  }

  private static void look(boolean isOnEntry, LongCursor cursor) {
    if (isOnEntry) {
      cursor.key();
      cursor.value();
    }
  }

  private static void scan(LongCursor cursor, boolean forwards) {
    boolean isOn = forwards ? cursor.first() : cursor.last();
    for (long steps = 0; isOn; steps++) {
      look(true, cursor);
      isOn = forwards ? cursor.next() : cursor.previous();
      checkEnds(steps);
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

  /** Verifies a store with all its indexes. Returns whether it is sound. */
  boolean verify(IndexStore store) {
    return call("verify", () -> store.verify(ProgressListener.NONE));
  }

  // ---------------------------------------------------------------- write

  /** Writes to two indexes of a store in every way, until they take no more. */
  void write(IndexStore store, LongIndex first, LongIndex second) {
    write(first);
    write(second);
    call("removeRange", () -> first.removeRange(keys / 4, true, keys / 2, true));
    call("a batch over both", () -> writeBatch(store, first, second));
    call("clear", second::clear);
    call("commit", () -> store.commit(new byte[] {7}));
    call("checkpoint", store::checkpoint);
    call("a snapshot", () -> readSnapshot(store));
    call("shrink", store::shrink);
  }

  private void write(LongIndex index) {
    boolean goesOn = true;
    for (int i = 0; i < WRITES && goesOn; i++) {
      goesOn = writeOnce(index);
    }
  }

  private boolean writeOnce(LongIndex index) {
    long key = key();
    long value = random.nextInt(10_000);
    return switch (random.nextInt(9)) {
      case 0 -> call("set", () -> index.set(key, value));
      case 1 -> call("put", () -> index.put(key, value));
      case 2 -> call("putIfAbsent", () -> index.putIfAbsent(key, value));
      case 3, 4 -> call("delete", () -> index.delete(key));
      case 5 -> call("remove", () -> index.remove(key));
      case 6 -> call("putAll", () -> index.putAll(someKeys(20), new long[20]));
      case 7 -> call("setValue of a cursor", () -> change(index.cursor(), key, false));
      default -> call("remove of a cursor", () -> change(index.cursor(), key, true));
    };
  }

  private static void change(LongCursor cursor, long from, boolean isRemoval) {
    if (!cursor.ceiling(from)) {
      return;
    }
    try {
      if (isRemoval) {
        cursor.remove();
      } else {
        cursor.setValue(3);
      }
    } catch (IllegalStateException gone) {
      if (!GONE.equals(gone.getMessage())) {
        throw gone;
      }
    }
  }

  private void writeBatch(IndexStore store, LongIndex first, LongIndex second) {
    WriteBatch batch = new WriteBatch();
    for (int i = 0; i < 20; i++) {
      batch.set(first, key(), i);
      batch.delete(second, key());
    }
    store.write(batch);
  }

  private static void readSnapshot(IndexStore store) {
    try (Snapshot snapshot = store.snapshot()) {
      for (String name : snapshot.names()) {
        snapshot.index(name).verify();
      }
    }
  }
}
