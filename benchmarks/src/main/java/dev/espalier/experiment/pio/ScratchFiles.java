// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import dev.espalier.experiment.Effort;
import dev.espalier.experiment.ExperimentException;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.ScratchFolder;
import dev.espalier.io.Access;
import dev.espalier.io.IoBatch;
import dev.espalier.io.IoStatus;
import dev.espalier.io.PageFile;
import dev.espalier.io.PageFileException;
import dev.espalier.io.PageFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Files of blocks that an experiment reads and writes, in a folder that goes with them. */
final class ScratchFiles implements AutoCloseable {
  /** Bytes of a file per entry that a tree would have: in full a file of 1.2 GiB. */
  private static final int BYTES_PER_ENTRY = 128;

  /** Blocks of the smallest file: {@link Levels#MOST} files can share them. */
  private static final int LEAST_BLOCKS = 1024;

  /** Blocks written at a time when a file is made. */
  private static final int FILL_BLOCKS = 256;

  private final ScratchFolder folder;
  private final List<PageFile> files = new ArrayList<>();

  private ScratchFiles(ScratchFolder folder) {
    this.folder = folder;
  }

  /**
   * Makes a folder for files.
   *
   * @param blocks that all files together will have
   * @throws ExperimentException if there is no room for them
   */
  static ScratchFiles create(long blocks) {
    return new ScratchFiles(ScratchFolder.create(blocks * Blocks.BYTES));
  }

  /** Returns how many blocks of {@link Blocks#BYTES} a file has. */
  static int blocks(Effort effort) {
    long blocks = (long) effort.entries() * BYTES_PER_ENTRY / Blocks.BYTES;
    return (int) Math.max(blocks, LEAST_BLOCKS);
  }

  /** Makes a file of so many blocks, all written. */
  PageFile file(long blocks) {
    try {
      Path path = folder.file("file" + files.size());
      PageFile file = PageFiles.DIRECT.open(path, Access.CREATE, Blocks.BYTES);
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
        .parameter("folder", folder.parent().toString())
        .parameter("MiB of the file", ((long) blocks * Blocks.BYTES) >> 20);
  }

  @Override
  public void close() {
    try {
      files.forEach(PageFile::close);
    } catch (PageFileException e) {
      throw new ExperimentException("a scratch file can't be closed: " + e.getMessage(), e);
    } finally {
      folder.close();
    }
  }
}
