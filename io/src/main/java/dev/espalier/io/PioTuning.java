// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.model.DeviceProfile;
import dev.espalier.model.PioChoice;
import dev.espalier.model.PioWork;
import dev.espalier.pio.PioBTree;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Options for a PIO B-tree in a file, with proportions chosen for its work from times measured on
 * the device of the file's folder (PIO 3.6).
 *
 * {@snippet :
 * PioWork work = new PioWork(100_000_000, 0.5, 64 << 20);
 * FileOptions options = PioTuning.options(path, FileOptions.DEFAULT, work);
 * try (LongIndex index = Espalier.open(path, options)) {
 *   System.out.println(index.statistics().choice());
 * }
 * }
 */
public final class PioTuning {
  private PioTuning() {}

  /**
   * Returns options with a PIO B-tree, pages and pool for some work. If the index already exists,
   * its pages and leaves stay as they are, and the queue is chosen for them.
   *
   * @param path the file of the index, which need not exist; its folder must
   * @param options all other options; a pool that they give stays, and should have the memory of
   *     {@code work}
   * @throws PageFileException as for {@link MeasuredDevice#of}
   */
  public static FileOptions options(Path path, FileOptions options, PioWork work) {
    Path folder = path.toAbsolutePath().resolveSibling("");
    return options(path, options, work, MeasuredDevice.of(folder).profile());
  }

  static FileOptions options(Path path, FileOptions options, PioWork work, DeviceProfile device) {
    FileOptions tuned =
        options.withVariant(PioBTree.tuned(device, work)).withPoolBytes(work.memoryBytes());
    boolean isGiven = options.pool().isPresent() || options.pageBytes() != 0;
    return isGiven || Files.exists(path)
        ? tuned
        : tuned.withPageBytes(PioChoice.of(device, work).pageBytes());
  }
}
