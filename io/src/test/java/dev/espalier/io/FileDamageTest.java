// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.InvariantViolationException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
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

  private static long block(int number) {
    return (long) number * PAGE_BYTES;
  }

  private static long page(int number) {
    return block(number + 1);
  }

  private interface Damage {
    void doTo(RandomAccessFile file) throws IOException;
  }

  private void damage(Damage damage) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      damage.doTo(file);
    }
  }

  private static void flip(RandomAccessFile file, long at) throws IOException {
    file.seek(at);
    int old = file.read();
    file.seek(at);
    file.write(old ^ 0x10);
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
    assertEquals(path + ": is no index file", refusal());
    Files.write(path, new byte[0]);
    assertEquals(path + ": is no index file", refusal());
    Files.write(path, new byte[3 * PAGE_BYTES]);
    assertEquals(path + ": is no index file", refusal());
  }

  @Test
  void newerVersionIsNamed() throws IOException {
    for (int copy = 0; copy < 2; copy++) {
      long at = block(copy) + 8;
      damage(
          file -> {
            file.seek(at);
            file.write(7);
          });
    }
    assertTrue(refusal().contains("version 7"), refusal());
  }

  @Test
  void oneDamagedCopyOfTheHeaderIsMadeUpForByTheOther() throws IOException {
    for (int copy = 0; copy < 2; copy++) {
      long at = block(copy) + 100;
      damage(file -> flip(file, at));
      // The copy that is left may be the older one, which says that the file was changing.
      boolean isClean = Espalier.describe(path, FileOptions.DEFAULT).isClean();
      if (isClean) {
        try (LongIndex index = Espalier.open(path, options().withFlags(FileOption.READ_ONLY))) {
          PagedTrees.assertHolds(model, index);
        }
      } else {
        assertTrue(refusal().contains("not closed cleanly"), refusal());
      }
      damage(file -> flip(file, at));
    }
  }

  @Test
  void bothCopiesOfTheHeaderDamagedIsRefused() throws IOException {
    damage(file -> flip(file, block(0) + 40));
    damage(file -> flip(file, block(1) + 40));
    assertTrue(refusal().contains("both copies of its header are damaged"), refusal());
  }

  @Test
  void truncatedFileIsRefusedWhateverIsLeft() throws IOException {
    long bytes = page(Espalier.describe(path, FileOptions.DEFAULT).pages());
    for (long left = bytes - 1; left > 0; left -= 777) {
      long length = left;
      damage(file -> file.setLength(length));
      assertThrows(PageFileException.class, () -> Espalier.open(path, options()));
    }
  }

  @Test
  void everyDamagedByteOfAPageIsFound() throws IOException {
    Random random = new Random(1);
    for (int i = 0; i < 100; i++) {
      int page = 1 + random.nextInt(5);
      long at = page(page) + random.nextInt(PAGE_BYTES);
      damage(file -> flip(file, at));
      List<CorruptPageException> found = damaged();
      assertEquals(1, found.size());
      assertEquals(page, found.getFirst().page());
      assertTrue(found.getFirst().getMessage().contains(path.toString()));
      damage(file -> flip(file, at));
    }
    assertEquals(List.of(), damaged());
  }

  @Test
  void damagedPageEndsInAnExceptionAndTheOthersAnswer() throws IOException {
    damage(file -> flip(file, page(3) + 200));
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
    damage(
        file -> {
          byte[] second = read(file, page(2));
          byte[] third = read(file, page(3));
          write(file, page(2), third);
          write(file, page(3), second);
        });
    assertEquals(List.of(2L, 3L), damaged().stream().map(CorruptPageException::page).toList());
    assertTrue(damaged().getFirst().getMessage().contains("holds page 3"));
  }

  @Test
  void pageOfAnotherFileIsFound() throws IOException {
    Path other = folder.resolve("other.esp");
    Espalier.open(other, options()).close();
    byte[] stranger;
    try (RandomAccessFile file = new RandomAccessFile(other.toFile(), "r")) {
      stranger = read(file, page(1));
    }
    damage(file -> write(file, page(1), stranger));
    assertTrue(damaged().getFirst().getMessage().contains("another file"), damaged().toString());
  }

  private static byte[] read(RandomAccessFile file, long at) throws IOException {
    byte[] bytes = new byte[PAGE_BYTES];
    file.seek(at);
    file.readFully(bytes);
    return bytes;
  }

  private static void write(RandomAccessFile file, long at, byte[] bytes) throws IOException {
    file.seek(at);
    file.write(bytes);
  }

  @Test
  void damagedListOfFreePagesIsRefused() throws IOException {
    FileDescription description = Espalier.describe(path, FileOptions.DEFAULT);
    int top = description.pages() + description.freePages();
    assertTrue(description.freePages() > 0);
    damage(file -> flip(file, page(top + 1) + 20));
    assertThrows(CorruptPageException.class, () -> Espalier.open(path, options()));
    assertEquals(top + 1, damaged().getFirst().page());
  }

  /** A seal that was made anew lets a list through that no store has written. */
  @Test
  void sealedListOfFreePagesThatIsWrongIsRefused() throws IOException {
    FileDescription description = Espalier.describe(path, FileOptions.DEFAULT);
    int top = description.pages() + description.freePages();
    assertTrue(description.freePages() > 1);
    byte[] sound = Files.readAllBytes(path);
    int list = (int) page(top + 1);
    int first = bytes(sound).get(ValueLayout.JAVA_INT_UNALIGNED, list + 16);
    for (int wrong : new int[] {0, -1, top + 1, Integer.MIN_VALUE, Integer.MAX_VALUE, first}) {
      byte[] damaged = sound.clone();
      bytes(damaged).set(ValueLayout.JAVA_INT_UNALIGNED, list + 20, wrong);
      seal(damaged, top + 1);
      Files.write(path, damaged);
      CorruptPageException refused =
          assertThrows(CorruptPageException.class, () -> Espalier.open(path, options()));
      assertEquals(top + 1, refused.page());
      assertTrue(refused.getMessage().contains("lists page " + wrong), refused.getMessage());
      assertEquals(top + 1, damaged().getFirst().page());
    }
    Files.write(path, sound);
    try (LongIndex index = Espalier.open(path, options())) {
      PagedTrees.assertHolds(model, index);
    }
  }

  /** A seal that was made anew lets damage through to the tree, which may not crash or hang. */
  @Test
  void sealedNonsenseNeitherCrashesNorHangs() throws IOException {
    Random random = new Random(7);
    byte[] sound = Files.readAllBytes(path);
    for (int i = 0; i < 60; i++) {
      int page = 1 + random.nextInt(8);
      byte[] nonsense = sound.clone();
      for (int j = 0; j < 20; j++) {
        nonsense[(int) page(page) + 16 + random.nextInt(PAGE_BYTES - 16)] = (byte) random.nextInt();
      }
      seal(nonsense, page);
      Files.write(path, nonsense);
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

  private static MemorySegment bytes(byte[] file) {
    return MemorySegment.ofArray(file);
  }

  private static void seal(byte[] file, int page) {
    long id = bytes(file).get(ValueLayout.JAVA_LONG_UNALIGNED, page(page) + 8);
    PageSeal.set(bytes(file), page(page), PAGE_BYTES, page, id);
  }

  @Test
  void uncleanFileIsOpenedOnlyWhenAskedForAndOnlyForReading() throws IOException {
    LongIndex index = Espalier.open(path, options());
    for (long key = ENTRIES; key < 3 * ENTRIES; key++) {
      index.put(key, -key); // more than the pool holds, so pages are written
    }
    byte[] torn = Files.readAllBytes(path);
    index.close();
    Files.write(path, torn);
    assertTrue(refusal().contains("not closed cleanly"), refusal());
    try (LongIndex rescued = Espalier.open(path, options().withFlags(FileOption.EVEN_IF_UNCLEAN))) {
      assertEquals(-1, rescued.get(1));
      assertThrows(UnsupportedOperationException.class, () -> rescued.put(1, 1));
    }
    assertTrue(refusal().contains("not closed cleanly"), refusal());
  }

  @Test
  void fileThatWasFlushedIsCleanAlthoughItIsOpen() throws IOException {
    LongIndex index = Espalier.open(path, options());
    index.put(ENTRIES, 5);
    index.flush();
    byte[] flushed = Files.readAllBytes(path);
    index.put(ENTRIES + 1, 5);
    index.close();
    Files.write(path, flushed);
    model.put((long) ENTRIES, 5L);
    try (LongIndex again = Espalier.open(path, options())) {
      PagedTrees.assertHolds(model, again);
    }
  }

  @Test
  void headerNamesTheTree() throws IOException {
    String text = new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1);
    assertTrue(text.startsWith("ESPALIER"));
    assertTrue(text.contains("DiskFirstFpbPlusTree"));
  }
}
