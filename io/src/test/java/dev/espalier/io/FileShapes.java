// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.ShapeSource;
import dev.espalier.TestSize;
import dev.espalier.TreeShape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The trees in files, over pools with few frames, by every engine: what the contracts of all trees
 * are run over here. A file is gone from its folder as soon as it is open.
 */
public final class FileShapes implements ShapeSource {
  private static final Path MEMORY = Path.of("/dev/shm");

  /** For readers at once, who pin some frames each. */
  private static final int FRAMES = 12;

  @Override
  public List<TreeShape> shapes() {
    List<TreeShape> shapes = new ArrayList<>();
    for (String tree : PagedTrees.names()) {
      if (tree.equals("Cola")) {
        shapes.add(shape(tree, 1024, "best", PageFiles.DIRECT));
        continue;
      }
      shapes.add(shape(tree, 256, "best", PageFiles.DIRECT));
      if (TestSize.isThorough()) {
        shapes.add(shape(tree, 512, "channel", PageFiles.CHANNEL));
      }
    }
    shapes.add(shape("DiskFirstFpbPlusTree", 4096, "best", PageFiles.DIRECT));
    shapes.add(shape("FpbLinkTree", 4096, "best", PageFiles.DIRECT));
    shapes.add(shape("CacheFirstFpbPlusTree", 1024, "threads", threads()));
    for (String tree : List.of("FpbLinkTree", "DiskFirstFpbPlusTree", "Cola", "PioBTree")) {
      FileOptions file = PagedTrees.options(tree, 1024, FRAMES).withEngine(PageFiles.DIRECT);
      shapes.add(
          new TreeShape(
              tree + " 1024 best with checkpoints beside, in a file",
              options -> open(file, options, true)));
    }
    return shapes;
  }

  private static PageFileOpener threads() {
    return System.getProperty("espalier.test.run").equals("native")
        ? PageFiles.THREADS
        : PageFiles.CHANNEL;
  }

  private static TreeShape shape(String tree, int pageBytes, String engine, PageFileOpener opener) {
    return new TreeShape(
        "%s %d %s in a file".formatted(tree, pageBytes, engine),
        options ->
            open(PagedTrees.options(tree, pageBytes, FRAMES).withEngine(opener), options, false));
  }

  /** Opens an index, and lets a thread make checkpoints beside what is done to it, or not. */
  private static LongIndex open(FileOptions file, IndexOptions options, boolean checkpoints) {
    try {
      StoreOptions all =
          StoreOptions.DEFAULT
              .withFiles(file.withMissingValue(options.missingValue()))
              .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES)
              .withCheckpointTime(checkpoints ? Duration.ofMillis(1) : Duration.ofHours(1));
      StoreEnvironment environment =
          new StoreEnvironment(goneFiles(file.engine()), new Random(1), false, checkpoints);
      Path path = folder().resolve("index.esp");
      LongIndex index = Espalier.open(path, all, environment);
      Files.delete(path);
      return index;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes a folder that is deleted at the end. */
  static Path folder() throws IOException {
    Path folder =
        Files.isWritable(MEMORY)
            ? Files.createTempDirectory(MEMORY, "espalier")
            : Files.createTempDirectory("espalier");
    folder.toFile().deleteOnExit();
    return folder;
  }

  /** Returns files of which those of the log are deleted as soon as they are open. */
  static StoreFiles goneFiles(PageFileOpener engine) {
    return new SystemFiles(
        engine, (path, access, blockBytes) -> gone(engine, path, access, blockBytes));
  }

  /** Opens a file of the log, and deletes it at once if it is new. */
  private static PageFile gone(PageFileOpener engine, Path path, Access access, int blockBytes) {
    PageFile file = engine.open(path, access, blockBytes);
    if (access == Access.CREATE) {
      path.toFile().delete();
    }
    return file;
  }
}
