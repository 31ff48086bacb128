// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.cli.soak.CrashMoments;
import dev.espalier.cli.soak.FileRecorder;
import dev.espalier.cli.soak.Force;
import dev.espalier.cli.soak.Playback;
import dev.espalier.cli.soak.Recording;
import dev.espalier.cli.soak.UnforcedFiles;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.PageFileOpener;
import dev.espalier.io.PageFiles;
import dev.espalier.io.StoreOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Crashes of a store, whose {@linkplain CrashSteps steps} change all its indexes at once. Most
 * programs that go through them are killed sooner or later, within recovery as well, and another
 * one goes on. What a crash leaves must be exactly what there was after some step, and not before
 * the last one that was acknowledged; and so must copies that were made meanwhile. Every other
 * seed's store is spread over two folders.
 */
final class CrashImages {
  private static final int PAGE_BYTES = 1024;
  private static final int FRAMES = 40;

  /** Events before the end of a program that is killed; shorter lives end within recovery. */
  private static final int MOST_EVENTS = 250;

  /** How often a program that is killed before some force is about to make it. */
  private static final int MOST_FORCES = 4;

  /** One program in so many is not killed. */
  private static final int SURVIVORS = 30;

  private static final String STORE = "store.esp";
  private static final String OTHER_FOLDER = "other";
  private static final String COPY = "copy";

  private final CrashKind kind;
  private final long seed;
  private final Path folder;
  private final CrashSteps steps;

  /** What copies had that were right, by their names: once they are safe, all images have it. */
  private final Map<String, byte[]> rightCopies = new HashMap<>();

  /**
   * Prepares.
   *
   * @param folder in which files are for a while
   */
  CrashImages(CrashKind kind, long seed, Path folder) {
    this.kind = kind;
    this.seed = seed;
    this.folder = folder;
    this.steps = new CrashSteps(seed);
  }

  /**
   * Makes and checks so many images of one run.
   *
   * @param isLeftOut tells which forces are held not to have happened
   * @return what is wrong with the first image that is wrong, or an empty string
   */
  String run(int images, Predicate<Force> isLeftOut) {
    try {
      Path own = Files.createTempDirectory(folder, "crash-images-");
      Recording recording;
      try {
        recording = record(own);
      } catch (RuntimeException wrong) {
        return "%s, seed %d, before any image: %s (its files are in %s)"
            .formatted(kind.name(), seed, wrong, own);
      }
      SplittableRandom random = new SplittableRandom(~seed);
      CrashMoments draw = new CrashMoments(recording, isLeftOut);
      int[] moments =
          Stream.generate(() -> draw.next(random))
              .limit(images)
              .mapToInt(i -> i)
              .sorted()
              .toArray();
      Playback playback = recording.play(isLeftOut);
      for (int i = 0; i < images; i++) {
        empty(own);
        playback.advanceTo(moments[i]);
        playback.writeImage(random.split(), own);
        String wrong = check(own, playback);
        if (!wrong.isEmpty()) {
          return ("%s, seed %d, image %d, a crash at event %d of %d: %s"
                  + " (what recovery made of it is in %s)")
              .formatted(kind.name(), seed, i + 1, moments[i], recording.end(), wrong, own);
        }
      }
      delete(own);
      return "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the forces of one run. */
  Set<Force> forces() {
    try {
      Path own = Files.createTempDirectory(folder, "crash-images-");
      Recording recording = record(own);
      delete(own);
      return recording.forces();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // ---------------------------------------------------------------- files

  private boolean isStriped() {
    return seed % 2 == 0;
  }

  private static Path stripe(Path own) {
    return own.resolve(OTHER_FOLDER).resolve("stripe.esp");
  }

  private StoreOptions options(Path own, PageFileOpener engine) {
    FileOptions files = files(engine);
    return StoreOptions.DEFAULT
        .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES)
        .withFiles(isStriped() ? files.withStripes(stripe(own)) : files);
  }

  private FileOptions files(PageFileOpener engine) {
    return kind.options(
        FileOptions.DEFAULT
            .withPageBytes(PAGE_BYTES)
            .withPoolBytes((FRAMES + 1L) * PAGE_BYTES)
            .withEngine(engine));
  }

  private static Path copy(Path own, int step) {
    return own.resolve(COPY + step);
  }

  private static List<Path> copies(Path own) throws IOException {
    try (Stream<Path> files = Files.list(own)) {
      return files
          .filter(file -> file.getFileName().toString().matches(COPY + "\\d+"))
          .sorted()
          .toList();
    }
  }

  private static void delete(Path folder) throws IOException {
    empty(folder);
    Files.delete(folder.resolve(OTHER_FOLDER));
    Files.delete(folder);
  }

  /** Deletes all files, and makes the folders. */
  private static void empty(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        if (!file.equals(folder)) {
          Files.delete(file);
        }
      }
    }
    Files.createDirectory(folder.resolve(OTHER_FOLDER));
  }

  // ---------------------------------------------------------------- record

  /** Goes through all steps; a program that is killed among them is followed by another one. */
  private Recording record(Path own) throws IOException {
    empty(own);
    FileRecorder recorder = new FileRecorder(own);
    SplittableRandom random = new SplittableRandom(seed + 1);
    boolean isDone = false;
    while (!isDone) {
      drawDeath(recorder, random);
      try {
        live(own, recorder, random);
      } catch (RuntimeException failed) {
        if (!recorder.isDead()) {
          throw failed;
        }
      }
      isDone = !recorder.isDead();
      recorder.revive();
      shuffle(own, random);
    }
    return recorder.recording();
  }

  /** Lets the files come in another order when their folder is listed, which is not defined. */
  private static void shuffle(Path own, SplittableRandom random) throws IOException {
    List<Path> files = new ArrayList<>();
    try (Stream<Path> all = Files.list(own)) {
      all.filter(Files::isRegularFile).sorted().forEach(files::add);
    }
    Collections.shuffle(files, random);
    Path other = own.resolve("shuffled");
    for (Path file : files) {
      Files.move(file, other);
      Files.move(other, file);
    }
  }

  /**
   * Says when the next program is killed: at any moment, or before it makes something safe, of
   * which each run prefers a kind.
   */
  private void drawDeath(FileRecorder recorder, SplittableRandom random) {
    if (random.nextInt(SURVIVORS) == 0) {
      return;
    }
    recorder.dieAfter(logarithmic(MOST_EVENTS, random));
    List<Force> forces = recorder.forces();
    if (!forces.isEmpty() && random.nextInt(4) > 0) {
      recorder.dieAfter(MOST_EVENTS);
      int habit = Math.floorMod(seed / 2, forces.size());
      Force force = forces.get(random.nextBoolean() ? habit : random.nextInt(forces.size()));
      recorder.dieBefore(force, 1 + random.nextInt(MOST_FORCES));
    }
  }

  /** Draws a number from 1 to a bound, of each magnitude as often. */
  private static int logarithmic(int bound, SplittableRandom random) {
    return (int) Math.exp(random.nextDouble() * Math.log(bound));
  }

  /** Opens the store and goes on with the steps, to the last one or until it is killed. */
  private void live(Path own, FileRecorder recorder, SplittableRandom random) {
    Path store = own.resolve(STORE);
    if (isStriped() && !Files.exists(store)) {
      recorder.delete(stripe(own)); // A making that was cut off may have left it.
    }
    IndexStore opened = IndexStore.open(store, options(own, recorder));
    try {
      CrashSteps.Indexes indexes = CrashSteps.Indexes.of(opened, kind);
      int step = indexes.step();
      if (step < recorder.acknowledged()) {
        throw new IllegalStateException(
            "a kill left what there was after step %d, but step %d was acknowledged"
                .formatted(step, recorder.acknowledged()));
      }
      opened.commit();
      while (step < CrashSteps.COUNT) {
        step++;
        opened.write(steps.batch(step, indexes));
        switch (random.nextInt(16)) {
          case 0, 1 -> {
            opened.checkpoint();
            recorder.acknowledge(step);
          }
          case 2, 3 -> opened.shrink();
          case 4, 5 -> {
            opened.close();
            recorder.acknowledge(step);
            opened = IndexStore.open(store, options(own, recorder));
            indexes = CrashSteps.Indexes.of(opened, kind);
          }
          case 6 -> {
            Path copy = copy(own, step);
            opened.backup(copy);
            recorder.acknowledge(step);
            recorder.acknowledgeCopy(copy, step);
          }
          case 7, 8, 9, 10, 11 -> {
            opened.commit();
            recorder.acknowledge(step);
          }
          default -> {}
        }
      }
    } catch (RuntimeException failed) {
      close(opened, failed);
      throw failed;
    }
    opened.close();
    recorder.acknowledge(CrashSteps.COUNT);
  }

  /** Lets go of what a program that was killed has open. */
  private static void close(IndexStore opened, RuntimeException failed) {
    try {
      opened.close();
    } catch (RuntimeException second) {
      failed.addSuppressed(second);
    }
  }

  // ---------------------------------------------------------------- check

  /** Opens what a crash left, and returns what is wrong with it. */
  private String check(Path own, Playback playback) throws IOException {
    String wrong = checkStore(own, playback.acknowledged());
    for (Path copy : copies(own)) {
      if (wrong.isEmpty()) {
        wrong = checkCopy(copy);
      }
    }
    for (Map.Entry<String, Integer> copy : playback.copies().entrySet()) {
      if (wrong.isEmpty() && !Files.exists(own.resolve(copy.getKey()))) {
        wrong = "%s is missing, but was acknowledged".formatted(copy.getKey());
      }
    }
    return wrong;
  }

  private String checkStore(Path own, int acknowledged) {
    Path store = own.resolve(STORE);
    if (!Files.exists(store) && acknowledged == 0) {
      return "";
    }
    try (IndexStore opened =
        IndexStore.open(store, options(own, new UnforcedFiles(PageFiles.CHANNEL)))) {
      opened.verify();
      CrashSteps.Indexes indexes = CrashSteps.Indexes.of(opened, kind);
      String difference = steps.difference(indexes);
      return difference.isEmpty() && indexes.step() < acknowledged
          ? "it is as it was after step %d, but step %d was acknowledged"
              .formatted(indexes.step(), acknowledged)
          : difference;
    } catch (RuntimeException wrong) {
      // Whatever a damaged store leads to.
      return wrong.toString();
    }
  }

  /**
   * Checks a copy, which is whole if it has its name; one that was right need not be opened again.
   */
  private String checkCopy(Path copy) throws IOException {
    String name = copy.getFileName().toString();
    byte[] bytes = Files.readAllBytes(copy);
    if (Arrays.equals(bytes, rightCopies.get(name))) {
      return "";
    }
    String wrong = whatIsWrongWith(copy);
    if (wrong.isEmpty()) {
      rightCopies.put(name, bytes);
    }
    return wrong;
  }

  private String whatIsWrongWith(Path copy) {
    FileOptions options = files(PageFiles.CHANNEL).withFlags(FileOption.READ_ONLY);
    try (IndexStore opened = IndexStore.open(copy, StoreOptions.DEFAULT.withFiles(options))) {
      opened.verify();
      CrashSteps.Indexes indexes = CrashSteps.Indexes.of(opened, kind);
      String difference = steps.difference(indexes);
      return difference.isEmpty() && !copy.getFileName().toString().equals(COPY + indexes.step())
          ? "it is as it was after step " + indexes.step()
          : difference;
    } catch (RuntimeException wrong) {
      return "%s: %s".formatted(copy.getFileName(), wrong);
    }
  }
}
