// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.cli.Interruption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder for files that an experiment reads and writes; it is deleted with them at the end, also
 * if the process is told to end before.
 */
public final class ScratchFolder implements AutoCloseable {
  /** Names the folder to make it in; without, it is made where the system keeps what is passing. */
  public static final String PROPERTY = "espalier.experiment.folder";

  private final Path folder;

  private ScratchFolder(Path folder) {
    this.folder = folder;
  }

  /**
   * Makes the folder.
   *
   * @param bytes that all files together will have
   * @throws ExperimentException if there is no room for them
   */
  public static ScratchFolder create(long bytes) {
    Path parent = Path.of(System.getProperty(PROPERTY, System.getProperty("java.io.tmpdir")));
    try {
      long room = Files.getFileStore(parent).getUsableSpace();
      if (room < bytes) {
        throw new ExperimentException(
            "it needs %d MiB in %s, where %d are free; -D%s=FOLDER names another folder"
                .formatted(bytes >> 20, parent, room >> 20, PROPERTY));
      }
    } catch (IOException e) {
      throw failure(parent, e);
    }
    return Interruption.uninterrupted(() -> make(parent));
  }

  private static ScratchFolder make(Path parent) {
    try {
      Path folder = Files.createTempDirectory(parent, "espalier-");
      Interruption.deleteAtEnd(List.of(folder));
      return new ScratchFolder(folder);
    } catch (IOException e) {
      throw failure(parent, e);
    }
  }

  private static ExperimentException failure(Path parent, IOException e) {
    return new ExperimentException("no folder can be made in " + parent + ": " + e, e);
  }

  /** Returns the path of a file in it. */
  public Path file(String name) {
    return folder.resolve(name);
  }

  /** Returns the folder that it was made in. */
  public Path parent() {
    return folder.resolveSibling("").normalize();
  }

  @Override
  public void close() {
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> all = files.toList();
      for (Path file : all) {
        Files.delete(file);
      }
      Files.delete(folder);
      Interruption.keep(List.of(folder));
    } catch (IOException e) {
      throw new ExperimentException(folder + " can't be deleted: " + e, e);
    }
  }
}
