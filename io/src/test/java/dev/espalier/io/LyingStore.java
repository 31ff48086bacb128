// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.ProgressListener;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A store with two indexes of a tree, whose files lie behind good checksums: all that there is to
 * do with it is done, and what must not come of it is kept.
 */
final class LyingStore {
  /** Keys are below this number, most of them. */
  static final int KEYS = 1_200;

  private static final int PAGE_BYTES = 256;
  private static final int FRAMES = 24;

  /** Far more than any case takes of a processor: what is not done by then will never be. */
  private static final Duration HANGS_AFTER = Duration.ofSeconds(60);

  /** The same for a thread that waits, however busy the machine is. */
  private static final Duration WAITS_AT_MOST = Duration.ofMinutes(10);

  /** What has hung; its thread still runs, and everything after it would have to wait for that. */
  private static @Nullable String hung;

  private final Path folder;
  private final String tree;

  private final int stripes;

  /** What the indexes had when an image was made, by their names. */
  private final Map<String, Map<Long, Long>> entries = new TreeMap<>();

  private boolean expectsAnswers;

  /** Takes a folder for the store's files alone. */
  LyingStore(Path folder, String tree) {
    this(folder, tree, 0);
  }

  /**
   * The same with a store over several files.
   *
   * @param stripes files besides the first
   */
  LyingStore(Path folder, String tree, int stripes) {
    this.folder = folder;
    this.tree = tree;
    this.stripes = stripes;
  }

  Path path() {
    return folder.resolve("store.esp");
  }

  StoreOptions options() {
    int pageBytes = stripes == 0 ? PAGE_BYTES : StoreHeader.BYTES;
    FileOptions files =
        PagedTrees.options(tree, pageBytes, FRAMES)
            .withEngine(MappedPageFile.OPENER)
            .withStripes(
                IntStream.rangeClosed(1, stripes)
                    .mapToObj(i -> folder.resolve("stripe" + i))
                    .toArray(Path[]::new));
    return StoreOptions.DEFAULT.withFiles(files).withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);
  }

  IndexStore open() {
    PageFileOpener engine = MappedPageFile.OPENER;
    StoreFiles files = new SystemFiles(Stripes.opener(engine, options().files().stripes()), engine);
    StoreEnvironment environment = new StoreEnvironment(files, new Random(1), false, false);
    return new StoreOpening(path(), options(), environment).open();
  }

  /** Deletes all files. */
  void clean() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }

  // ---------------------------------------------------------------- make

  /** Makes a store by many writes over several checkpoints, and closes it. */
  StoreImage closed() throws IOException {
    Random random = new Random(3);
    try (IndexStore store = open()) {
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < KEYS; i++) {
          StoredIndex index = StoredIndex.of(store, tree, random.nextInt(4) == 0 ? "b" : "a");
          long key = random.nextInt(KEYS);
          if (random.nextInt(4) == 0) {
            index.delete(key);
          } else {
            index.set(key, i);
          }
        }
        store.checkpoint();
      }
      note(store);
    }
    StoreImage image = new StoreImage(path(), options().files());
    clean();
    return image;
  }

  /** Makes a store that a crash leaves, with several segments of a log. */
  StoreImage crashed() throws IOException {
    Random random = new Random(4);
    StoreImage image;
    try (IndexStore store = open()) {
      StoredIndex.of(store, tree, "b").set(1, 1);
      store.checkpoint();
      for (int i = 0; i < KEYS; i++) {
        StoredIndex index = StoredIndex.of(store, tree, random.nextInt(4) == 0 ? "b" : "a");
        long key = random.nextInt(KEYS);
        switch (random.nextInt(40)) {
          case 0 -> index.removeRange(key, key + 5);
          case 1, 2, 3, 4, 5, 6 -> index.delete(key);
          default -> index.set(key, i);
        }
        if (i % 100 == 0) {
          store.commit(new byte[] {1, 2});
        }
        if (i == KEYS / 2) {
          store.checkpoint();
        }
      }
      StoredIndex.of(store, tree, "b").clear();
      store.commit();
      note(store);
      image = new StoreImage(path(), options().files());
    }
    clean();
    return image;
  }

  /** From now on, what is neither refused nor found by verify is to have all entries. */
  void expectAnswers() {
    expectsAnswers = true;
  }

  private void note(IndexStore store) {
    for (String name : List.of("a", "b")) {
      entries.put(name, StoredIndex.of(store, tree, name).entries());
    }
  }

  // ---------------------------------------------------------------- use

  /**
   * Does all that there is to do with the store whose files are there, and deletes them.
   *
   * @param what lies, for the messages
   * @return what was thrown that must not be, each with the place where it was
   */
  List<String> wrongsOf(String what, Random random) throws IOException, InterruptedException {
    List<String> wrongs = new ArrayList<>();
    inTime(what, () -> use(random)).forEach(raw -> wrongs.add(what + "\n" + trace(raw)));
    clean();
    return wrongs;
  }

  private List<Throwable> use(Random random) {
    List<String> refusals = new ArrayList<>();
    List<Throwable> raw = new ArrayList<>();
    EveryUse.call(
        "open and read",
        () -> {
          try (IndexStore store = open()) {
            EveryUse use = new EveryUse(store, tree, KEYS, random);
            use.read();
            boolean isSound = use.verify();
            if (isSound && !use.refusals.isEmpty()) {
              raw.add(new AssertionError("verify is content with " + use.refusals));
            } else if (isSound && expectsAnswers && !holdsAll(store)) {
              raw.add(new AssertionError("answers are wrong, and nothing says so"));
            }
            refusals.addAll(use.refusals);
            raw.addAll(use.raw);
          }
        },
        refusals,
        raw);
    EveryUse.call("salvage", () -> salvage(), refusals, raw);
    EveryUse.call(
        "open and write",
        () -> {
          try (IndexStore store = open()) {
            EveryUse use = new EveryUse(store, tree, KEYS, random);
            use.write();
            use.verify();
            raw.addAll(use.raw);
          }
        },
        refusals,
        raw);
    EveryUse.call(
        "open again",
        () -> {
          try (IndexStore store = open()) {
            EveryUse use = new EveryUse(store, tree, KEYS, random);
            use.read();
            raw.addAll(use.raw);
          }
        },
        refusals,
        raw);
    EveryUse.call("salvage again", () -> salvage(), refusals, raw);
    return raw;
  }

  private boolean holdsAll(IndexStore store) {
    return entries.entrySet().stream()
        .allMatch(
            each -> StoredIndex.of(store, tree, each.getKey()).entries().equals(each.getValue()));
  }

  private void salvage() throws IOException {
    Path target = folder.resolve("saved.esp");
    Files.deleteIfExists(target);
    Salvage.salvage(path(), options().files(), target, ProgressListener.NONE);
    StoreOptions plain = options().withFiles(options().files().withStripes());
    try (IndexStore store = IndexStore.open(target, plain)) {
      store.verify();
    }
    Files.delete(target);
  }

  private static String trace(Throwable raw) {
    Throwable cause = raw.getCause() == null ? raw : raw.getCause();
    StringBuilder text = new StringBuilder(raw.getMessage() + ": " + cause);
    Arrays.stream(cause.getStackTrace())
        .filter(frame -> !frame.getClassName().startsWith("jdk.internal"))
        .limit(9)
        .forEach(frame -> text.append("\n    ").append(frame));
    return text.toString();
  }

  /** Something with a result. */
  private interface Use {
    List<Throwable> run();
  }

  private static List<Throwable> inTime(String what, Use use) throws InterruptedException {
    assumeTrue(hung == null, () -> "not tried after what hangs: " + hung);
    List<Throwable> found = new ArrayList<>();
    Thread thread = Thread.ofPlatform().daemon().unstarted(() -> found.addAll(use.run()));
    ThreadMXBean times = ManagementFactory.getThreadMXBean();
    long start = System.nanoTime();
    thread.start();
    while (!thread.join(Duration.ofSeconds(1))) {
      long waited = System.nanoTime() - start;
      long used = times.getThreadCpuTime(thread.threadId());
      if (used > HANGS_AFTER.toNanos() || waited > WAITS_AT_MOST.toNanos()) {
        hung = what;
        AssertionError hangs = new AssertionError(what + " hangs");
        hangs.setStackTrace(thread.getStackTrace());
        throw hangs;
      }
    }
    return found;
  }
}
