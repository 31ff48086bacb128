// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.io.MeasuredDevice;
import dev.espalier.model.PageTimes;
import dev.espalier.model.PioChoice;
import dev.espalier.model.PioWork;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures a device, and shows the PIO B-tree that is best for it. */
@Command(
    name = "tune",
    description = {
      "Measures how long the device of a folder takes for pages, and shows which proportions a"
          + " PioBTree in that folder has for some work: pages, leaves, queue and pool.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "Measuring takes less than ten seconds and 64 MiB of the device for as long; the device"
          + " should be idle. The times are kept in the user's cache folder, or in the folder that"
          + " -Despalier.cache names, and are read back as long as file system and engine are the"
          + " same. A program makes such an index by the class PioTuning.",
      "",
      "Exit status: 0 success; 1 if the device can't be measured; 2 wrong arguments."
    })
final class TuneCommand implements Callable<Integer> {
  private static final double NANOS_PER_MICRO = 1e3;

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Parameters(paramLabel = "FOLDER", description = "A folder on the device.")
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private Path folder;

  @Option(
      names = "--entries",
      paramLabel = "N",
      description = "How many entries the index will have. Default: ${DEFAULT-VALUE}.")
  private long entries = 100_000_000;

  @Option(
      names = "--updates",
      paramLabel = "R",
      description =
          "The part of updates among single-key operations, from 0 to 1. Default:"
              + " ${DEFAULT-VALUE}.")
  private double updates = 0.5;

  @Option(
      names = "--memory",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      description =
          "Memory for pool and queue together. The units K, M and G are 1024, 1024² and 1024³"
              + " bytes. Default: 64M.")
  private long memory = 64L << 20;

  @Option(names = "--again", description = "Measure even if there are times from before.")
  private boolean again;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write all of it to this file, as JSON.")
  private @Nullable Path json;

  @Override
  public Integer call() {
    PioWork work = work();
    if (json != null) {
      Json.checkWritable(json);
    }
    if (!Files.isDirectory(folder)) {
      throw new CommandFailure(folder + ": is no folder");
    }
    MeasuredDevice device = again ? MeasuredDevice.measure(folder) : MeasuredDevice.of(folder);
    PioChoice choice = PioChoice.of(device.profile(), work);
    print(device, choice);
    if (json != null) {
      Json.writeTo(json, toJson(device, work, choice));
    }
    return ExitCode.OK;
  }

  private PioWork work() {
    if (entries < 1) {
      throw wrongArgument("--entries is " + entries + "; it must be positive");
    }
    if (!(updates >= 0 && updates <= 1)) {
      throw wrongArgument("--updates is " + updates + "; it must be from 0 to 1");
    }
    if (memory < PioWork.LEAST_MEMORY_BYTES) {
      throw wrongArgument(
          "--memory is %d; it must be at least %d".formatted(memory, PioWork.LEAST_MEMORY_BYTES));
    }
    return new PioWork(entries, updates, memory);
  }

  private ParameterException wrongArgument(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private void print(MeasuredDevice device, PioChoice choice) {
    PrintWriter out = spec.commandLine().getOut();
    print(out, "Device", device.profile().device());
    print(out, "Times", device.origin());
    TextTable table = new TextTable(">page", ">at once", ">read, us", ">write, us");
    for (PageTimes times : device.profile().pages()) {
      for (int group = 0; group < PageTimes.GROUPS; group++) {
        table.add(
            number(times.pageBytes()),
            number(1 << group),
            micros(times.reads().get(group)),
            micros(times.writes().get(group)));
      }
    }
    out.printf("%n%s%n", table);
    print(out, "Pages", number(choice.pageBytes()) + " bytes");
    print(out, "Leaves", number(choice.leafPages()) + " pages");
    print(out, "Queue", number(choice.queuePages()) + " pages");
    print(out, "At once", "%d pages (PioMax)".formatted(choice.pioMax()));
    print(
        out, "Pool", String.format(Locale.ROOT, "%.1f%% of the memory", 100 * choice.poolShare()));
    print(out, "Model", micros(choice.nanos()) + " us an operation");
    print(out, "Reason", choice.reason());
    out.flush();
  }

  private static void print(PrintWriter out, String name, String text) {
    out.printf("%-8s %s%n", name, text);
  }

  private static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static String micros(double nanos) {
    return String.format(Locale.ROOT, "%,.1f", nanos / NANOS_PER_MICRO);
  }

  private static Map<String, Object> toJson(MeasuredDevice device, PioWork work, PioChoice choice) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("device", device.profile().device());
    object.put("times", device.origin());
    object.put("pages", device.profile().pages().stream().map(TuneCommand::toJson).toList());
    object.put("entries", work.entries());
    object.put("updates", work.insertRatio());
    object.put("memoryBytes", work.memoryBytes());
    object.put("pageBytes", choice.pageBytes());
    object.put("leafPages", choice.leafPages());
    object.put("queuePages", choice.queuePages());
    object.put("pioMax", choice.pioMax());
    object.put("poolShare", choice.poolShare());
    object.put("nanos", choice.nanos());
    object.put("reason", choice.reason());
    return object;
  }

  private static Map<String, Object> toJson(PageTimes times) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("pageBytes", times.pageBytes());
    object.put("readNanos", times.reads());
    object.put("writeNanos", times.writes());
    return object;
  }
}
