// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of a store that is spread over several are told from one another, and from others. */
class StripesTest {
  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final TreeMap<Long, Long> model = new TreeMap<>();

  private Path file(String name) {
    return folder.resolve(name);
  }

  private FileOptions options(int pageBytes, String... stripes) {
    Path[] paths = new Path[stripes.length];
    for (int i = 0; i < paths.length; i++) {
      paths[i] = file(stripes[i]);
    }
    return PagedTrees.options("DiskFirstFpbPlusTree", pageBytes, 16).withStripes(paths);
  }

  private void make(String first, FileOptions options) {
    try (LongIndex index = Espalier.open(file(first), options)) {
      for (long key = 0; key < 3_000; key++) {
        index.put(key, -key);
        model.put(key, -key);
      }
    }
  }

  @BeforeEach
  void makeStore() {
    make("a0", options(512, "a1", "a2"));
  }

  /** Checks that opening is refused, and that no file is changed. */
  private void assertRefused(String first, FileOptions options, String file, String what)
      throws IOException {
    List<Path> all = new ArrayList<>();
    try (var files = Files.list(folder)) {
      files.forEach(all::add);
    }
    List<byte[]> before = new ArrayList<>();
    for (Path each : all) {
      before.add(Files.readAllBytes(each));
    }
    String message =
        assertThrows(PageFileException.class, () -> Espalier.open(file(first), options))
            .getMessage();
    assertEquals(file(file) + ": " + what, message);
    for (int i = 0; i < all.size(); i++) {
      assertArrayEquals(before.get(i), Files.readAllBytes(all.get(i)));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {512, 4096, 16384})
  void pagesOfAllSizesAreSpread(int pageBytes) {
    FileOptions options = options(pageBytes, "b1", "b2", "b3", "b4", "b5");
    make("b0", options);
    try (LongIndex index = Espalier.open(file("b0"), options)) {
      PagedTrees.assertHolds(model, index);
    }
  }

  @Test
  void pagesInWhichNoHeaderFitsAreRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> Espalier.open(file("b0"), options(256, "b1")));
    assertFalse(Files.exists(file("b0")));
    assertFalse(Files.exists(file("b1")));
  }

  @Test
  void anotherOrderIsRefused() throws IOException {
    assertRefused(
        "a0",
        options(512, "a2", "a1"),
        "a2",
        "should be stripe 1 of %s, but is stripe 2".formatted(file("a0")));
    assertRefused(
        "a1",
        options(512, "a0", "a2"),
        "a1",
        "is stripe 1 of a store over 3 files; name the first file of the store first");
  }

  @Test
  void aStripeOfAnotherStoreIsRefused() throws IOException {
    make("b0", options(512, "b1", "b2"));
    assertRefused(
        "a0",
        options(512, "a1", "b2"),
        "b2",
        "should be stripe 2 of %s, but is stripe 2 of another store".formatted(file("a0")));
    assertRefused(
        "a0",
        options(512, "a1", "b0"),
        "b0",
        "should be stripe 2 of %s, but has no label".formatted(file("a0")));
  }

  @Test
  void aMissingStripeIsNamed() throws IOException {
    Files.delete(file("a2"));
    assertRefused(
        "a0", options(512, "a1", "a2"), "a2", "stripe 2 of %s is missing".formatted(file("a0")));
    assertFalse(Files.exists(file("a2")));
  }

  @Test
  void everyDamagedByteOfALabelIsFound() throws IOException {
    for (int at = 0; at < 32; at++) {
      new StoredBytes(file("a1")).flip(at);
      assertRefused(
          "a0",
          options(512, "a1", "a2"),
          "a1",
          "should be stripe 1 of %s, but has no label".formatted(file("a0")));
      new StoredBytes(file("a1")).flip(at);
    }
  }

  @Test
  void whatAMakingThatWasCutOffHasLeftIsUsedAgain() throws IOException {
    FileOptions options = options(512, "b1", "b2");
    Espalier.open(file("b0"), options).close();
    Files.move(file("b0"), StoreOpening.unfinished(file("b0")));
    make("b0", options);
    try (LongIndex index = Espalier.open(file("b0"), options)) {
      PagedTrees.assertHolds(model, index);
    }
  }

  @Test
  void aStripeWhoseStoreIsNotThereIsKeptAndNamed() throws IOException {
    Files.delete(file("a0"));
    assertRefused(
        "a0",
        options(512, "a1", "a2"),
        "a1",
        ("is stripe 1 of a store over 3 files, but %s is not there; if its making was cut off,"
                + " delete this file")
            .formatted(file("a0")));
  }

  @Test
  void anotherOrderIsNotSaved() {
    FileOptions wrong = options(512, "a2", "a1");
    String refused =
        assertThrows(
                PageFileException.class,
                () -> Salvage.salvage(file("a0"), wrong, file("saved"), ProgressListener.NONE))
            .getMessage();
    assertEquals(file("a2") + ": is stripe 2, but is named in place 1", refused);
    assertFalse(Files.exists(file("saved")));
  }

  /** The files tell which store they belong to even if headers or the whole first file are lost. */
  @ParameterizedTest
  @ValueSource(strings = {"none", "first header", "all headers", "first file"})
  void aStripeOfAnotherStoreIsNotSaved(String damage) throws IOException {
    make("b0", options(512, "b1", "b2"));
    switch (damage) {
      case "none" -> {}
      case "first header" -> new StoredBytes(file("a0")).flip(40);
      case "all headers" -> new StoredBytes(file("a0")).write(0, new byte[32768]);
      default -> Files.delete(file("a0"));
    }
    boolean tells = damage.equals("none") || damage.equals("first header");
    assertNotSaved(options(512, "a1", "b2"), "b2", 2, tells ? "a0" : "a1");
    assertNotSaved(
        options(512, "b1", "a2"), tells ? "b1" : "a2", tells ? 1 : 2, tells ? "a0" : "b1");
  }

  private void assertNotSaved(FileOptions wrong, String file, int stripe, String other) {
    String refused =
        assertThrows(
                PageFileException.class,
                () -> Salvage.salvage(file("a0"), wrong, file("saved"), ProgressListener.NONE))
            .getMessage();
    assertEquals(
        "%s: is stripe %d of another store than %s".formatted(file(file), stripe, file(other)),
        refused);
    assertFalse(Files.exists(file("saved")));
  }

  /** A third of the pages is gone. */
  @ParameterizedTest
  @ValueSource(strings = {"a0", "a1", "a2"})
  void whatIsLeftWithoutAStripeIsSaved(String missing) throws IOException {
    Files.delete(file(missing));
    SalvageReport report;
    try {
      report =
          Salvage.salvage(
              file("a0"), options(512, "a1", "a2"), file("saved"), ProgressListener.NONE);
    } catch (PageFileException refused) {
      assertTrue(refused.getMessage().contains("no catalogue"), refused.getMessage());
      return;
    }
    assertTrue(report.findings().toString().contains("is missing"), report.toString());
    try (IndexStore saved = IndexStore.open(file("saved"))) {
      if (saved.names().isEmpty()) {
        return;
      }
      LongIndex index = saved.index("index");
      index.verify();
      for (long key = 0; key < 3_000; key++) {
        long at = key;
        boolean isListed =
            report.indexes().getFirst().ranges().stream()
                .anyMatch(range -> range.first() <= at && at <= range.last());
        assertTrue(index.get(key) == -key || isListed, () -> at + ": " + report);
      }
    }
  }
}
