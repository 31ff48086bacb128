// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Describes the machine, as far as it decides how fast the indexes are. */
@Command(
    name = "doctor",
    description = {
      "Shows what of the machine is in use: native code, SIMD, huge pages, caches and the speed of "
          + "memory. Where something is off, says why and what would help; the indexes then work "
          + "all the same, but slower.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "T1 is the time to fetch a cache line from memory, Tnext what each further, independent line "
          + "adds: medians over random lines of a region much larger than the caches. Takes a few "
          + "seconds."
    })
final class DoctorCommand implements Runnable {

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Override
  public void run() {
    print("JDK", MachineDescription.jdk());
    print("Machine", MachineDescription.machine());
    print("Prefetch", MachineDescription.prefetch());
    print("Virtual memory", MachineDescription.virtualMemory());
    print("SIMD", SimdStatus.report());
    print("Huge pages", HugePageCheck.report());
    print("Caches", CacheSizes.ofThisMachine().toString());
    MemoryLatency latency = MemoryLatency.measure();
    print("T1", nanos(latency.t1Nanos()) + ", in a region of " + mebibytes(latency.regionBytes()));
    print("Tnext", nanos(latency.tnextNanos()));
  }

  private void print(String name, String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf("%-15s %s%n", name, text);
    out.flush();
  }

  private static String nanos(double nanos) {
    return String.format(Locale.ROOT, "%.1f ns", nanos);
  }

  private static String mebibytes(long bytes) {
    return (bytes >> 20) + " MiB";
  }
}
