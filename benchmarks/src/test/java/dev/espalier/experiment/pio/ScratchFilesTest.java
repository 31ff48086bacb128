// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.experiment.ExperimentException;
import dev.espalier.io.IoBatch;
import dev.espalier.io.PageFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class ScratchFilesTest {

  @Test
  void filesHoldTheNumbersOfTheirBlocksAndAreDeletedAtTheEnd() {
    Path path;
    try (ScratchFiles folder = ScratchFiles.create(300)) {
      PageFile file = folder.file(300);
      path = file.path();
      assertEquals(300 * Blocks.BYTES, file.bytes());
      Blocks buffer = new Blocks(300);
      IoBatch batch = new IoBatch(buffer.memory(), 1);
      batch.add(0, 0, 300 * Blocks.BYTES);
      file.read(batch);
      assertEquals(0, buffer.mistaken(0, 0, 300));
      assertTrue(Files.exists(path));
    }
    assertFalse(Files.exists(path.getParent()));
  }

  @Test
  void whatDoesNotFitIsRefusedAndTheWayOutNamed() {
    ExperimentException refused =
        assertThrows(
            ExperimentException.class, () -> ScratchFiles.create(Long.MAX_VALUE >> 20).close());
    assertTrue(refused.getMessage().contains("-Despalier.experiment.folder"), refused::getMessage);
  }
}
