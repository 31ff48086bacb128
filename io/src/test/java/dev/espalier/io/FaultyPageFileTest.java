// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.Faults.Operation;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("fallback-too")
class FaultyPageFileTest {
  private static final int BLOCK = 16;

  @TempDir private Path folder;

  private final Faults faults = new Faults();
  private final MemorySegment memory = Arena.ofAuto().allocate(4 * BLOCK);
  private PageFile file;

  @BeforeEach
  void open() {
    file = faults.over(PageFiles.CHANNEL).open(folder.resolve("pages"), Access.CREATE, BLOCK);
  }

  @AfterEach
  void close() {
    file.close();
  }

  /** Makes a batch of one block for each number, at that place in the file and in this order. */
  private IoBatch blocks(long... numbers) {
    IoBatch batch = new IoBatch(memory, 4);
    for (int i = 0; i < numbers.length; i++) {
      batch.add(numbers[i] * BLOCK, (long) i * BLOCK, BLOCK);
    }
    return batch;
  }

  private byte[] contents() throws IOException {
    return Files.readAllBytes(folder.resolve("pages"));
  }

  @Test
  void eachRequestForceAndGrowingIsCounted() {
    file.grow(4 * BLOCK);
    file.write(blocks(0, 1, 2));
    file.read(blocks(3, 1));
    file.force();
    assertEquals(7, faults.count());
    assertEquals(1, faults.count(Operation.GROW));
    assertEquals(3, faults.count(Operation.WRITE));
    assertEquals(2, faults.count(Operation.READ));
    assertEquals(1, faults.count(Operation.FORCE));
  }

  @Test
  void oneRequestOfABatchFailsAndTheOthersAreDone() throws IOException {
    file.grow(3 * BLOCK);
    memory.fill((byte) 7);
    faults.failOnce(2, Errno.EIO);
    IoBatch batch = blocks(0, 1, 2);
    file.startWrite(batch);
    PageFileException failure = assertThrows(PageFileException.class, () -> file.finish(batch));
    assertEquals(Errno.EIO, failure.errno());
    assertEquals(file.path(), failure.path());
    assertTrue(failure.getMessage().contains("writing of 16 bytes at 16"), failure::getMessage);
    byte[] expected = new byte[3 * BLOCK];
    for (int i = 0; i < expected.length; i++) {
      expected[i] = (byte) (i / BLOCK == 1 ? 0 : 7);
    }
    assertArrayEquals(expected, contents());
    file.write(batch);
    assertEquals(7, contents()[BLOCK]);
  }

  @Test
  void aReadThatFailsLeavesTheMemoryAsItWas() {
    file.grow(BLOCK);
    memory.fill((byte) 7);
    faults.failOnce(1, Errno.EIO);
    assertThrows(PageFileException.class, () -> file.read(blocks(0)));
    assertEquals(7, memory.get(ValueLayout.JAVA_BYTE, 0));
    file.read(blocks(0));
    assertEquals(0, memory.get(ValueLayout.JAVA_BYTE, 0));
  }

  @Test
  void failuresFromANumberOnLastUntilHealed() {
    file.grow(BLOCK);
    faults.failFrom(2, Errno.EIO);
    file.read(blocks(0));
    for (int i = 0; i < 3; i++) {
      assertThrows(PageFileException.class, () -> file.read(blocks(0)));
      assertThrows(PageFileException.class, file::force);
    }
    faults.heal();
    assertDoesNotThrow(() -> file.read(blocks(0)));
  }

  @Test
  void onlyTheKindsThatAreNamedCountAndFail() {
    faults.failOnce(2, Errno.ENOSPC, Operation.GROW);
    file.grow(BLOCK);
    file.write(blocks(0));
    file.force();
    PageFileException full = assertThrows(PageFileException.class, () -> file.grow(2 * BLOCK));
    assertEquals(Errno.ENOSPC, full.errno());
    assertEquals(BLOCK, file.bytes());
    file.grow(2 * BLOCK);
    assertEquals(2 * BLOCK, file.bytes());
  }

  @Test
  void aForceFailsWhenToldTo() {
    faults.failOnce(1, Errno.EIO, Operation.FORCE);
    PageFileException failure = assertThrows(PageFileException.class, file::force);
    assertEquals(Errno.EIO, failure.errno());
    file.force();
  }

  @Test
  void numbersAreCountedOverAllFilesOfAnOpener() {
    PageFileOpener opener = faults.over(PageFiles.CHANNEL);
    try (PageFile other = opener.open(folder.resolve("other"), Access.CREATE, BLOCK)) {
      faults.failOnce(2, Errno.EIO, Operation.GROW);
      file.grow(BLOCK);
      assertThrows(PageFileException.class, () -> other.grow(BLOCK));
    }
  }
}
