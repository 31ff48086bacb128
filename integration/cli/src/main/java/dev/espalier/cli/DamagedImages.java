// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.ProgressListener;
import dev.espalier.cli.soak.UnforcedFiles;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.PageFileException;
import dev.espalier.io.PageFiles;
import dev.espalier.io.SalvageReport;
import dev.espalier.io.StoreOptions;
import dev.espalier.io.WriteBatch;
import dev.espalier.memory.MemoryLimitException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Copies of a store with two indexes, closed or as a crash leaves it, each damaged in one way. Each
 * is opened, read, verified, written and salvaged. What is there must be what there was at the end,
 * or the damage must be said, by an exception that is documented or by the report of the salvage.
 *
 * <p>Damage to what the last step has written may also lose that step and the one before: then
 * nothing is left that tells of them. What was there before the last step, which ends with a force,
 * was safe by the last force but one, and damage to it is always noticed.
 */
final class DamagedImages {
  private static final int PAGE_BYTES = 1024;
  private static final int FRAMES = 40;
  private static final int KEYS = 600;
  private static final int STEPS = 12;
  private static final int WRITES = 60;
  private static final List<String> NAMES = List.of("a", "b");
  private static final String STORE = "store.esp";

  private final CrashKind kind;
  private final long seed;
  private final Path folder;

  /** What each index had before each of the last two steps, and after them. */
  private final Map<String, List<Map<Long, Long>>> expected = new TreeMap<>();

  /**
   * Prepares.
   *
   * @param folder in which files are for a while
   */
  DamagedImages(CrashKind kind, long seed, Path folder) {
    this.kind = kind;
    this.seed = seed;
    this.folder = folder;
  }

  /**
   * Makes, damages and checks so many copies.
   *
   * @return what is wrong with the first copy that is wrong, or an empty string
   */
  String run(int copies) {
    try {
      Path own = Files.createTempDirectory(folder, "damaged-images-");
      SplittableRandom random = new SplittableRandom(seed);
      SoundFiles sound = make(own, random);
      for (int i = 0; i < copies; i++) {
        empty(own);
        DamagedFile damaged = damage(sound, own, random);
        String wrong = check(own, damaged, random);
        if (!wrong.isEmpty()) {
          return "%s, seed %d, copy %d, %s: %s (its files are in %s)"
              .formatted(kind.name(), seed, i + 1, damaged, wrong, own);
        }
      }
      delete(own);
      return "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private StoreOptions options() {
    FileOptions files =
        FileOptions.DEFAULT
            .withPageBytes(PAGE_BYTES)
            .withPoolBytes((FRAMES + 1L) * PAGE_BYTES)
            .withEngine(new UnforcedFiles(PageFiles.CHANNEL));
    return StoreOptions.DEFAULT
        .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES)
        .withFiles(kind.options(files));
  }

  // ---------------------------------------------------------------- make and damage

  private SoundFiles make(Path own, SplittableRandom random) throws IOException {
    boolean isClosed = random.nextBoolean();
    Path store = own.resolve(STORE);
    Map<String, byte[]> before = Map.of();
    Map<String, byte[]> files = Map.of();
    try (IndexStore opened = IndexStore.open(store, options())) {
      Map<String, Map<Long, Long>> entries = new TreeMap<>();
      for (int step = 0; step < STEPS; step++) {
        if (step == STEPS - 1) {
          before = read(own);
        }
        WriteBatch batch = new WriteBatch();
        for (String name : NAMES) {
          Map<Long, Long> ofOne = entries.computeIfAbsent(name, _ -> new TreeMap<>());
          keep(name, ofOne);
          write(batch, kind.open(opened, name), ofOne, step, random);
        }
        opened.write(batch);
        if (random.nextInt(4) == 0) {
          opened.checkpoint();
        } else {
          opened.commit();
        }
      }
      entries.forEach(this::keep);
      if (!isClosed) {
        files = read(own);
      }
    }
    return new SoundFiles(isClosed ? read(own) : files, before, PAGE_BYTES);
  }

  private void keep(String name, Map<Long, Long> entries) {
    List<Map<Long, Long>> last = expected.computeIfAbsent(name, _ -> new ArrayList<>());
    last.add(new TreeMap<>(entries));
    if (last.size() > 3) {
      last.removeFirst();
    }
  }

  private static void write(
      WriteBatch batch,
      CrashIndex index,
      Map<Long, Long> entries,
      int step,
      SplittableRandom random) {
    for (int i = 0; i < WRITES; i++) {
      long key = random.nextInt(KEYS);
      if (random.nextInt(4) == 0) {
        index.addDelete(batch, key);
        entries.remove(key);
      } else {
        index.addSet(batch, key, step);
        entries.put(key, (long) step);
      }
    }
  }

  private static Map<String, byte[]> read(Path own) throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    for (Path file : IndexStore.files(own.resolve(STORE))) {
      files.put(file.getFileName().toString(), Files.readAllBytes(file));
    }
    return files;
  }

  /** Writes the files, one of them damaged. */
  private static DamagedFile damage(SoundFiles sound, Path own, SplittableRandom random)
      throws IOException {
    // One that is just being made may be empty.
    List<Map.Entry<String, byte[]>> some =
        sound.files().entrySet().stream().filter(file -> file.getValue().length > 0).toList();
    Map.Entry<String, byte[]> file = some.get(random.nextInt(some.size()));
    String chosen = file.getKey();
    Damage damage = Damage.values()[random.nextInt(Damage.values().length)];
    byte[] damaged = damage.of(file.getValue().clone(), PAGE_BYTES, random);
    for (Map.Entry<String, byte[]> one : sound.files().entrySet()) {
      String name = one.getKey();
      Files.write(own.resolve(name), name.equals(chosen) ? damaged : one.getValue());
    }
    return new DamagedFile(chosen, damage, sound.isOlderThanLastStep(chosen, damaged));
  }

  /**
   * A file that was damaged.
   *
   * @param mustBeNoticed whether only what was there before the last step is damaged
   */
  private record DamagedFile(String name, Damage damage, boolean mustBeNoticed) {
    @Override
    public String toString() {
      return damage + " of " + name + (mustBeNoticed ? ", before the last step" : "");
    }
  }

  /** What may befall a file. */
  private enum Damage {
    BIT,
    SECTOR_OF_ZEROS,
    SECTOR_OF_ONES,
    SWAPPED_PAGES,
    GARBAGE_AT_THE_END,
    TRUNCATION;

    byte[] of(byte[] bytes, int pageBytes, SplittableRandom random) {
      int at = random.nextInt(bytes.length);
      int sector = at & -512;
      switch (this) {
        case BIT -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case SECTOR_OF_ZEROS -> fill(bytes, sector, (byte) 0);
        case SECTOR_OF_ONES -> fill(bytes, sector, (byte) -1);
        case SWAPPED_PAGES -> {
          int page = at & -pageBytes;
          int other = random.nextInt(bytes.length) & -pageBytes;
          for (int i = 0; i < pageBytes; i++) {
            byte kept = bytes[page + i];
            bytes[page + i] = bytes[other + i];
            bytes[other + i] = kept;
          }
        }
        case TRUNCATION -> {
          return Arrays.copyOf(bytes, at);
        }
        case GARBAGE_AT_THE_END -> {
          byte[] longer = Arrays.copyOf(bytes, bytes.length + 5_000);
          for (int i = bytes.length; i < longer.length; i++) {
            longer[i] = (byte) random.nextInt();
          }
          return longer;
        }
      }
      return bytes;
    }

    private static void fill(byte[] bytes, int sector, byte value) {
      Arrays.fill(bytes, sector, Math.min(bytes.length, sector + 512), value);
    }
  }

  // ---------------------------------------------------------------- check

  private String check(Path own, DamagedFile damaged, SplittableRandom random) throws IOException {
    Path store = own.resolve(STORE);
    String wrong = whatIsWrong(() -> checkSalvage(store, own.resolve("saved.esp"), damaged));
    if (wrong.isEmpty()) {
      wrong = whatIsWrong(() -> checkEntries(store, damaged));
    }
    if (wrong.isEmpty()) {
      wrong = whatIsWrong(() -> writeTo(store, random));
    }
    return wrong;
  }

  /** Does something with a damaged store, and says what is wrong, or "". */
  private interface Use {
    String run() throws IOException;
  }

  /** What is documented for damage is not wrong. */
  private static String whatIsWrong(Use use) throws IOException {
    try {
      return use.run();
    } catch (PageFileException | InvariantViolationException | MemoryLimitException said) {
      return "";
    } catch (IllegalStateException unusable) {
      String message = String.valueOf(unusable.getMessage());
      return message.contains("takes no more changes") || message.contains("can't be used")
          ? ""
          : unusable.toString();
    } catch (RuntimeException raw) {
      return raw.toString();
    }
  }

  /** Checks a store that can be opened and is sound. */
  private String checkEntries(Path store, DamagedFile damaged) {
    try (IndexStore opened = IndexStore.open(store, options())) {
      opened.verify();
      for (String name : NAMES) {
        Map<Long, Long> found = entries(opened, name);
        if (!allowed(name, damaged).contains(found)) {
          return "index '%s' has other entries than were written, and is sound".formatted(name);
        }
      }
      return "";
    }
  }

  /** Returns what an index may have if nothing says that it is damaged. */
  private List<Map<Long, Long>> allowed(String name, DamagedFile damaged) {
    List<Map<Long, Long>> last = expected.getOrDefault(name, List.of());
    return damaged.mustBeNoticed() && !last.isEmpty() ? List.of(last.getLast()) : last;
  }

  private Map<Long, Long> entries(IndexStore opened, String name) {
    Map<Long, Long> found = new TreeMap<>();
    kind.open(opened, name).forEach(found::put);
    return found;
  }

  private String writeTo(Path store, SplittableRandom random) {
    try (IndexStore opened = IndexStore.open(store, options())) {
      for (int i = 0; i < WRITES; i++) {
        CrashIndex index = kind.open(opened, NAMES.get(random.nextInt(NAMES.size())));
        long key = random.nextInt(KEYS);
        if (random.nextBoolean()) {
          index.set(key, i);
        } else {
          index.delete(key);
        }
      }
      opened.commit();
      return "";
    }
  }

  private String checkSalvage(Path store, Path target, DamagedFile damaged) throws IOException {
    SalvageReport report =
        dev.espalier.io.Salvage.salvage(store, options().files(), target, ProgressListener.NONE);
    try (IndexStore saved = IndexStore.open(target, options())) {
      saved.verify();
      for (SalvageReport.Index index : report.indexes()) {
        List<Map<Long, Long>> may = allowed(index.name(), damaged);
        boolean isRight = !index.isComplete() || may.contains(entries(saved, index.name()));
        if (!may.isEmpty() && report.isComplete() && !isRight) {
          return "salvage says that index '%s' is complete: %s".formatted(index.name(), report);
        }
      }
    }
    Files.delete(target);
    return "";
  }

  private static void delete(Path folder) throws IOException {
    empty(folder);
    Files.delete(folder);
  }

  private static void empty(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }
}
