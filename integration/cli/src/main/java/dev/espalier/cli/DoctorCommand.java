// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.io.PageFiles;
import dev.espalier.model.CacheSizes;
import dev.espalier.model.MemoryTimes;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Describes the machine, as far as it decides how fast the indexes are. */
@Command(
    name = "doctor",
    description = {
      "Shows what of the machine is in use: native code, the engine of page files, SIMD, huge"
          + " pages, caches and the speed of memory. Where something is off, says why and what"
          + " would help; the indexes then work all the same, but slower.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "T1 is the time to fetch a cache line from memory, Tnext what each further, independent line"
          + " adds: medians over random lines of a region much larger than the caches. They are"
          + " saved in the user's cache folder, or in the one that -Despalier.cache names: new"
          + " indexes choose their node widths by them. Takes a few seconds; best while nothing"
          + " else runs."
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
    print("I/O", io());
    print("SIMD", SimdStatus.report());
    print("Huge pages", HugePageCheck.report());
    print("Caches", CacheSizes.ofThisMachine().toString());
    MemoryTimes times = MemoryTimes.measure();
    print("T1", nanos(times.t1()));
    print("Tnext", nanos(times.tnext()));
    print("Saved", save(times));
  }

  private static String io() {
    try {
      return PageFiles.status().toString();
    } catch (IllegalArgumentException e) {
      return "no page file can be opened: " + e.getMessage();
    }
  }

  private static String save(MemoryTimes times) {
    try {
      return "T1 and Tnext, in " + times.save();
    } catch (IOException e) {
      return "not, so other programs go on without them: " + e;
    }
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
