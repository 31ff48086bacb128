// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.LongIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers of records, checkpoints and epochs pass those where fewer bits would end. */
@Tag("fallback-thorough")
class NumberLimitsTest {
  private static final StoreOptions SMALL = IndexStoreTest.SMALL;

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  private Path path() {
    return folder.resolve("live").resolve("store");
  }

  /** Lets a store that is closed have had so many records, checkpoints and openings. */
  private void age(long sequence, long checkpoint, int epoch) {
    int pageBytes = SMALL.files().pageBytes();
    try (PageFile file = PageFiles.CHANNEL.open(path(), Access.WRITE, pageBytes)) {
      StoreHeader young = StoreHeaders.newest(file, pageBytes);
      new StoreHeader(
              young.storeId(),
              checkpoint,
              sequence,
              epoch,
              young.logSegment(),
              young.logOffset(),
              young.catalogueSlot(),
              young.catalogueChecksum(),
              pageBytes,
              young.segmentBytes(),
              young.slots(),
              young.stripes(),
              true)
          .writeTo(file, 1);
      file.force();
    }
  }

  private void assertRecovered(long writes) throws IOException {
    Path copy = folder.resolve("copy");
    Stores.copy(path().getParent(), copy);
    try (IndexStore store = IndexStore.open(copy.resolve("store"), SMALL)) {
      LongIndex index = store.index("a");
      assertEquals(writes, index.size());
      store.checkpoint();
      store.checkpoint();
      store.verify();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "2147483643, 8388602, 2147483646",
    "4294967291, 16777210, -3",
    "140737488355323, 2147483642, 32766",
    "9223372036854775700, 4294967290, 65534"
  })
  void whatIsWrittenAcrossALimitIsRecovered(long sequence, long checkpoint, int epoch)
      throws IOException {
    Files.createDirectories(path().getParent());
    try (IndexStore store = IndexStore.open(path(), SMALL)) {
      store.index("a");
    }
    age(sequence, checkpoint, epoch);
    ForceHook hook = new ForceHook(new SystemFiles(PageFiles.CHANNEL, PageFiles.CHANNEL));
    StoreEnvironment environment = new StoreEnvironment(hook, new Random(1), false, false);
    try (IndexStore store = new StoreOpening(path(), SMALL, environment).open()) {
      LongIndex index = store.index("a");
      for (int round = 0; round < 4; round++) {
        index.set(index.size(), round);
        store.commit();
        assertRecovered(index.size());
        // What is written meanwhile tells of the checkpoint before.
        hook.during(store::checkpoint, () -> index.set(index.size(), -1));
        store.commit();
        assertRecovered(index.size());
      }
      store.verify();
      assertEquals(sequence + index.size(), store.state().log.appended());
    }
  }
}
