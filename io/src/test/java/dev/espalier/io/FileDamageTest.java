// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever happened to a file, it is refused, or answers rightly, or says which page is damaged.
 */
class FileDamageTest {
  private static final int PAGE_BYTES = 512;
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
        index.put(key, -key);
        model.put(key, -key);
      }
      index.removeRange(300, true, 500, true);
      model.subMap(300L, 501L).clear();
    }
  }

  private static FileOptions options() {
    return PagedTrees.options("DiskFirstFpbPlusTree", PAGE_BYTES, 10);
  }

  private static long header(int copy) {
    return StoreHeader.position(copy, PAGE_BYTES);
  }

  private StoredBytes bytes() {
    return new StoredBytes(path);
  }

  private String refusal() {
    return assertThrows(PageFileException.class, () -> Espalier.open(path, options())).getMessage();
  }

  private List<CorruptPageException> damaged() {
    return Espalier.findDamage(path, FileOptions.DEFAULT, ProgressListener.NONE);
  }

  @Test
  void soundFileHasNoDamage() {
    assertEquals(List.of(), damaged());
  }

  @Test
  void fileThatIsNoIndexIsRefused() throws IOException {
    Files.writeString(path, "key,value\n".repeat(1000));
    assertEquals(path + ": is no store of indexes", refusal());
    Files.write(path, new byte[0]);
    assertEquals(path + ": is no store of indexes", refusal());
    Files.write(path, new byte[3 * PAGE_BYTES]);
    assertEquals(path + ": is no store of indexes", refusal());
  }

  @Test
  void otherVersionsAreNamed() throws IOException {
    for (int version : new int[] {7, 1}) {
      for (int copy = 0; copy < StoreHeader.COPIES; copy++) {
        bytes().write(header(copy) + 8, new byte[] {(byte) version});
      }
      assertTrue(refusal().contains("version " + version), refusal());
    }
    assertTrue(refusal().contains("dump it with the release that wrote it"), refusal());
  }

  @Test
  void aDamagedCopyOfTheHeaderIsMadeUpForByTheOther() throws IOException {
    for (int copy = 0; copy < StoreHeader.COPIES; copy++) {
      bytes().flip(header(copy) + 100);
      assertTrue(Espalier.describe(path, FileOptions.DEFAULT).isClean());
      try (LongIndex index = Espalier.open(path, options().withFlags(FileOption.READ_ONLY))) {
        PagedTrees.assertHolds(model, index);
      }
      bytes().flip(header(copy) + 100);
    }
  }

  /** The log goes on from the checkpoint before, if it was not used again since. */
  @Test
  void bothCopiesOfTheNewestHeaderDamagedNeverShowsAnOlderState() throws IOException {
    long newest = Espalier.describe(path, FileOptions.DEFAULT).checkpoint();
    bytes().flip(header((int) (newest % 2)) + 40);
    bytes().flip(header((int) (newest % 2) + 2) + 40);
    try (LongIndex index = Espalier.open(path, options())) {
      PagedTrees.assertHolds(model, index);
    } catch (PageFileException refused) {
      assertTrue(refused.getMessage().contains("of its log"), refused.getMessage());
    }
  }

  @Test
  void allCopiesOfTheHeaderDamagedIsRefused() throws IOException {
    for (int copy = 0; copy < StoreHeader.COPIES; copy++) {
      bytes().flip(header(copy) + 40);
    }
    assertTrue(refusal().contains("all copies of its header are damaged"), refusal());
  }

  @Test
  void truncatedFileIsRefusedWhateverIsLeft() throws IOException {
    long bytes = StoreHeader.areaBytes(PAGE_BYTES) + 20 * PAGE_BYTES;
    for (long left = bytes - 1; left > 0; left -= 777) {
      long length = left;
      bytes().damage(file -> file.setLength(length));
      assertThrows(PageFileException.class, () -> Espalier.open(path, options()));
    }
  }

  @Test
  void everyDamagedByteOfAPageIsFound() throws IOException {
    Random random = new Random(1);
    for (int i = 0; i < 100; i++) {
      int page = 1 + random.nextInt(5);
      long at = bytes().position(page) + random.nextInt(PAGE_BYTES);
      bytes().flip(at);
      List<CorruptPageException> found = damaged();
      assertEquals(1, found.size());
      assertEquals(page, found.getFirst().page());
      assertTrue(found.getFirst().getMessage().contains(path.toString()));
      bytes().flip(at);
    }
    assertEquals(List.of(), damaged());
  }

  @Test
  void damagedPageEndsInAnExceptionAndTheOthersAnswer() throws IOException {
    bytes().flip(bytes().position(3) + 200);
    int refused = 0;
    try (LongIndex index = Espalier.open(path, options())) {
      for (long key = 0; key < ENTRIES; key++) {
        try {
          assertEquals(model.getOrDefault(key, Long.MIN_VALUE), index.get(key));
        } catch (CorruptPageException damaged) {
          assertEquals(3, damaged.page());
          refused++;
        }
      }
      assertThrows(CorruptPageException.class, index::verify);
    }
    assertTrue(refused > 0 && refused < ENTRIES, "refused: " + refused);
  }

  @Test
  void pagesThatChangedPlacesAreFound() throws IOException {
    byte[] second = bytes().read(bytes().position(2), PAGE_BYTES);
    byte[] third = bytes().read(bytes().position(3), PAGE_BYTES);
    bytes().write(bytes().position(2), third);
    bytes().write(bytes().position(3), second);
    assertEquals(List.of(2L, 3L), damaged().stream().map(CorruptPageException::page).toList());
    assertTrue(damaged().getFirst().getMessage().contains("holds page 3"));
  }

  /** Its own seal is right; only the map knows that it is not what was written last. */
  @Test
  void anEarlierVersionOfAPageIsFound() throws IOException {
    byte[] earlier = bytes().read(bytes().position(3), PAGE_BYTES);
    try (LongIndex index = Espalier.open(path, options())) {
      for (long key = 0; key < ENTRIES; key++) {
        index.put(key, key + 1);
      }
    }
    bytes().write(bytes().position(3), earlier);
    assertEquals(List.of(3L), damaged().stream().map(CorruptPageException::page).toList());
    assertTrue(damaged().getFirst().getMessage().contains("not what was written last"));
  }

  /** Maps and catalogue are all that is not a page of the tree. */
  @Test
  @Tag("thorough")
  void everyDamagedBlockIsNamedOrIsNotInUse() throws IOException {
    byte[] sound = Files.readAllBytes(path);
    int refused = 0;
    int found = 0;
    for (long at = StoreHeader.areaBytes(PAGE_BYTES); at < sound.length; at += PAGE_BYTES) {
      bytes().flip(at + 25);
      try {
        int pages = damaged().size();
        found += pages;
        try (LongIndex index = Espalier.open(path, options().withFlags(FileOption.READ_ONLY))) {
          if (pages == 0) {
            PagedTrees.assertHolds(model, index);
          }
        }
      } catch (CorruptPageException named) {
        assertTrue(named.getMessage().contains("in slot"), named.getMessage());
        refused++;
      }
      bytes().flip(at + 25);
      if (at > StoreHeader.areaBytes(PAGE_BYTES) + 400L * PAGE_BYTES) {
        break; // what follows was never used
      }
    }
    assertTrue(refused >= 2 && found > 10, refused + " refused, " + found + " found");
  }

  /** Nonsense with the right seal goes through to the tree, which may not crash or hang. */
  @Test
  void sealedNonsenseNeitherCrashesNorHangs() throws IOException {
    Random random = new Random(7);
    byte[] sound = Files.readAllBytes(path);
    StoreOptions all = StoreOptions.DEFAULT.withFiles(options());
    for (int i = 0; i < 60; i++) {
      Files.write(path, sound);
      bytes().writeNonsense(all, 1 + random.nextInt(8), PAGE_BYTES, 20, random);
      try (LongIndex index = Espalier.open(path, options().withFlags(FileOption.READ_ONLY))) {
        for (long key = 0; key < ENTRIES; key += 10) {
          index.get(key);
        }
        index.verify();
      } catch (InvariantViolationException
          | PageFileException
          | ConcurrentModificationException
          | IndexOutOfBoundsException
          | IllegalStateException found) {
        assertTrue(found.getMessage() != null);
      }
    }
  }

  @Test
  void aStoreThatWasNotClosedIsReadAsOfItsLastCheckpointWhenAskedFor() throws IOException {
    LongIndex index = Espalier.open(path, options());
    for (long key = ENTRIES; key < 3 * ENTRIES; key++) {
      index.put(key, -key); // more than the pool holds, so pages are written
    }
    Path copy = Files.createDirectory(folder.resolve("copy")).resolve("index.esp");
    Files.copy(path, copy);
    index.close();
    FileOptions reading = options().withFlags(FileOption.READ_ONLY);
    String refused =
        assertThrows(PageFileException.class, () -> Espalier.open(copy, reading)).getMessage();
    assertTrue(refused.contains("of its log is missing"), refused);
    FileOptions last = options().withFlags(FileOption.LAST_CHECKPOINT);
    try (LongIndex rescued = Espalier.open(copy, last)) {
      PagedTrees.assertHolds(model, rescued);
      assertThrows(UnsupportedOperationException.class, () -> rescued.put(1, 1));
    }
    String lost =
        assertThrows(PageFileException.class, () -> Espalier.open(copy, options())).getMessage();
    assertTrue(lost.contains("of its log is missing"), lost);
  }

  @Test
  void headerAndCatalogueNameStoreAndTree() throws IOException {
    String text = new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1);
    assertTrue(text.startsWith("ESPALIER"));
    assertTrue(text.contains("DiskFirstFpbPlusTree"));
  }
}
