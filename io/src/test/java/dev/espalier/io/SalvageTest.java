// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ProgressListener;
import dev.espalier.TestSize;
import dev.espalier.paged.StoredTree;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Of a damaged store each key is saved with its right value, or a range that has it is named. */
class SalvageTest {
  private static final int PAGE_BYTES = 512;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final Map<String, TreeMap<Long, Long>> models = new LinkedHashMap<>();

  private static StoreOptions options(String tree, Path... stripes) {
    FileOptions files = PagedTrees.options(tree, PAGE_BYTES, 16).withStripes(stripes);
    return StoreOptions.DEFAULT.withFiles(files).withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);
  }

  private Path path() {
    return folder.resolve("store.esp");
  }

  private Path target() {
    return folder.resolve("saved.esp");
  }

  // ---------------------------------------------------------------- make

  /** Makes a store of two indexes that were changed over several checkpoints. */
  private void make(String tree, StoreOptions options, boolean isClosed, long seed)
      throws IOException {
    Random random = new Random(seed);
    Path live = Files.createDirectories(folder.resolve("live"));
    models.clear();
    try (IndexStore store =
        IndexStore.open(isClosed ? path() : live.resolve("store.esp"), options)) {
      for (String name : List.of("a", "b")) {
        models.put(name, new TreeMap<>());
        StoredIndex.of(store, tree, name);
      }
      for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 700; i++) {
          String name = random.nextInt(4) == 0 ? "b" : "a";
          long key = random.nextInt(3_000) * (name.equals("a") ? 1L : 1L << 50);
          if (random.nextInt(4) == 0) {
            StoredIndex.of(store, tree, name).delete(key);
            models.get(name).remove(key);
          } else {
            StoredIndex.of(store, tree, name).set(key, i + 1_000L * round);
            models.get(name).put(key, i + 1_000L * round);
          }
        }
        if (round < 3) {
          StoredIndex.of(store, tree, "a").removeRange(round * 100, round * 100 + 50);
          models.get("a").subMap(round * 100L, true, round * 100L + 50, true).clear();
          store.checkpoint();
        }
      }
      store.commit(new byte[] {7});
      if (!isClosed) {
        Path copies = folder.resolve("copies");
        Stores.copy(live, copies);
        try (Stream<Path> files = Files.list(copies)) {
          for (Path file : files.toList()) {
            Files.move(file, folder.resolve(file.getFileName()));
          }
        }
      }
    }
  }

  // ---------------------------------------------------------------- check

  private SalvageReport salvage(StoreOptions options) throws IOException {
    Files.deleteIfExists(target());
    return Salvage.salvage(path(), options.files(), target(), ProgressListener.NONE);
  }

  /** Checks what was saved against what was there. Returns how many entries were saved. */
  private long check(String tree, StoreOptions options, SalvageReport report, String what) {
    long saved = 0;
    Map<String, List<SalvageReport.Index>> reports = new LinkedHashMap<>();
    report.indexes().forEach(index -> reports.put(index.name(), List.of(index)));
    report.indexes().forEach(index -> assertRangesAscend(index, what));
    FileOptions plain = options.files().withStripes();
    try (IndexStore store = IndexStore.open(target(), options.withFiles(plain))) {
      store.verify();
      for (Map.Entry<String, TreeMap<Long, Long>> model : models.entrySet()) {
        TreeMap<Long, Long> found = new TreeMap<>();
        List<SalvageReport.Index> listed = reports.get(model.getKey());
        if (store.names().contains(model.getKey())) {
          found.putAll(StoredIndex.of(store, tree, model.getKey()).entries());
        } else {
          listed = report.indexes();
        }
        saved += found.size();
        for (Map.Entry<Long, Long> entry : model.getValue().entrySet()) {
          assertTrue(
              entry.getValue().equals(found.get(entry.getKey()))
                  || has(listed, entry.getKey(), false),
              () ->
                  what
                      + ": lost without a word: "
                      + entry
                      + " of "
                      + model.getKey()
                      + ", "
                      + report);
        }
        for (Map.Entry<Long, Long> entry : found.entrySet()) {
          assertTrue(
              entry.getValue().equals(model.getValue().get(entry.getKey()))
                  || has(reports.get(model.getKey()), entry.getKey(), true),
              () -> what + ": invented: " + entry + " of " + model.getKey() + ", " + report);
        }
      }
    }
    return saved;
  }

  private static void assertRangesAscend(SalvageReport.Index index, String what) {
    List<SalvageReport.Range> ranges = index.ranges();
    assertEquals(
        ranges.stream().sorted(Comparator.comparingLong(SalvageReport.Range::first)).toList(),
        ranges,
        what);
    List<SalvageReport.KeyRange> keyRanges = index.keyRanges();
    assertEquals(
        keyRanges.stream()
            .sorted(Comparator.comparing(SalvageReport.KeyRange::first, Arrays::compareUnsigned))
            .toList(),
        keyRanges,
        what);
  }

  private static boolean has(List<SalvageReport.Index> reports, long key, boolean onlyOld) {
    return reports.stream()
        .anyMatch(
            index ->
                index.ranges().stream().anyMatch(range -> has(range, key, onlyOld))
                    || index.keyRanges().stream().anyMatch(range -> has(range, key, onlyOld)));
  }

  private static boolean has(SalvageReport.Range range, long key, boolean onlyOld) {
    return range.first() <= key && key <= range.last() && (range.mayBeOld() || !onlyOld);
  }

  private static boolean has(SalvageReport.KeyRange range, long key, boolean onlyOld) {
    byte[] string = StoredStrings.key(key);
    byte[] end = range.end();
    return Arrays.compareUnsigned(range.first(), string) <= 0
        && (end == null || Arrays.compareUnsigned(string, end) < 0)
        && (range.mayBeOld() || !onlyOld);
  }

  private long entries() {
    return models.values().stream().mapToLong(Map::size).sum();
  }

  static Stream<String> trees() {
    return PagedTrees.allNamesOfKinds().stream();
  }

  // ---------------------------------------------------------------- sound stores

  @ParameterizedTest
  @MethodSource("trees")
  void allOfASoundStoreIsSaved(String tree) throws IOException {
    for (boolean isClosed : new boolean[] {true, false}) {
      Files.deleteIfExists(path());
      make(tree, options(tree), isClosed, 1);
      SalvageReport report = salvage(options(tree));
      assertEquals(List.of(), report.findings());
      assertTrue(report.isComplete(), report.toString());
      assertEquals(entries(), check(tree, options(tree), report, "sound"));
      assertEquals(isClosed, report.records() == 0);
      try (IndexStore store = IndexStore.open(target())) {
        assertArrayEquals(new byte[] {7}, store.note());
      }
    }
  }

  // ---------------------------------------------------------------- the new file

  @Test
  void nothingIsLeftIfItsNameCannotBeMadeSafe() throws IOException {
    StoreOptions options = options("BLinkTree");
    make("BLinkTree", options, true, 1);
    PageFileOpener engine = options.files().engine();
    PageFileOpener failing =
        new PageFileOpener() {
          @Override
          public PageFile open(Path path, Access access, int blockBytes) {
            return engine.open(path, access, blockBytes);
          }

          @Override
          public void forceNames(Path path) {
            if (path.equals(target())) {
              throw new PageFileException(path, "not forced", PageFileException.NO_ERRNO);
            }
            engine.forceNames(path);
          }
        };
    StoreOptions withFailing = options.withFiles(options.files().withEngine(failing));
    PageFileException failed = assertThrows(PageFileException.class, () -> salvage(withFailing));
    assertTrue(failed.getMessage().contains("not forced"), failed.getMessage());
    assertFalse(Files.exists(target()));
    assertTrue(salvage(options).isComplete());
  }

  @Test
  void aFileThatWasMadeMeanwhileIsNotReplaced() throws IOException {
    StoreOptions options = options("BLinkTree");
    make("BLinkTree", options, true, 1);
    ProgressListener listener =
        (_, _) -> {
          assertDoesNotThrow(() -> Files.write(target(), new byte[] {1}));
          return true;
        };
    assertThrows(
        PageFileException.class,
        () -> Salvage.salvage(path(), options.files(), target(), listener));
    assertArrayEquals(new byte[] {1}, Files.readAllBytes(target()));
  }

  // ---------------------------------------------------------------- inner pages

  /** Returns where in the file the inner pages of an index are. */
  private List<Long> innerPages(String index, StoreOptions options) throws IOException {
    StoredBytes bytes = new StoredBytes(path());
    List<Long> inner = new ArrayList<>();
    try (IndexStore store = IndexStore.open(path(), options)) {
      StoreState state = store.state();
      PageMap map = state.indexes.get(index).map;
      for (int page = 1; page < map.end(); page++) {
        int slot = map.slot(page);
        if (slot > PageMap.UNWRITTEN) {
          long at = state.space.position(slot);
          byte[] read = bytes.read(at, PAGE_BYTES);
          if (!StoredTree.isLeaf(MemorySegment.ofArray(read), 0)) {
            inner.add(at);
          }
        }
      }
    }
    return inner;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DiskOptimizedBPlusTree",
        "MicroIndexBPlusTree",
        "DiskFirstFpbPlusTree",
        "BLinkTree",
        "FpbLinkTree"
      })
  void aDamagedInnerPageLosesNoLeaf(String tree) throws IOException {
    StoreOptions options = options(tree);
    make(tree, options, true, 2);
    byte[] sound = Files.readAllBytes(path());
    List<Long> inner = innerPages("a", options);
    assertTrue(inner.size() > 1, inner.toString());
    for (long at : inner) {
      Files.write(path(), sound);
      new StoredBytes(path()).flip(at + PAGE_BYTES / 2);
      SalvageReport report = salvage(options);
      String what = tree + ", inner page at " + at + ": " + report;
      assertEquals(entries(), check(tree, options, report, what), what);
    }
  }

  // ---------------------------------------------------------------- pages of maps

  /** Returns where in the file pages of the lowest level of maps are, of any checkpoint. */
  private List<Long> pagesOfMaps() throws IOException {
    MemorySegment file = MemorySegment.ofArray(Files.readAllBytes(path()));
    List<Long> found = new ArrayList<>();
    for (long at = StoreHeader.areaBytes(PAGE_BYTES); at < file.byteSize(); at += PAGE_BYTES) {
      int page = PageSeal.page(file, at);
      if (PageSeal.isSound(file, at, PAGE_BYTES) && page < 0 && PageMap.level(page) == 0) {
        found.add(at);
      }
    }
    return found;
  }

  /** A page that was written twice before one checkpoint is not found without its map. */
  @ParameterizedTest
  @ValueSource(strings = {"BftlTree", "BLinkTree"})
  void pagesThatAreNotFoundWithoutTheirMapAreNotLostWithoutAWord(String tree) throws IOException {
    make(tree, options(tree), false, 5);
    byte[] sound = Files.readAllBytes(path());
    int damagedMaps = 0;
    for (long at : pagesOfMaps()) {
      Files.write(path(), sound);
      new StoredBytes(path()).flip(at + PAGE_BYTES / 2);
      SalvageReport report = salvage(options(tree));
      check(tree, options(tree), report, tree + ", page of a map at " + at);
      damagedMaps += report.findings().toString().contains("of its map is damaged") ? 1 : 0;
    }
    assertTrue(damagedMaps > 0);
  }

  /** Nor does one come back that was given back since. */
  @ParameterizedTest
  @ValueSource(strings = {StoreBytesIndex.KIND, "BLinkTree", "DiskFirstFpbPlusTree"})
  void whatWasRemovedDoesNotComeBackWhereAMapIsDamaged(String tree) throws IOException {
    make(tree, options(tree), true, 5);
    try (IndexStore store = IndexStore.open(path(), options(tree))) {
      StoredIndex.of(store, tree, "a").removeRange(500, 2_500);
      models.get("a").subMap(500L, true, 2_500L, true).clear();
      store.checkpoint();
    }
    byte[] sound = Files.readAllBytes(path());
    List<Long> maps = pagesOfMaps();
    int damagedMaps = 0;
    for (long at : maps) {
      for (boolean isAlone : new boolean[] {true, false}) {
        Files.write(path(), sound);
        new StoredBytes(path()).flip(at + PAGE_BYTES / 2);
        if (!isAlone) {
          new StoredBytes(path()).flip(StoreHeader.areaBytes(PAGE_BYTES) + PAGE_BYTES / 2);
        }
        SalvageReport report = salvage(options(tree));
        check(tree, options(tree), report, tree + ", page of a map at " + at);
        damagedMaps += report.findings().toString().contains("of its map is damaged") ? 1 : 0;
      }
    }
    assertTrue(damagedMaps > 0);
  }

  /** Where nothing was given back, the leaves themselves tell that they are all. */
  @Test
  void leavesOfByteStringsNeedNoMapIfNoneOverlaps() throws IOException {
    String tree = StoreBytesIndex.KIND;
    models.put("a", new TreeMap<>());
    try (IndexStore store = IndexStore.open(path(), options(tree))) {
      for (long key = 0; key < 3_000; key++) {
        StoredIndex.of(store, tree, "a").set(key, key);
        models.get("a").put(key, key);
      }
    }
    byte[] sound = Files.readAllBytes(path());
    int damagedMaps = 0;
    for (long at : pagesOfMaps()) {
      Files.write(path(), sound);
      new StoredBytes(path()).flip(at + PAGE_BYTES / 2);
      SalvageReport report = salvage(options(tree));
      assertEquals(entries(), check(tree, options(tree), report, "page of a map at " + at));
      assertTrue(report.isComplete(), report.toString());
      damagedMaps += report.findings().toString().contains("of its map is damaged") ? 1 : 0;
    }
    assertTrue(damagedMaps > 0);
  }

  // ---------------------------------------------------------------- random damage

  /** Damages something of a file, the first or another stripe, and tells what. */
  private String damage(Path file, int pageBytes, Random random) throws IOException {
    StoredBytes bytes = new StoredBytes(file);
    boolean isFirst = file.equals(path());
    long area = isFirst ? StoreHeader.areaBytes(pageBytes) : StripeLabel.bytes(pageBytes);
    int slots = (int) ((Files.size(file) - area) / pageBytes);
    slots = Math.min(slots, usedSlots(file, area, pageBytes));
    long at = area + (long) random.nextInt(slots) * pageBytes;
    switch (random.nextInt(6)) {
      case 0, 1 -> {
        bytes.flip(at + random.nextInt(pageBytes));
        return "flip in slot " + at / pageBytes;
      }
      case 2 -> {
        bytes.write(at, new byte[pageBytes]);
        return "zeros in slot " + at / pageBytes;
      }
      case 3 -> {
        long from = area + (long) random.nextInt(slots) * pageBytes;
        bytes.write(at, bytes.read(from, pageBytes));
        return "slot " + at / pageBytes + " is now slot " + from / pageBytes;
      }
      case 4 -> {
        if (!isFirst) {
          bytes.flip(random.nextInt(32));
          return "label of " + file.getFileName();
        }
        int copy = random.nextInt(StoreHeader.COPIES);
        bytes.flip(StoreHeader.position(copy, pageBytes) + random.nextInt(96));
        return "header " + copy;
      }
      default -> {
        int count = Math.min(1 + random.nextInt(20), (int) ((Files.size(file) - at) / pageBytes));
        byte[] noise = new byte[count * pageBytes];
        random.nextBytes(noise);
        bytes.write(at, noise);
        return count + " slots of noise from " + at / pageBytes;
      }
    }
  }

  private static int usedSlots(Path file, long area, int pageBytes) throws IOException {
    byte[] all = Files.readAllBytes(file);
    int end = all.length;
    while (end > 0 && all[end - 1] == 0) {
      end--;
    }
    return Math.max(1, end / pageBytes + 1 - (int) (area / pageBytes));
  }

  @ParameterizedTest
  @MethodSource("trees")
  void everyKeyIsSavedOrInARangeThatIsNamedWhateverIsDamaged(String tree) throws IOException {
    for (boolean isClosed : new boolean[] {true, false}) {
      Files.deleteIfExists(path());
      make(tree, options(tree), isClosed, 5);
      assertAllIsSavedOrNamed(tree, options(tree), TestSize.seeds(2, 120));
    }
  }

  @ParameterizedTest
  @MethodSource("trees")
  @Tag("thorough")
  void everyKeyIsSavedOrInARangeThatIsNamedWhicheverStripeIsDamaged(String tree)
      throws IOException {
    StoreOptions options = options(tree, folder.resolve("second.esp"), folder.resolve("third.esp"));
    make(tree, options, true, 5);
    assertAllIsSavedOrNamed(tree, options, TestSize.seeds(2, 120));
  }

  /** Damages files of the store that was made, anew for each seed, and salvages it. */
  private void assertAllIsSavedOrNamed(String tree, StoreOptions options, long[] seeds)
      throws IOException {
    List<Path> files = new ArrayList<>(options.files().stripes());
    files.addFirst(path());
    Map<Path, byte[]> sound = new HashMap<>();
    for (Path file : files) {
      sound.put(file, Files.readAllBytes(file));
    }
    for (long seed : seeds) {
      Random random = new Random(seed);
      for (Path file : files) {
        Files.write(file, sound.get(file));
      }
      StringBuilder what = new StringBuilder(tree + ", seed " + seed + ": ");
      for (int n = 0; n <= random.nextInt(4); n++) {
        Path file = files.size() == 1 ? path() : files.get(random.nextInt(files.size()));
        what.append(damage(file, options.files().pageBytes(), random)).append("; ");
      }
      try {
        SalvageReport report = salvage(options);
        check(tree, options, report, what.toString());
      } catch (PageFileException refused) {
        assertTrue(refused.getMessage().contains("no catalogue"), () -> what + refused.toString());
        assertFalse(Files.exists(target()));
      }
    }
  }
}
