// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.cosb;

import dev.espalier.experiment.ScratchFolder;
import dev.espalier.io.Access;
import dev.espalier.io.IoBatch;
import dev.espalier.io.PageFile;
import dev.espalier.io.PageFiles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A file that is read from its start to its end, by the engine that index files have, one run of 1
 * MiB after the other. Each run begins with its number, so that one from the wrong place is
 * noticed.
 */
final class SequentialFile implements AutoCloseable {
  static final int RUN_BYTES = 1 << 20;

  private final PageFile file;
  private final int runs;
  private final MemorySegment memory = Arena.ofAuto().allocate(RUN_BYTES, LoadedFile.PAGE_BYTES);
  private final IoBatch batch = new IoBatch(memory, 1);

  /** Writes a file of so many bytes, rounded up to whole runs. */
  SequentialFile(ScratchFolder folder, long bytes) {
    this.runs = Math.toIntExact(Math.ceilDiv(bytes, (long) RUN_BYTES));
    this.file =
        PageFiles.DIRECT.open(folder.file("sequential"), Access.CREATE, LoadedFile.PAGE_BYTES);
    file.grow(bytes());
    for (int run = 0; run < runs; run++) {
      memory.set(ValueLayout.JAVA_LONG, 0, run);
      file.write(batchOf(run));
    }
    file.force();
  }

  private IoBatch batchOf(int run) {
    batch.clear();
    batch.add((long) run * RUN_BYTES, 0, RUN_BYTES);
    return batch;
  }

  /** Reads all of it, and returns the sum of the runs' numbers. */
  long read() {
    long sum = 0;
    for (int run = 0; run < runs; run++) {
      file.read(batchOf(run));
      sum += memory.get(ValueLayout.JAVA_LONG, 0);
    }
    return sum;
  }

  /** Returns what {@link #read} is to find. */
  long sum() {
    return (long) runs * (runs - 1) / 2;
  }

  long bytes() {
    return (long) runs * RUN_BYTES;
  }

  /** Returns which engine reads it, and how. */
  String engine() {
    return file.status().toString();
  }

  @Override
  public void close() {
    file.close();
  }
}
