// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.cli.soak.LyingPages;
import dev.espalier.cli.soak.SoakShape;
import dev.espalier.cli.soak.UnforcedFiles;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.PageFiles;
import dev.espalier.io.StoreOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Stores whose pages lie behind good checksums, as a fault in memory or a bug leaves them: a few
 * bytes of a page are changed before it is written. Half of the stores are closed, and the others
 * are left by a crash with a log of what came after the lie.
 *
 * <p>Each is opened, read in every way, verified, salvaged and written. Whatever the pages say,
 * every call ends, with an answer or with an exception that is documented. If one of them says that
 * a page is damaged, so does {@code verify}. What is salvaged is sound.
 */
final class LyingStores {
  /** So few that most pages are read from the file. */
  private static final int FRAMES = 24;

  private static final int KEYS = 1_200;
  private static final int ROUNDS = 3;
  private static final int WRITES_AFTER_A_LIE = 100;
  private static final List<String> NAMES = List.of("a", "b");
  private static final String STORE = "store.esp";
  private static final int MOST_PAGE_BYTES = 4 << 10;

  /** Far more than any store takes of a processor: what is not done by then will never be. */
  private static final Duration HANGS_AFTER = Duration.ofSeconds(60);

  /** The same for a thread that waits, however busy the machine is. */
  private static final Duration WAITS_AT_MOST = Duration.ofMinutes(10);

  private static final int FRAMES_OF_A_TRACE = 9;

  private final SoakShape shape;
  private final long seed;
  private final Path folder;

  /**
   * Prepares.
   *
   * @param shape one of {@link #shapes}
   * @param folder in which files are for a while
   */
  LyingStores(SoakShape shape, long seed, Path folder) {
    this.shape = shape;
    this.seed = seed;
    this.folder = folder;
  }

  /** Returns trees in files with small pages, of which a few entries take many. */
  static List<SoakShape> shapes() {
    return SoakShape.all().stream()
        .filter(shape -> shape.isInFile() && shape.pageBytes() > 0)
        .filter(shape -> shape.pageBytes() <= MOST_PAGE_BYTES)
        .toList();
  }

  /**
   * Returns one of {@link #shapes} with its name, in any case.
   *
   * @throws IllegalArgumentException if there is none; the message lists all names
   */
  static SoakShape named(String name) {
    return shapes().stream()
        .filter(shape -> shape.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no shape in small pages is named '" + name + "'; there are " + shapes()));
  }

  /**
   * Makes and uses so many stores.
   *
   * @return what is wrong with the first store that is wrong, or an empty string
   */
  String run(int stores) {
    try {
      Path own = Files.createTempDirectory(folder, "lying-pages-");
      SplittableRandom random = new SplittableRandom(seed);
      Map<String, byte[]> sound = makeSound(own, random);
      for (int i = 0; i < stores; i++) {
        Use use = new Use(own, random.split());
        String wrong = inTime(() -> use.run(sound));
        if (!wrong.isEmpty()) {
          return "%s, seed %d, store %d, %s: %s (its files are in %s)"
              .formatted(shape, seed, i + 1, use.lies, wrong, own);
        }
      }
      empty(own);
      Files.delete(own);
      return "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private StoreOptions options(TreeVariant tree) {
    FileOptions files =
        FileOptions.DEFAULT
            .withVariant(tree)
            .withPageBytes(shape.pageBytes())
            .withPoolBytes((FRAMES + 1L) * shape.pageBytes())
            .withEngine(new UnforcedFiles(PageFiles.CHANNEL));
    return StoreOptions.DEFAULT
        .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES)
        .withCheckpointTime(Duration.ofHours(1))
        .withFiles(files);
  }

  private IndexStore open(Path own) {
    return IndexStore.open(own.resolve(STORE), options(shape.tree()));
  }

  private LongIndex index(IndexStore store, String name) {
    return store.index(name, shape.tree());
  }

  // ---------------------------------------------------------------- files

  /** Makes a sound store by many writes over several checkpoints, and returns its files. */
  private Map<String, byte[]> makeSound(Path own, SplittableRandom random) throws IOException {
    try (IndexStore store = open(own)) {
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < KEYS; i++) {
          write(index(store, random.nextInt(4) == 0 ? "b" : "a"), i, random);
        }
        store.checkpoint();
      }
    }
    return read(own);
  }

  private static void write(LongIndex index, long value, SplittableRandom random) {
    long key = random.nextInt(KEYS);
    if (random.nextInt(4) == 0) {
      index.delete(key);
    } else {
      index.set(key, value);
    }
  }

  private static Map<String, byte[]> read(Path own) throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    for (Path file : IndexStore.files(own.resolve(STORE))) {
      files.put(file.getFileName().toString(), Files.readAllBytes(file));
    }
    return files;
  }

  private static void replace(Path own, Map<String, byte[]> files) throws IOException {
    empty(own);
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Files.write(own.resolve(file.getKey()), file.getValue());
    }
  }

  private static void empty(Path own) throws IOException {
    try (Stream<Path> files = Files.list(own)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  // ---------------------------------------------------------------- use

  /** What is done with one store. */
  private final class Use {
    private final Path own;
    private final SplittableRandom random;

    /** What lies, for messages. */
    private volatile String lies = "before any lie";

    Use(Path own, SplittableRandom random) {
      this.own = own;
      this.random = random;
    }

    /** Returns what is wrong, or an empty string. */
    String run(Map<String, byte[]> sound) throws IOException {
      EveryCall calls = new EveryCall(random, KEYS);
      replace(own, sound);
      calls.call("a lie", () -> lie(calls));
      String wrong = readAndVerify(calls);
      calls.call("salvage", this::salvage);
      calls.call("opening and writing", () -> write(calls));
      calls.call("opening again", () -> read(calls));
      calls.call("another salvage", this::salvage);
      return calls.raw().isEmpty() ? wrong : trace(calls.raw().getFirst());
    }

    /** Lets pages lie that are then written with the checksums of what they have. */
    private void lie(EveryCall calls) throws IOException {
      LyingPages pages = new LyingPages(shape.tree());
      Map<String, byte[]> killed = Map.of();
      try (IndexStore store = IndexStore.open(own.resolve(STORE), options(pages.tree()))) {
        List<LongIndex> indexes =
            NAMES.stream().map(name -> store.index(name, pages.tree())).toList();
        boolean isKilled = random.nextBoolean();
        lies = pages.lie(random) + (isKilled ? " then a crash" : "");
        store.checkpoint();
        if (isKilled) {
          boolean goesOn = true;
          for (int i = 0; i < WRITES_AFTER_A_LIE && goesOn; i++) {
            long value = i;
            LongIndex index = indexes.get(random.nextInt(indexes.size()));
            goesOn = calls.call("a write after", () -> LyingStores.write(index, value, random));
          }
          calls.call("a commit after", store::commit);
          killed = LyingStores.read(own);
        }
      } finally {
        if (!killed.isEmpty()) {
          replace(own, killed);
        }
      }
    }

    private String readAndVerify(EveryCall calls) {
      boolean[] isSound = {false};
      EveryCall reading = new EveryCall(random, KEYS);
      reading.call(
          "opening and reading",
          () -> {
            try (IndexStore store = open(own)) {
              for (String name : NAMES) {
                reading.call("opening " + name, () -> reading.read(index(store, name)));
              }
              isSound[0] = reading.verify(store);
            }
          });
      calls.raw().addAll(reading.raw());
      return isSound[0] && !reading.refusals().isEmpty()
          ? "verify is content with " + reading.refusals().getFirst()
          : "";
    }

    private void read(EveryCall calls) {
      try (IndexStore store = open(own)) {
        for (String name : NAMES) {
          calls.call("opening " + name + " again", () -> calls.read(index(store, name)));
        }
      }
    }

    private void write(EveryCall calls) {
      try (IndexStore store = open(own)) {
        calls.write(store, index(store, NAMES.getFirst()), index(store, NAMES.getLast()));
        calls.verify(store);
      }
    }

    private void salvage() throws IOException {
      Path target = own.resolve("saved.esp");
      Files.deleteIfExists(target);
      StoreOptions options = options(shape.tree());
      dev.espalier.io.Salvage.salvage(
          own.resolve(STORE), options.files(), target, ProgressListener.NONE);
      try (IndexStore saved = IndexStore.open(target, options)) {
        saved.verify();
      } catch (RuntimeException unsound) {
        throw new AssertionError("what was salvaged is not sound", unsound);
      }
      Files.delete(target);
    }
  }

  private static String trace(Throwable raw) {
    Throwable cause = raw.getCause() == null ? raw : raw.getCause();
    return raw.getMessage() + ": " + cause + trace(cause.getStackTrace());
  }

  private static String trace(StackTraceElement[] frames) {
    StringBuilder text = new StringBuilder();
    Arrays.stream(frames)
        .filter(frame -> !frame.getClassName().startsWith("jdk.internal"))
        .limit(FRAMES_OF_A_TRACE)
        .forEach(frame -> text.append(" at ").append(frame));
    return text.toString();
  }

  // ---------------------------------------------------------------- time

  /**
   * Works in a thread of its own.
   *
   * @return what comes of it, or where it hangs
   */
  private static String inTime(Callable<String> work) throws IOException {
    FutureTask<String> task = new FutureTask<>(work);
    Thread thread = Thread.ofPlatform().daemon().name("lying-pages").start(task);
    ThreadMXBean times = ManagementFactory.getThreadMXBean();
    long start = System.nanoTime();
    while (true) {
      try {
        return task.get(1, TimeUnit.SECONDS);
      } catch (TimeoutException _) {
        long waited = System.nanoTime() - start;
        long used = times.getThreadCpuTime(thread.threadId());
        if (used > HANGS_AFTER.toNanos() || waited > WAITS_AT_MOST.toNanos()) {
          return "it hangs" + trace(thread.getStackTrace());
        }
      } catch (ExecutionException failed) {
        throw new IOException(failed.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }
}
