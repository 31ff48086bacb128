// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.PackedBytes;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Writes of byte strings whose records can't get into the log, since the test holds its lock: no
 * reader sees them, and after a power loss they are there if they were committed.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SeenStringsTest {
  private static final byte[] KEY = {1};
  private static final byte[] NEW_KEY = {2};
  private static final byte[] OLD = {10};

  /** In the page, and in pages of its own. */
  private static final List<byte[]> VALUES = List.of(new byte[] {20}, new byte[3_000]);

  /** What each write changes: that of a key, to another value or to none. */
  enum Write {
    PUT(KEY, true, (index, value) -> index.put(KEY, value)),
    SET(KEY, true, (index, value) -> index.set(KEY, value)),
    SET_BY_A_CURSOR(KEY, true, onKey(BytesCursor::setValue)),
    PUT_OF_A_NEW_KEY(NEW_KEY, true, (index, value) -> index.put(NEW_KEY, value)),
    PUT_IF_ABSENT(NEW_KEY, true, (index, value) -> index.putIfAbsent(NEW_KEY, value)),
    REMOVE(KEY, false, (index, _) -> index.remove(KEY)),
    REMOVE_BY_A_CURSOR(KEY, false, onKey((cursor, _) -> cursor.remove())),
    DELETE(KEY, false, (index, _) -> index.delete(KEY)),
    PUT_ALL(
        KEY,
        true,
        (index, value) ->
            index.putAll(
                PackedBytes.of(List.of(KEY, NEW_KEY)), PackedBytes.of(List.of(value, value)))),
    REMOVE_RANGE(KEY, false, (index, _) -> index.removeRange(KEY, true, NEW_KEY, true)),
    CLEAR(KEY, false, (index, _) -> index.clear()),
    BATCH(KEY, true, null),
    BATCH_THAT_REMOVES(KEY, false, null);

    private final byte[] key;
    private final boolean stores;
    private final @Nullable BiConsumer<BytesIndex, byte[]> write;

    Write(byte[] key, boolean stores, @Nullable BiConsumer<BytesIndex, byte[]> write) {
      this.key = key;
      this.stores = stores;
      this.write = write;
    }

    private static BiConsumer<BytesIndex, byte[]> onKey(
        BiConsumer<BytesCursor, MemorySegment> write) {
      return (index, value) -> {
        BytesCursor cursor = index.cursor();
        assertTrue(cursor.ceiling(MemorySegment.ofArray(KEY)));
        write.accept(cursor, MemorySegment.ofArray(value));
      };
    }

    private void make(IndexStore store, BytesIndex index, byte[] value) {
      if (write != null) {
        write.accept(index, value);
      } else if (stores) {
        store.write(new WriteBatch().set(index, KEY, value));
      } else {
        store.write(new WriteBatch().delete(index, KEY));
      }
    }
  }

  private final SimulatedDisk disk = DiskTrials.disk(1);

  private IndexStore open(Set<Rule> without) {
    StoreOptions options = StoreOptions.DEFAULT.withSegmentBytes(32 << 10);
    StoreEnvironment environment =
        new StoreEnvironment(disk, new SplittableRandom(1), false, false, without);
    return new StoreOpening(SimulatedDisk.path("store"), options, environment).open();
  }

  /** Makes a write while the log takes none, and then lets it; tells what is seen meanwhile. */
  private static void write(
      IndexStore store, Write write, byte[] value, Consumer<byte @Nullable []> seen)
      throws InterruptedException {
    BytesIndex index = store.bytesIndex("a");
    index.set(KEY, OLD);
    store.commit();
    Log log = store.state().log;
    LogPlaces places = log.end.places;
    log.lock.lock();
    int[] fillers = IntStream.range(0, places.fillers()).map(_ -> places.enter()).toArray();
    Thread writer;
    try {
      writer = Thread.ofPlatform().start(() -> write.make(store, index, value));
      while (writer.getState() != Thread.State.WAITING) {
        assertTrue(writer.isAlive(), "has to wait for the log");
        Thread.onSpinWait();
      }
      seen.accept(index.get(write.key));
    } finally {
      IntStream.of(fillers).forEach(places::leave);
      log.lock.unlock();
    }
    writer.join();
  }

  private static byte @Nullable [] before(Write write) {
    return Arrays.equals(write.key, KEY) ? OLD : null;
  }

  private static byte @Nullable [] after(Write write, byte[] value) {
    return write.stores ? value : null;
  }

  @ParameterizedTest
  @EnumSource
  void noReaderSeesWhatTheLogDoesNotHave(Write write) throws InterruptedException {
    for (byte[] value : VALUES) {
      IndexStore store = open(Set.of());
      write(store, write, value, seen -> assertArrayEquals(before(write), seen));
      assertArrayEquals(after(write, value), store.bytesIndex("a").get(write.key));
      store.commit();
      disk.losePower();
      try {
        store.close();
      } catch (PageFileException | PowerLostException lost) {
        // It can't say farewell.
      }
      disk.restart(CrashPlan.NOTHING);
      try (IndexStore again = open(Set.of())) {
        assertArrayEquals(after(write, value), again.bytesIndex("a").get(write.key));
        again.bytesIndex("a").clear();
        assertEquals(0, again.bytesIndex("a").size());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void otherwiseReadersSeeItFirst(Write write) throws InterruptedException {
    for (byte[] value : VALUES) {
      try (IndexStore store = open(Set.of(Rule.READERS_SEE_WHAT_IS_LOGGED))) {
        write(store, write, value, seen -> assertArrayEquals(after(write, value), seen));
        store.bytesIndex("a").clear();
      }
    }
  }
}
