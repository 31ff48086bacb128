// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.ffi.FileCalls;
import dev.espalier.ffi.PinnedArrays;
import dev.espalier.ffi.Ring;
import dev.espalier.io.BufferPool;
import dev.espalier.io.IoStatus;
import dev.espalier.io.PageFiles;
import dev.espalier.model.CacheSizes;
import dev.espalier.model.MemoryTimes;
import dev.espalier.prefetch.NativeStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Describes the machine, as far as it decides how fast the indexes are. */
@Command(
    name = "doctor",
    description = {
      "Shows what this machine offers and what is in use: native code, the engine for files, SIMD,"
          + " huge pages, caches, and the speed of memory. If something is off, it says why and"
          + " how to turn it on. The indexes work without it, but more slowly.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "T1 is the time to fetch a cache line from memory; Tnext is what each further, independent"
          + " line adds. Both are medians over random lines of a region much larger than the"
          + " caches. This takes a few seconds; the machine should be idle.",
      "",
      "With --save, new indexes choose the width of their nodes by T1 and Tnext. The figures go to"
          + " a file in the user's cache folder, or in the folder that -Despalier.cache names.",
      "",
      "Exit status: 0 success; 1 if --save could not save; 2 wrong arguments."
    })
final class DoctorCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  private final Supplier<MemoryTimes> measurement;

  @Option(
      names = "--save",
      description =
          "Measure the speed of memory "
              + AgreedTimes.MEASUREMENTS
              + " times, and save it if the measurements agree.")
  private boolean save;

  DoctorCommand() {
    this(MemoryTimes::measure);
  }

  /** Makes the command with its own measurement, so that a test may bring another. */
  DoctorCommand(Supplier<MemoryTimes> measurement) {
    this.measurement = measurement;
  }

  @Override
  public Integer call() {
    print("JDK", MachineDescription.jdk() + warning(Runtime.version(), isG1()));
    print("Machine", MachineDescription.machine());
    print("Prefetch", MachineDescription.prefetch());
    print("Virtual memory", MachineDescription.virtualMemory());
    print("I/O", io());
    print("Page cache", "keeps pages that the pool has no room for; logs go past it");
    print("Pool", pool());
    print("SIMD", SimdStatus.report());
    print("Huge pages", HugePageCheck.report());
    print("Caches", CacheSizes.ofThisMachine().toString());
    if (save) {
      return saveTimes();
    }
    print(measurement.get());
    print("Saved", "no; --save saves T1 and Tnext, for the node widths of new indexes");
    return ExitCode.OK;
  }

  /** Returns what is wrong with a JDK, to be said behind its name; empty if nothing is known. */
  static String warning(Runtime.Version version, boolean isG1) {
    return PinnedArrays.stay(version, isG1)
        ? ""
        : "; warning: its collector G1 may move arrays that native code reads (JDK-8377811);"
            + " update to 25.0.3 or later";
  }

  private static boolean isG1() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .anyMatch(collector -> collector.getName().startsWith("G1 "));
  }

  private int saveTimes() {
    AgreedTimes times = AgreedTimes.measure(measurement);
    print(times.median());
    if (!times.agree()) {
      print("Saved", "no: " + times.disagreement() + "; try again while the machine is idle");
      return ExitCode.SOFTWARE;
    }
    try {
      print("Saved", "T1 and Tnext, in " + times.median().save());
      return ExitCode.OK;
    } catch (IOException e) {
      print("Saved", "no: " + e);
      return ExitCode.SOFTWARE;
    }
  }

  /** Returns the engine for files, or why none can be opened with the one that was asked for. */
  private static String io() {
    try {
      IoStatus status = PageFiles.status();
      NativeStatus needed =
          switch (status.engine()) {
            case IO_URING -> Ring.status().isAvailable() ? FileCalls.status() : Ring.status();
            case THREADS -> FileCalls.status();
            default -> null;
          };
      return needed == null || needed.isAvailable()
          ? status.toString()
          : "no index file can be opened: %s, but it can't run: %s; %s"
              .formatted(status.reason(), needed.detail(), needed.remedy());
    } catch (IllegalArgumentException e) {
      return "no index file can be opened: " + e.getMessage();
    }
  }

  /** Returns how much memory files have that are opened without a pool, and why. */
  private static String pool() {
    try {
      return String.format(
          Locale.ROOT,
          "%,d MiB at most for all files: %s",
          BufferPool.mostSharedBytes() >> 20,
          System.getProperty("espalier.pool") == null
              ? "a quarter of the memory that this process may use; -Despalier.pool changes it"
              : "as -Despalier.pool says");
    } catch (IllegalArgumentException e) {
      return "no index file can be opened: " + e.getMessage();
    }
  }

  private void print(MemoryTimes times) {
    print("T1", nanos(times.t1()));
    print("Tnext", nanos(times.tnext()));
  }

  private void print(String name, String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf("%-15s %s%n", name, text);
    out.flush();
  }

  private static String nanos(double nanos) {
    return String.format(Locale.ROOT, "%.1f ns", nanos);
  }
}
