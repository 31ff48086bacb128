// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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

  private static int position(int page) {
    return (page + 1) * PAGE_BYTES;
  }

  @Test
  void damagedPageEndsInAnExceptionThatNamesItAndTheOthersAnswer() throws IOException {
    byte[] sound = Files.readAllBytes(path);
    FileDescription description = Espalier.describe(path, FileOptions.DEFAULT);
    int pages = description.pages() + description.freePages();
    int refused = 0;
    int answered = 0;
    for (int page = 3; page <= pages; page++) {
      byte[] damaged = sound.clone();
      damaged[position(page) + 500] ^= 1;
      Files.write(path, damaged);
      var found = Espalier.findDamage(path, FileOptions.DEFAULT, ProgressListener.NONE);
      if (found.isEmpty()) {
        continue; // a free page
      }
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

  /** A seal that was made anew lets damage through to the tree, which may not crash or hang. */
  @Test
  void sealedNonsenseNeitherCrashesNorHangs() throws IOException {
    Random random = new Random(7);
    byte[] sound = Files.readAllBytes(path);
    int noticed = 0;
    for (int i = 0; i < 150; i++) {
      int page = i % 2 == 0 ? 1 + i / 2 % 2 : 3 + random.nextInt(20);
      int part = page == 1 ? 200 : i % 3 == 0 ? 64 : PAGE_BYTES;
      byte[] nonsense = sound.clone();
      for (int j = 0; j < 3 + i % 20; j++) {
        nonsense[position(page) + 16 + random.nextInt(part - 16)] = (byte) random.nextInt();
      }
      MemorySegment bytes = MemorySegment.ofArray(nonsense);
      long id = bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, position(page) + 8L);
      PageSeal.set(bytes, position(page), PAGE_BYTES, page, id);
      Files.write(path, nonsense);
      noticed += readAll() ? 0 : 1;
    }
    assertTrue(noticed > 75, "noticed: " + noticed);
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

  @Test
  void uncleanFileIsOpenedForReadingAloneAndDoesNotHang() throws IOException {
    LongIndex index = Espalier.open(path, options());
    for (long key = ENTRIES; key < 3 * ENTRIES; key++) {
      index.set(key, -key); // merges, and more pages than the pool holds
    }
    byte[] torn = Files.readAllBytes(path);
    index.close();
    Files.write(path, torn);
    PageFileException refused =
        assertThrows(PageFileException.class, () -> Espalier.open(path, options()));
    assertTrue(refused.getMessage().contains("not closed cleanly"), refused.getMessage());
    try (LongIndex rescued = Espalier.open(path, options().withFlags(FileOption.EVEN_IF_UNCLEAN))) {
      ends(() -> lookUp(rescued));
      ends(() -> scan(rescued));
      assertThrows(UnsupportedOperationException.class, () -> rescued.set(1, 1));
    }
  }

  @Test
  void flushedFileHasAllThatWasWrittenBefore() throws IOException {
    LongIndex index = Espalier.open(path, options());
    for (long key = 0; key < 500; key++) {
      index.set(-key, key);
      model.put(-key, key);
    }
    index.flush();
    byte[] flushed = Files.readAllBytes(path);
    for (long key = 0; key < 500; key++) {
      index.delete(-key);
    }
    index.close();
    Files.write(path, flushed);
    try (LongIndex again = Espalier.open(path, options())) {
      PagedTrees.assertHolds(model, again);
    }
  }
}
