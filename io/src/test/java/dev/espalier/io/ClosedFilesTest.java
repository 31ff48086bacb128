// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.Faults.Operation;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How long the file of a store is that was closed, and what closing does for that. */
class ClosedFilesTest {
  private static final int BYTES = 10_000;

  /** Values of the tests that do not count bytes: enough that closing moves some. */
  private static final int FEW = 600;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final Faults faults = new Faults();

  private StoreOptions options = StoreOptions.DEFAULT.withCheckpointTime(Duration.ofHours(1));

  private IndexStore open() {
    return open(faults.over(PageFiles.CACHED));
  }

  private IndexStore open(PageFileOpener engine) {
    return new StoreOpening(path(), options, Stores.environment(engine)).open();
  }

  private Path path() {
    return folder.resolve("store");
  }

  private static byte[] key(int i) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
  }

  private static byte[] value(int number, int bytes) {
    byte[] value = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      value[i] = (byte) (number * 7 + i * 31 + (i >>> 8));
    }
    return value;
  }

  private static void set(BytesIndex index, int[] order, int more) {
    for (int i : order) {
      index.set(key(i), value(i + more, BYTES));
    }
  }

  private static void check(BytesIndex index, int count, int more) {
    for (int i = 0; i < count; i++) {
      assertArrayEquals(value(i + more, BYTES), index.get(key(i)));
    }
  }

  private static int[] shuffled(int count) {
    return new SplittableRandom(84).ints(0, count).distinct().limit(count).toArray();
  }

  private static int[] inOrder(int count) {
    return IntStream.range(0, count).toArray();
  }

  private double spent(int count, int bytes) {
    return (double) path().toFile().length() / ((double) count * bytes);
  }

  // ---------------------------------------------------------------- how long

  /**
   * The checkpoint before the last has a page of each value, and so has the last one: twice as much
   * as is in use.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aFileIsNotLongBecauseAllValuesWereOverwritten(int rounds) {
    int count = TestSize.of(2000, 10_000);
    int[] order = shuffled(count);
    try (IndexStore store = open()) {
      set(store.bytesIndex("a"), order, 0);
      store.checkpoint();
      for (int round = 1; round <= rounds; round++) {
        set(store.bytesIndex("a"), shuffled(count), round);
        if (round < rounds) {
          store.checkpoint();
        }
      }
    }
    assertTrue(spent(count, BYTES) < 1.5, () -> "file over values: " + spent(count, BYTES));
    try (IndexStore store = open()) {
      check(store.bytesIndex("a"), count, rounds);
      store.verify();
    }
  }

  /** A pool of which pages are written all the while has them anywhere in the file. */
  @ParameterizedTest
  @CsvSource({"5000, 1.5", "10000, 1.5", "100000, 1.5"})
  void norIsOneOfAStoreThatIsLargerThanItsPool(int bytes, double most) {
    options = options.withFiles(FileOptions.DEFAULT.withPoolBytes(4 << 20));
    int count = TestSize.of(20_000_000, 100_000_000) / bytes;
    SplittableRandom random = new SplittableRandom(5);
    try (IndexStore store = open()) {
      BytesIndex index = store.bytesIndex("a");
      for (int i : shuffled(count)) {
        index.set(key(i), value(i, bytes));
      }
    }
    try (IndexStore store = open()) {
      BytesIndex index = store.bytesIndex("a");
      for (int i = 0; i < count; i++) {
        int at = random.nextInt(count);
        index.set(key(at), value(at, bytes));
      }
    }
    assertTrue(spent(count, bytes) < most, () -> "file over values: " + spent(count, bytes));
  }

  /** Makes a store of which half is free, and the free half comes first. */
  private void makeSparse() {
    IndexStore store = open();
    try {
      set(store.bytesIndex("a"), inOrder(FEW), 0);
      store.checkpoint();
      set(store.bytesIndex("a"), inOrder(FEW), 1);
      store.checkpoint();
    } finally {
      store.close();
    }
  }

  /** Whoever has written little does not wait for much to be moved. */
  @Test
  void noMoreIsMovedThanWasLogged() {
    IndexStore store = open();
    set(store.bytesIndex("a"), inOrder(FEW), 0);
    store.checkpoint();
    set(store.bytesIndex("a"), inOrder(FEW), 1);
    store.checkpoint();
    long length = store.statistics().fileBytes();
    Path copy = folder.resolve("copy");
    assertTrue(length > 2L * FEW * BYTES, "bytes " + length);
    copyTo(copy);
    store.close();
    long closed = path().toFile().length();
    assertTrue(closed < 1.5 * FEW * BYTES, "bytes " + closed);
    try (IndexStore again =
        new StoreOpening(copy.resolve("store"), options, Stores.environment(PageFiles.CACHED))
            .open()) {
      again.bytesIndex("a").set(key(0), value(0, BYTES));
    }
    long unmoved = copy.resolve("store").toFile().length();
    assertTrue(unmoved > length - (4 << 20), unmoved + " of " + length);
  }

  private void copyTo(Path copy) {
    try {
      Stores.copy(folder, copy);
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }

  // ---------------------------------------------------------------- crashes and failures

  /** Copies the files before each of its operations, and opens each copy. */
  @Test
  void aKillWhileAStoreIsClosedLosesNothing() {
    options = options.withFiles(FileOptions.DEFAULT.withPoolBytes(32 << 20));
    Images images = new Images();
    IndexStore store = open(images.over(PageFiles.CACHED));
    set(store.bytesIndex("a"), inOrder(FEW), 0);
    store.checkpoint();
    set(store.bytesIndex("a"), inOrder(FEW), 1);
    store.commit();
    images.areTaken = true;
    store.close();
    assertTrue(path().toFile().length() < 1.5 * FEW * BYTES);
    assertTrue(images.count > 20, images.count + " images");
  }

  /** Opens copies of the store as it is before writes, forces and truncations. */
  private final class Images {
    /** One in so many is opened. */
    private static final int EACH = 5;

    private boolean areTaken;
    private int count;

    PageFileOpener over(PageFileOpener engine) {
      return (path, access, blockBytes) ->
          new PageFileAround(engine.open(path, access, blockBytes)) {
            @Override
            public void startWrite(IoBatch batch) {
              take();
              super.startWrite(batch);
            }

            @Override
            public void force() {
              take();
              super.force();
            }

            @Override
            public void truncate(long bytes) {
              take();
              super.truncate(bytes);
            }
          };
    }

    private void take() {
      if (!areTaken) {
        return;
      }
      if (count++ % EACH != 0) {
        return;
      }
      Path copy = folder.resolve("copy");
      copyTo(copy);
      StoreEnvironment environment = Stores.environment(PageFiles.CACHED);
      try (IndexStore store =
          new StoreOpening(copy.resolve("store"), options, environment).open()) {
        store.verify();
        check(store.bytesIndex("a"), FEW, 1);
      }
    }
  }

  private IndexStore open(SimulatedDisk disk, long seed) {
    StoreEnvironment environment =
        new StoreEnvironment(disk, new SplittableRandom(seed), seed % 3 == 2, false);
    return new StoreOpening(SimulatedDisk.path("store"), options, environment).open();
  }

  /** Fills a store and closes it; returns the operations of the disk before the closing. */
  private long live(SimulatedDisk disk, long seed) {
    IndexStore store = open(disk, seed);
    try {
      set(store.bytesIndex("a"), inOrder(FEW), 0);
      store.checkpoint();
      set(store.bytesIndex("a"), inOrder(FEW), 1);
      store.commit();
      return disk.operations();
    } finally {
      store.close();
    }
  }

  @Test
  void aPowerLossWhileAStoreIsClosedLosesNothing() {
    options = options.withFiles(FileOptions.DEFAULT.withPoolBytes(32 << 20));
    SimulatedDisk whole = DiskTrials.disk(1);
    long before = live(whole, 1);
    long operations = whole.operations() - before;
    int crashes = TestSize.of(4, 16);
    assertTrue(operations > 2L * crashes, "operations " + operations);
    for (int crash = 0; crash < crashes; crash++) {
      long seed = 3L * crash + 1; // As the first, slots are taken in order.
      SimulatedDisk disk = DiskTrials.disk(seed);
      // Most of what is done last is done after pages were moved.
      disk.restart(CrashPlan.at(before + operations - 1 - 2L * crash, seed));
      assertThrows(RuntimeException.class, () -> live(disk, seed));
      assertTrue(disk.crashed());
      disk.restart(CrashPlan.NOTHING);
      try (IndexStore store = open(disk, seed)) {
        store.verify();
        check(store.bytesIndex("a"), FEW, 1);
      }
    }
  }

  /** The device fails at any operation: closing says so, and nothing is lost. */
  @ParameterizedTest
  @ValueSource(ints = {Errno.EIO, Errno.ENOSPC})
  void aFailureWhileAStoreIsClosedLosesNothing(int errno) throws IOException {
    boolean hasFailed = true;
    for (int number = 1; hasFailed; number = Faults.next(number)) {
      for (Path file : IndexStore.files(path())) {
        Files.delete(file);
      }
      IndexStore store = open();
      set(store.bytesIndex("a"), inOrder(FEW), 0);
      store.checkpoint();
      set(store.bytesIndex("a"), inOrder(FEW), 1);
      store.commit();
      faults.failFrom(number, errno, Operation.WRITE, Operation.FORCE, Operation.GROW);
      try {
        store.close();
      } catch (PageFileException failed) {
        assertTrue(faults.counted() >= number);
      }
      assertTrue(store.isClosed());
      hasFailed = faults.counted() >= number;
      faults.heal();
      try (IndexStore again = open()) {
        check(again.bytesIndex("a"), FEW, 1);
        again.verify();
      }
    }
  }

  /** It is closed all the same, and those who read the page are told. */
  @Test
  void aDamagedPageThatWouldBeMovedStaysWhereItIs() throws IOException {
    long position;
    int pageBytes;
    try (IndexStore store = open()) {
      set(store.bytesIndex("a"), inOrder(FEW), 0);
      store.checkpoint();
      set(store.bytesIndex("a"), inOrder(FEW), 1);
      store.checkpoint();
      SlotPageStore pages = store.state().open.get("a").pages();
      SlotSpace.Account account = store.state().space.account();
      pageBytes = pages.pageBytes();
      int last = 0;
      for (int page = 1; page <= store.state().indexes.get("a").numbers.top(); page++) {
        last = Math.max(last, store.state().indexes.get("a").map.slot(page));
      }
      assertTrue(last > account.room() / 2, last + " of " + account.room());
      position = (long) last * pageBytes;
      try (RandomAccessFile file = new RandomAccessFile(path().toFile(), "rw")) {
        file.seek(position + 5000);
        file.write(new byte[5000]);
      }
    }
    assertEquals(List.of(path()), IndexStore.files(path()));
    try (IndexStore store = open()) {
      assertThrows(CorruptPageException.class, () -> check(store.bytesIndex("a"), FEW, 1));
      assertThrows(RuntimeException.class, store::verify);
    }
  }

  @Test
  void aStoreThatWasMadeShorterAtItsCloseGoesOn() {
    makeSparse();
    long length = path().toFile().length();
    assertTrue(length < 1.5 * FEW * BYTES, "bytes " + length);
    for (int round = 2; round < 4; round++) {
      try (IndexStore store = open()) {
        check(store.bytesIndex("a"), FEW, round - 1);
        set(store.bytesIndex("a"), shuffled(FEW), round);
        store.verify();
      }
      assertTrue(path().toFile().length() < 1.5 * FEW * BYTES);
    }
    assertEquals(0, faults.counted());
  }
}
