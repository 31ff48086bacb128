// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.ShapeSource;
import dev.espalier.TreeShape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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
        shapes.add(shape(tree, 1024, "best", PageFiles.BEST));
        continue;
      }
      shapes.add(shape(tree, 256, "best", PageFiles.BEST));
      shapes.add(shape(tree, 512, "channel", PageFiles.CHANNEL));
    }
    shapes.add(shape("DiskFirstFpbPlusTree", 4096, "best", PageFiles.BEST));
    shapes.add(shape("CacheFirstFpbPlusTree", 1024, "threads", threads()));
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
        options -> open(PagedTrees.options(tree, pageBytes, FRAMES).withEngine(opener), options));
  }

  private static LongIndex open(FileOptions file, IndexOptions options) {
    try {
      Path folder =
          Files.isWritable(MEMORY)
              ? Files.createTempDirectory(MEMORY, "espalier")
              : Files.createTempDirectory("espalier");
      Path path = folder.resolve("index.esp");
      LongIndex index = Espalier.open(path, file.withMissingValue(options.missingValue()));
      Files.delete(path);
      Files.delete(folder);
      return index;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
