// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.experiment.Effort;
import dev.espalier.experiment.ExperimentException;
import dev.espalier.experiment.Outcome;
import dev.espalier.io.Access;
import dev.espalier.io.IoBatch;
import dev.espalier.io.IoStatus;
import dev.espalier.io.PageFile;
import dev.espalier.io.PageFileException;
import dev.espalier.io.PageFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A folder for files that an experiment reads and writes; it is deleted with them at the end. */
final class ScratchFolder implements AutoCloseable {
  /** Names the folder to make it in; without, it is made where the system keeps what is passing. */
  static final String PROPERTY = "espalier.experiment.folder";

  /** Bytes of a file per entry that a tree would have: in full a file of 1.2 GiB. */
  private static final int BYTES_PER_ENTRY = 128;

  /** Blocks of the smallest file: {@link Levels#MOST} files can share them. */
  private static final int LEAST_BLOCKS = 1024;

  /** Blocks written at a time when a file is made. */
  private static final int FILL_BLOCKS = 256;

  private final Path folder;
  private final List<PageFile> files = new ArrayList<>();

  private ScratchFolder(Path folder) {
    this.folder = folder;
  }

  /**
   * Makes the folder.
   *
   * @param blocks that all files together will have
   * @throws ExperimentException if there is no room for them
   */
  static ScratchFolder create(long blocks) {
    Path parent = Path.of(System.getProperty(PROPERTY, System.getProperty("java.io.tmpdir")));
    try {
      long room = Files.getFileStore(parent).getUsableSpace();
      if (room / Blocks.BYTES < blocks) {
        throw new ExperimentException(
            "it needs %d MiB in %s, where %d are free; -D%s=FOLDER names another folder"
                .formatted((blocks * Blocks.BYTES) >> 20, parent, room >> 20, PROPERTY));
      }
      return new ScratchFolder(Files.createTempDirectory(parent, "espalier-"));
    } catch (IOException e) {
      throw new ExperimentException("no folder can be made in " + parent + ": " + e, e);
    }
  }

  /** Returns how many blocks of {@link Blocks#BYTES} a file has. */
  static int blocks(Effort effort) {
    long blocks = (long) effort.entries() * BYTES_PER_ENTRY / Blocks.BYTES;
    return (int) Math.max(blocks, LEAST_BLOCKS);
  }

  /** Makes a file of so many blocks, all written. */
  PageFile file(long blocks) {
    try {
      Path path = folder.resolve("file" + files.size());
      PageFile file = PageFiles.BEST.open(path, Access.CREATE, Blocks.BYTES);
      files.add(file);
      file.grow(blocks * Blocks.BYTES);
      fill(file, blocks);
      return file;
    } catch (PageFileException e) {
      throw new ExperimentException("no scratch file: " + e.getMessage(), e);
    }
  }

  private static void fill(PageFile file, long blocks) {
    Blocks buffer = new Blocks(FILL_BLOCKS);
    IoBatch batch = new IoBatch(buffer.memory(), 1);
    for (long first = 0; first < blocks; first += FILL_BLOCKS) {
      int count = (int) Math.min(FILL_BLOCKS, blocks - first);
      buffer.label(0, first, count);
      batch.clear();
      batch.add(first * Blocks.BYTES, 0, count * Blocks.BYTES);
      file.write(batch);
    }
    file.force();
  }

  /** Notes which engine ran, and on what. */
  void describe(Outcome outcome, int blocks) {
    IoStatus status = files.getFirst().status();
    outcome
        .parameter("engine", status.engine().toString())
        .parameter("O_DIRECT", status.direct())
        .parameter("engine in full", status.toString())
        .parameter("folder", String.valueOf(folder.getParent()))
        .parameter("MiB of the file", ((long) blocks * Blocks.BYTES) >> 20);
  }

  @Override
  public void close() {
    try {
      for (PageFile file : files) {
        file.close();
        Files.delete(file.path());
      }
      Files.delete(folder);
    } catch (IOException | PageFileException e) {
      throw new ExperimentException(folder + " can't be deleted: " + e, e);
    }
  }
}
