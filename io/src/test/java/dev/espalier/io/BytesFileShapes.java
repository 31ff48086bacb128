// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.TestSize;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.BytesShape;
import dev.espalier.bytes.BytesShapeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Indexes of byte strings in files, over pools with few frames, and in a transaction. */
public final class BytesFileShapes implements BytesShapeSource {
  private static final int FRAMES = 12;

  @Override
  public List<BytesShape> shapes() {
    BytesShape usual = shape(1024, "best, with checkpoints beside", PageFiles.DIRECT, true);
    return TestSize.isThorough()
        ? List.of(
            usual,
            TransactionShape.shape(),
            shape(512, "best", PageFiles.DIRECT, false),
            shape(4096, "channel", PageFiles.CHANNEL, false))
        : List.of(usual, TransactionShape.shape());
  }

  private static BytesShape shape(
      int pageBytes, String what, PageFileOpener engine, boolean checkpoints) {
    return new BytesShape(
        "PrefixBPlusTree %d in a file, %s".formatted(pageBytes, what),
        _ -> open(pageBytes, engine, checkpoints),
        BytesShape.NO_LIMIT,
        1);
  }

  private static BytesIndex open(int pageBytes, PageFileOpener engine, boolean checkpoints) {
    FileOptions file =
        FileOptions.DEFAULT.withPageBytes(pageBytes).withPoolBytes((FRAMES + 1L) * pageBytes);
    StoreOptions options =
        StoreOptions.DEFAULT
            .withFiles(file)
            .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES)
            .withCheckpointTime(checkpoints ? Duration.ofMillis(1) : Duration.ofHours(1));
    try {
      Path path = FileShapes.folder().resolve("index.esp");
      StoreEnvironment environment =
          new StoreEnvironment(FileShapes.goneFiles(engine), new Random(1), false, checkpoints);
      BytesIndex index = Espalier.openBytes(path, options, environment);
      Files.delete(path);
      return index;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
