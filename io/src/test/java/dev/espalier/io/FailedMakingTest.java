// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whichever operation fails while a store is made, nothing is left that looks like a store. */
class FailedMakingTest {
  private static final Path PATH = SimulatedDisk.path("store.esp");

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private static StoreOptions options(int stripes, FileOption... flags) {
    Path[] others = new Path[stripes];
    for (int i = 0; i < stripes; i++) {
      others[i] = SimulatedDisk.path("stripe" + i);
    }
    return StoreOptions.DEFAULT
        .withFiles(
            PagedTrees.options("DiskFirstFpbPlusTree", 512, 16)
                .withStripes(others)
                .withFlags(flags))
        .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);
  }

  /** Returns the environment of a store over several files of a disk. */
  private static StoreEnvironment environment(SimulatedDisk disk, List<Path> stripes) {
    PageFileOpener each =
        new PageFileOpener() {
          @Override
          public PageFile open(Path path, Access access, int blockBytes) {
            return disk.openPages(path, access, blockBytes);
          }

          @Override
          public void delete(Path path) {
            disk.delete(path);
          }
        };
    PageFileOpener pages = Stripes.opener(each, stripes);
    StoreFiles files =
        new StoreFilesAround(disk) {
          @Override
          public PageFile openPages(Path path, Access access, int blockBytes) {
            return pages.open(path, access, blockBytes);
          }
        };
    return new StoreEnvironment(files, new Random(1), false, false);
  }

  private static LongIndex open(SimulatedDisk disk, StoreOptions options) {
    return Espalier.open(PATH, options, environment(disk, options.files().stripes()));
  }

  /** Lets each operation of an opening fail, one after the other; returns how many did. */
  private static int failEach(int stripes, Function<SimulatedDisk, Runnable> opening) {
    StoreOptions options = options(stripes, FileOption.MUST_BE_NEW);
    int failures = 0;
    for (int n = 1; ; n++) {
      SimulatedDisk disk = new SimulatedDisk(n, DiskTraits.USUAL);
      disk.restart(CrashPlan.NOTHING.failing(DiskFault.DEVICE_ERROR, n));
      Runnable close;
      try {
        close = opening.apply(disk);
      } catch (PageFileException failed) {
        failures++;
        assertEquals(Set.of(), disk.names(), () -> disk.done() + ": " + failed);
        try (LongIndex index = open(disk, options)) {
          index.put(1, 2);
        }
        try (LongIndex index = open(disk, options(stripes))) {
          assertEquals(2, index.get(1));
        }
        continue;
      }
      if (disk.operations() < n) {
        assertThrows(PageFileException.class, close::run, "the next operation fails");
        return failures;
      }
      close.run();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void nothingIsLeftOfAnIndexWhoseMakingFails(int stripes) {
    int failures = failEach(stripes, disk -> open(disk, options(stripes))::close);
    assertTrue(failures > 10, "failures: " + failures);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  @Tag("thorough")
  void nothingIsLeftOfAStoreWhoseMakingFails(int stripes) {
    StoreOptions options = options(stripes);
    int failures =
        failEach(
            stripes,
            disk ->
                new StoreOpening(PATH, options, environment(disk, options.files().stripes())).open()
                    ::close);
    assertTrue(failures > 10, "failures: " + failures);
  }

  /** Its name goes first, and for good: nothing is left that would be refused. */
  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void aStoreWhoseMakingFailsHasNoNameAfterAPowerLoss(int stripes) {
    int failures = 0;
    for (int seed = 0; seed < TestSize.of(5, 15); seed++) {
      failures += loseEach(stripes, seed);
    }
    assertTrue(failures > 50, "failures: " + failures);
  }

  /** Loses power after each operation of an opening that fails; returns how many did. */
  private static int loseEach(int stripes, long seed) {
    StoreOptions options = options(stripes);
    int failures = 0;
    for (int n = 1; ; n++) {
      SimulatedDisk disk = new SimulatedDisk(seed, DiskTraits.USUAL);
      disk.restart(CrashPlan.NOTHING.failing(DiskFault.DEVICE_ERROR, n));
      StoreEnvironment environment = environment(disk, options.files().stripes());
      IndexStore store;
      try {
        store = new StoreOpening(PATH, options, environment).open();
      } catch (PageFileException failed) {
        failures++;
        disk.losePower();
        assertFalse(disk.names().contains("store.esp"), () -> disk.done() + ": " + failed);
        continue;
      }
      boolean isLast = disk.operations() < n;
      disk.losePower();
      assertThrows(RuntimeException.class, store::close);
      if (isLast) {
        return failures;
      }
    }
  }

  /** Counts the files of a log that are open, and keeps the memory that is written to them. */
  private static final class WatchedLog extends StoreFilesAround {
    private final Set<PageFile> open = new HashSet<>();
    private final List<MemorySegment> written = new ArrayList<>();

    WatchedLog(StoreFiles files) {
      super(files);
    }

    @Override
    public PageFile openLog(Path path, Access access, int blockBytes) {
      PageFile file =
          new PageFileAround(super.openLog(path, access, blockBytes)) {
            @Override
            public void startWrite(IoBatch batch) {
              written.add(batch.memory());
              super.startWrite(batch);
            }

            @Override
            public void close() {
              super.close();
              open.remove(this);
            }
          };
      open.add(file);
      return file;
    }
  }

  @Test
  void nothingStaysOpenOfALogWhoseBeginningFails() {
    StoreOptions options = options(0);
    int failures = 0;
    for (int n = 1; ; n++) {
      SimulatedDisk disk = new SimulatedDisk(n, DiskTraits.USUAL);
      disk.restart(CrashPlan.NOTHING.failing(DiskFault.DEVICE_ERROR, n));
      WatchedLog log = new WatchedLog(disk);
      StoreEnvironment environment = new StoreEnvironment(log, new Random(1), false, false);
      try (IndexStore _ = new StoreOpening(PATH, options, environment).open()) {
        break;
      } catch (PageFileException failed) {
        failures++;
        assertEquals(Set.of(), log.open, () -> disk.done() + ": " + failed);
        assertTrue(log.written.stream().noneMatch(memory -> memory.scope().isAlive()));
      }
    }
    assertTrue(failures > 10, "failures: " + failures);
  }

  @Test
  void aStoreThatIsRefusedWhatItIsAskedForWasNotMade() {
    Path path = folder.resolve("store.esp");
    try (BufferPool pool = BufferPool.create(1 << 20, 1024)) {
      FileOptions wrong = FileOptions.DEFAULT.withPageBytes(512).withPool(pool);
      assertThrows(IllegalArgumentException.class, () -> Espalier.open(path, wrong));
    }
    assertEquals(List.of(), IndexStore.files(path));
  }

  @Test
  void aStoreWithoutAnIndexSaysSo() {
    Path path = folder.resolve("store.esp");
    IndexStore.open(path).close();
    FileOptions readOnly = FileOptions.DEFAULT.withFlags(FileOption.READ_ONLY);
    String refused =
        assertThrows(PageFileException.class, () -> Espalier.open(path, readOnly)).getMessage();
    assertEquals(path + ": has no index yet; opening it for writing makes one", refused);
    Espalier.open(path).close();
    Espalier.open(path, readOnly).close();
    assertTrue(Files.exists(path));
  }
}
