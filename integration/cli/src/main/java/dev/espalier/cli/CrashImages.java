// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.cli.soak.FileRecorder;
import dev.espalier.cli.soak.Force;
import dev.espalier.cli.soak.Playback;
import dev.espalier.cli.soak.Recording;
import dev.espalier.cli.soak.UnforcedFiles;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.PageFileOpener;
import dev.espalier.io.PageFiles;
import dev.espalier.io.StoreOptions;
import dev.espalier.io.WriteBatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Crashes of a store with three indexes, each of whose steps changes all of them by one batch and
 * has a counter in each. Now and then the process is killed, within recovery as well. What a crash
 * leaves must be exactly what there was after some step, and not before the last one that was
 * acknowledged.
 */
final class CrashImages {
  private static final int INDEXES = 3;
  private static final long COUNTER = Long.MIN_VALUE;
  private static final int PAGE_BYTES = 1024;
  private static final int FRAMES = 40;
  private static final int STEPS = 60;
  private static final int KEYS = 400;
  private static final int MOST_WRITES = 40;

  /** Events before the end of a program that is killed; shorter lives end within recovery. */
  private static final int MOST_EVENTS = 400;

  private static final String STORE = "store.esp";

  private final CrashKind kind;
  private final long seed;
  private final Path folder;

  /**
   * Prepares.
   *
   * @param folder in which files are for a while
   */
  CrashImages(CrashKind kind, long seed, Path folder) {
    this.kind = kind;
    this.seed = seed;
    this.folder = folder;
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
        recording = record(own.resolve(STORE));
      } catch (RuntimeException wrong) {
        return "%s, seed %d, before any image: %s (its files are in %s)"
            .formatted(kind.name(), seed, wrong, own);
      }
      List<List<Map<Long, Long>>> states = states();
      SplittableRandom random = new SplittableRandom(~seed);
      int[] moments = random.ints(images, 0, recording.moments() + 1).sorted().toArray();
      Playback playback = recording.play(isLeftOut);
      for (int i = 0; i < images; i++) {
        empty(own);
        playback.advanceTo(moments[i]);
        playback.writeImage(random.split(), own);
        String wrong = check(own.resolve(STORE), playback.acknowledged(), states);
        if (!wrong.isEmpty()) {
          return ("%s, seed %d, image %d, a crash at event %d of %d: %s"
                  + " (what recovery made of it is in %s)")
              .formatted(kind.name(), seed, i + 1, moments[i], recording.moments(), wrong, own);
        }
      }
      delete(own);
      return "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private StoreOptions options(PageFileOpener engine) {
    return StoreOptions.DEFAULT
        .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES)
        .withFiles(
            kind.options(
                FileOptions.DEFAULT
                    .withPageBytes(PAGE_BYTES)
                    .withPoolBytes((FRAMES + 1L) * PAGE_BYTES)
                    .withEngine(engine)));
  }

  private List<CrashIndex> indexes(IndexStore store) {
    List<CrashIndex> indexes = new ArrayList<>();
    for (int i = 0; i < INDEXES; i++) {
      indexes.add(kind.open(store, "index " + i));
    }
    return indexes;
  }

  /** Goes through all steps; a program that is killed among them is followed by another one. */
  private Recording record(Path store) {
    FileRecorder recorder = new FileRecorder();
    SplittableRandom random = new SplittableRandom(seed + 1);
    boolean isDone = false;
    while (!isDone) {
      if (random.nextBoolean()) {
        recorder.dieAfter((int) Math.exp(random.nextDouble() * Math.log(MOST_EVENTS)));
      }
      try {
        live(store, recorder, random);
      } catch (RuntimeException failed) {
        if (!recorder.isDead()) {
          throw failed;
        }
      }
      isDone = !recorder.isDead();
      recorder.revive();
    }
    return recorder.recording();
  }

  /** Opens the store and goes on with the steps, to the last one or until it is killed. */
  private void live(Path store, FileRecorder recorder, SplittableRandom random) {
    IndexStore opened = IndexStore.open(store, options(recorder));
    try {
      List<CrashIndex> indexes = indexes(opened);
      int step = counter(indexes.getFirst());
      if (step < recorder.acknowledged()) {
        throw new IllegalStateException(
            "a kill left what there was after step %d, but step %d was acknowledged"
                .formatted(step, recorder.acknowledged()));
      }
      opened.commit();
      while (step < STEPS) {
        step++;
        opened.write(batch(step, indexes));
        switch (random.nextInt(8)) {
          case 0 -> {
            opened.checkpoint();
            recorder.acknowledge(step);
          }
          case 1 -> opened.shrink();
          case 2 -> {
            opened.close();
            recorder.acknowledge(step);
            opened = IndexStore.open(store, options(recorder));
            indexes = indexes(opened);
          }
          case 3, 4, 5 -> {
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
    recorder.acknowledge(STEPS);
  }

  /** Lets go of what a program that was killed has open. */
  private static void close(IndexStore opened, RuntimeException failed) {
    try {
      opened.close();
    } catch (RuntimeException second) {
      failed.addSuppressed(second);
    }
  }

  private WriteBatch batch(int step, List<CrashIndex> indexes) {
    WriteBatch batch = new WriteBatch();
    for (int i = 0; i < INDEXES; i++) {
      indexes.get(i).addSet(batch, COUNTER, step);
      for (Write write : writes(step, i)) {
        if (write.isDelete()) {
          indexes.get(i).addDelete(batch, write.key());
        } else {
          indexes.get(i).addSet(batch, write.key(), write.value());
        }
      }
    }
    return batch;
  }

  private record Write(long key, long value, boolean isDelete) {}

  /** Returns what a step writes to an index, besides its counter. */
  private List<Write> writes(int step, int index) {
    SplittableRandom random = new SplittableRandom(seed * 31 + step * 7L + index);
    List<Write> writes = new ArrayList<>();
    int count = random.nextInt(MOST_WRITES);
    for (int i = 0; i < count; i++) {
      writes.add(
          new Write(random.nextInt(KEYS), random.nextInt(1_000_000), random.nextInt(3) == 0));
    }
    return writes;
  }

  /** Returns the entries of each index after each step; at first there are none. */
  private List<List<Map<Long, Long>>> states() {
    List<List<Map<Long, Long>>> states = new ArrayList<>();
    for (int i = 0; i < INDEXES; i++) {
      Map<Long, Long> entries = new TreeMap<>();
      List<Map<Long, Long>> ofOne = new ArrayList<>();
      ofOne.add(Map.of());
      for (int step = 1; step <= STEPS; step++) {
        for (Write write : writes(step, i)) {
          if (write.isDelete()) {
            entries.remove(write.key());
          } else {
            entries.put(write.key(), write.value());
          }
        }
        entries.put(COUNTER, (long) step);
        ofOne.add(new TreeMap<>(entries));
      }
      states.add(ofOne);
    }
    return states;
  }

  /** Opens what a crash left, and returns what is wrong with it. */
  private String check(Path store, int acknowledged, List<List<Map<Long, Long>>> states) {
    if (!Files.exists(store) && acknowledged == 0) {
      return "";
    }
    try (IndexStore opened =
        IndexStore.open(store, options(new UnforcedFiles(PageFiles.CHANNEL)))) {
      opened.verify();
      List<CrashIndex> indexes = indexes(opened);
      int step = counter(indexes.getFirst());
      for (int i = 0; i < INDEXES; i++) {
        Map<Long, Long> found = new TreeMap<>();
        indexes.get(i).forEach(found::put);
        if (!found.equals(states.get(i).get(step))) {
          return "index %d is not as it was after step %d".formatted(i, step);
        }
      }
      return step < acknowledged
          ? "it is as it was after step %d, but step %d was acknowledged"
              .formatted(step, acknowledged)
          : "";
    } catch (RuntimeException wrong) {
      // Whatever a damaged store leads to.
      return wrong.toString();
    }
  }

  /** Returns the step that an index says it is of. */
  private static int counter(CrashIndex index) {
    long step = index.get(COUNTER).orElse(0);
    if (step < 0 || step > STEPS) {
      throw new IllegalStateException("the counter is " + step);
    }
    return (int) step;
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
