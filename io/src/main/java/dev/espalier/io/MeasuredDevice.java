// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.model.DeviceProfile;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * How long the device of a folder takes for pages, on which the proportions of a PIO B-tree depend.
 *
 * @param profile the times of the device
 * @param origin whether they were measured or read back, and where they are kept, or why not
 */
public record MeasuredDevice(DeviceProfile profile, String origin) {

  /**
   * Returns the times of a folder's device. Those kept in the user's cache folder are used if the
   * file system, its size and the engine are the same and the file is sound; otherwise the times
   * are measured and kept.
   *
   * <p>Measuring takes less than ten seconds, and 64 MiB of the device for as long. The device
   * should be idle.
   *
   * @param folder an existing folder
   * @throws PageFileException if the times have to be measured, and the device fails or has no
   *     room, or no file can be made in the folder
   */
  public static MeasuredDevice of(Path folder) {
    return of(folder, PageFiles.DIRECT, System::nanoTime);
  }

  /** Measures the device of a folder again, and keeps the times, as {@link #of(Path)} does. */
  public static MeasuredDevice measure(Path folder) {
    return measure(folder, PageFiles.DIRECT, System::nanoTime);
  }

  static MeasuredDevice of(Path folder, PageFileOpener engine, LongSupplier clock) {
    Optional<DeviceProfile> kept;
    try (PageFile file = scratchFile(folder, engine)) {
      kept = DeviceProfile.saved(name(folder, file));
    }
    return kept.map(profile -> new MeasuredDevice(profile, "measured before, and kept"))
        .orElseGet(() -> measure(folder, engine, clock));
  }

  static MeasuredDevice measure(Path folder, PageFileOpener engine, LongSupplier clock) {
    DeviceProfile profile;
    try (PageFile file = scratchFile(folder, engine)) {
      profile = new DeviceMeasurement(file, clock).measure(name(folder, file));
    }
    try {
      return new MeasuredDevice(profile, "measured now, and kept in " + profile.save());
    } catch (IOException e) {
      return new MeasuredDevice(profile, "measured now, but can't be kept: " + e);
    }
  }

  /** Makes a file and deletes its name, so that nothing is left of it whatever happens. */
  private static PageFile scratchFile(Path folder, PageFileOpener engine) {
    Path path = folder.resolve("espalier-" + UUID.randomUUID() + ".tmp");
    PageFile file = engine.open(path, Access.CREATE, DeviceMeasurement.BLOCK_BYTES);
    try {
      Files.delete(path);
      return file;
    } catch (IOException e) {
      file.close();
      throw new PageFileException(path, "can't be deleted: " + e, e);
    }
  }

  /** Returns a name that tells the device and the engine from others. */
  private static String name(Path folder, PageFile file) {
    try {
      FileStore store = Files.getFileStore(folder);
      return "%s (%s, %d MiB), by %s%s"
          .formatted(
              store.name(),
              store.type(),
              store.getTotalSpace() >> 20,
              file.status().engine().description(),
              file.status().direct() ? ", direct" : "");
    } catch (IOException e) {
      throw new PageFileException(folder, "its device can't be told: " + e, e);
    }
  }
}
