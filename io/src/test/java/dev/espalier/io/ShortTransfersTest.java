// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.Faults.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What engines share, proved with one that moves a few bytes at a time. */
@Tag("fallback-too")
class ShortTransfersTest {
  private static final int BYTES = 512;

  @TempDir private Path folder;

  private final Faults faults = new Faults();
  private final MemorySegment memory = Arena.ofAuto().allocate(2 * BYTES);
  private ShortPageFile file;

  @BeforeEach
  void open() {
    PageFileOpener engine = faults.over(PageFiles.CHANNEL);
    file = new ShortPageFile(engine.open(folder.resolve("pages"), Access.CREATE, 1), 40, 5);
    for (int i = 0; i < BYTES; i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31));
    }
  }

  @AfterEach
  void close() {
    file.close();
  }

  /** Returns requests for the whole file, in pieces of different lengths. */
  private IoBatch pieces(long offset) {
    IoBatch batch = new IoBatch(memory, 4);
    batch.add(0, offset, 1);
    batch.add(1, offset + 1, 99);
    batch.add(100, offset + 100, 300);
    batch.add(400, offset + 400, BYTES - 400);
    return batch;
  }

  @Test
  void shortTransfersAreContinuedAndTransientRefusalsRepeated() {
    IoBatch writes = pieces(0);
    file.write(writes);
    assertTrue(file.refused() > 0 && file.cutShort() > 10);
    assertEquals(BYTES, file.bytes());
    IoBatch reads = pieces(BYTES);
    file.read(reads);
    assertEquals(-1, memory.asSlice(0, BYTES).mismatch(memory.asSlice(BYTES, BYTES)));
    assertTrue(file.refusedInEveryWay());
    assertEquals(100, reads.position(2));
    assertEquals(300, reads.length(2));
    assertEquals(BYTES + 100, reads.offset(2));
  }

  @Test
  void aReadBeyondTheEndNamesWhatWasAskedFor() {
    file.grow(BYTES - 1);
    PageFileException failure = assertThrows(PageFileException.class, () -> file.read(pieces(0)));
    assertEquals(
        file.path() + ": reading of 112 bytes at 400, but the file ends before",
        failure.getMessage());
    assertEquals(PageFileException.NO_ERRNO, failure.errno());
  }

  @Test
  void aFailureHalfwayNamesWhatWasAskedFor() {
    faults.failOnce(3, Errno.ENOSPC, Operation.WRITE);
    IoBatch batch = new IoBatch(memory, 1);
    batch.add(64, 0, BYTES);
    PageFileException failure = assertThrows(PageFileException.class, () -> file.write(batch));
    assertEquals(Errno.ENOSPC, failure.errno());
    assertTrue(
        failure.getMessage().contains("writing of 512 bytes at 64 failed: ENOSPC"),
        failure::getMessage);
  }
}
