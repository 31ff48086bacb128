// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;

/**
 * The file in which one machine's {@link MemoryTimes} are kept. It names the machine, and is named
 * after it.
 *
 * @param folder where it lies
 * @param machine whose figures it holds: processor and host
 */
record MemoryTimesFile(Path folder, String machine) {
  private static final String MACHINE = "machine";
  private static final String T1 = "t1.nanos";
  private static final String TNEXT = "tnext.nanos";

  /** Returns this machine's file, or nothing if there is no folder to keep it in. */
  static Optional<MemoryTimesFile> ofThisMachine() {
    return CacheFile.folder().map(folder -> new MemoryTimesFile(folder, CacheFile.machineName()));
  }

  Path path() {
    return folder.resolve(
        "memory-times-" + Integer.toHexString(machine.hashCode()) + ".properties");
  }

  /** Returns the figures, or nothing if the file does not hold this machine's. */
  Optional<MemoryTimes> read() {
    return new CacheFile(path())
        .read()
        .filter(properties -> machine.equals(properties.getProperty(MACHINE)))
        .flatMap(MemoryTimesFile::parse);
  }

  private static Optional<MemoryTimes> parse(Properties properties) {
    try {
      return Optional.of(new MemoryTimes(number(properties, T1), number(properties, TNEXT)));
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // Damaged. Making an index must not fail for a cached figure.
    }
  }

  private static double number(Properties properties, String name) {
    return Double.parseDouble(properties.getProperty(name, ""));
  }

  /** Writes the file in one step, so that a reader sees all of it or none, and returns it. */
  Path write(MemoryTimes times) throws IOException {
    Properties properties = new Properties();
    properties.setProperty(MACHINE, machine);
    properties.setProperty(T1, Double.toString(times.t1()));
    properties.setProperty(TNEXT, Double.toString(times.tnext()));
    return new CacheFile(path()).write(properties, "Memory latencies");
  }
}
