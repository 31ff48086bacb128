// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.inspect.InvariantViolationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ConcurrentModificationException;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** As {@link FileDamageTest}, of a COLA: a manifest, level 0 and levels. */
@Timeout(60)
class ColaDamageTest {
  private static final int PAGE_BYTES = 1024;
  private static final int ENTRIES = 1_000;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private Path path;
  private final TreeMap<Long, Long> model = new TreeMap<>();

  @BeforeEach
  void makeIndex() {
    path = folder.resolve("index.esp");
    try (LongIndex index = Espalier.open(path, options())) {
      for (long key = 0; key < ENTRIES; key++) {
        index.set(key, -key);
        model.put(key, -key);
      }
      for (long key = 300; key < 400; key++) {
        index.delete(key);
        model.remove(key);
      }
    }
  }

  private static FileOptions options() {
    return PagedTrees.options("Cola", PAGE_BYTES, 8);
  }

  @Test
  void damagedPageEndsInAnExceptionThatNamesItAndTheOthersAnswer() throws IOException {
    byte[] sound = Files.readAllBytes(path);
    StoreDescription.Index description =
        Espalier.describe(path, FileOptions.DEFAULT).indexes().getFirst();
    int pages = description.pages() + description.freePages();
    int refused = 0;
    int answered = 0;
    for (int page = 3; page <= pages; page++) {
      Files.write(path, sound);
      long at = bytes().position(page);
      if (at < 0) {
        continue; // a free page
      }
      bytes().flip(at + 500);
      var found = Espalier.findDamage(path, FileOptions.DEFAULT, ProgressListener.NONE);
      assertEquals(page, found.getFirst().page());
      try (LongIndex index = Espalier.open(path, options().withFlags(FileOption.READ_ONLY))) {
        for (long key = 0; key < ENTRIES; key += 7) {
          try {
            assertEquals(model.getOrDefault(key, Long.MIN_VALUE), index.get(key));
            answered++;
          } catch (CorruptPageException damage) {
            assertEquals(page, damage.page());
            refused++;
          }
        }
        assertThrows(CorruptPageException.class, index::verify);
      }
    }
    assertTrue(refused > 0 && answered > 0, refused + " refused, " + answered + " answered");
  }

  private StoredBytes bytes() {
    return new StoredBytes(path);
  }

  /** Nonsense with the right seal goes through to the tree, which may not crash or hang. */
  @Test
  void sealedNonsenseNeitherCrashesNorHangs() throws IOException {
    Random random = new Random(7);
    byte[] sound = Files.readAllBytes(path);
    StoreOptions all = StoreOptions.DEFAULT.withFiles(options());
    int noticed = 0;
    int rounds = TestSize.of(50, 150);
    for (int i = 0; i < rounds; i++) {
      int page = i % 2 == 0 ? 1 + i / 2 % 2 : 3 + random.nextInt(20);
      int part = page == 1 ? 200 : i % 3 == 0 ? 64 : PAGE_BYTES;
      Files.write(path, sound);
      try {
        bytes().writeNonsense(all, page, part, 3 + i % 20, random);
      } catch (CorruptPageException free) {
        continue;
      }
      noticed += readAll() ? 0 : 1;
    }
    assertTrue(noticed > rounds / 2, "noticed: " + noticed);
  }

  /** Looks up and scans; returns whether all of it went well, and the index is said to be sound. */
  private boolean readAll() {
    try (LongIndex index = Espalier.open(path, options().withFlags(FileOption.READ_ONLY))) {
      boolean isWell = ends(() -> lookUp(index));
      isWell &= ends(() -> scan(index));
      return isWell & ends(index::verify);
    } catch (PageFileException refused) {
      return false;
    }
  }

  private static void lookUp(LongIndex index) {
    long[] keys = new Random(1).longs(100, 0, ENTRIES).toArray();
    for (long key : keys) {
      index.get(key);
    }
    index.getAll(keys, new long[keys.length]);
  }

  private static void scan(LongIndex index) {
    LongCursor cursor = index.cursor();
    for (int i = 0; i < 2 * ENTRIES && cursor.next(); i++) {
      assertNotNull(cursor);
    }
  }

  private static boolean ends(Runnable reading) {
    try {
      reading.run();
      return true;
    } catch (InvariantViolationException
        | PageFileException
        | ConcurrentModificationException
        | IndexOutOfBoundsException
        | IllegalStateException found) {
      assertNotNull(found.getMessage());
      return false;
    }
  }
}
