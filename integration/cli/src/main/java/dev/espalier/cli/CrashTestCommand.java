// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.io.FileOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Kills processes that write to stores, and looks at what is left. */
@Command(
    name = "crash-test",
    description = {
      "Kills a process that writes to a store, again and again, and checks what is left.",
      "",
      "Each round starts a process that writes to two indexes of a store in DIR, as a plan says,"
          + " and kills it at a random moment, sometimes while it recovers the store. Then the"
          + " store is opened, verified and compared with the plan: every acknowledged write must"
          + " be there, nothing that was not written, and no batch in part.",
      "",
      "This shows that recovery works. It does not show that the device keeps what it was told to:"
          + " what a killed process has written, the system still has. For that, cut the power.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "Seeds in the JSON file are those of stores that failed. What was written follows from the"
          + " seed; when a process is killed does not, quite. A store that fails is kept, and the"
          + " others are deleted.",
      "",
      "Exit status: 0 if nothing is lost or wrong; 1 if anything is, or the test can't be run; 2"
          + " wrong arguments."
    })
final class CrashTestCommand implements Callable<Integer> {
  private static final String ALL = "all";

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "DIR",
      description = "The folder for the stores, on the disk to be tested.")
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private Path folder;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "100",
      description = "How many rounds, of about a second each. Default: 100.")
  private int rounds;

  @Option(
      names = "--variant",
      paramLabel = "NAME",
      defaultValue = "FpbLinkTree",
      description =
          "The kind of tree: any whose medium is pages in 'espalier variants'; PrefixBPlusTree,"
              + " with keys and values that are byte strings; or all, in turn. Default:"
              + " FpbLinkTree.")
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private String variant;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "A number that what is written follows from. Default: another one each time.")
  private @Nullable Long seed;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the result to this file, as JSON.")
  private @Nullable Path json;

  @Override
  public Integer call() throws InterruptedException {
    if (rounds < 1) {
      throw new ParameterException(
          spec.commandLine(), "--rounds is " + rounds + "; it must be positive");
    }
    List<CrashKind> kinds = kinds();
    if (json != null) {
      Json.checkWritable(json);
    }
    if (!Files.isDirectory(folder)) {
      throw new CommandFailure(folder + ": no such folder");
    }
    long chosen = seed == null ? new Random().nextInt(Integer.MAX_VALUE) : seed;
    try (ProgressBar progress = ProgressBar.open()) {
      return run(kinds, chosen, progress);
    } catch (IOException e) {
      throw new CommandFailure("can't work in " + folder + ": " + e, e);
    }
  }

  private List<CrashKind> kinds() {
    if (variant.equalsIgnoreCase(ALL)) {
      return CrashKind.all();
    }
    return List.of(
        CrashKind.isOfByteStrings(variant)
            ? CrashKind.BYTE_STRINGS
            : new CrashKind(
                VariantName.onPages(spec, variant, FileOptions.DEFAULT).variant().orElseThrow()));
  }

  private int run(List<CrashKind> kinds, long chosen, ProgressBar progress)
      throws IOException, InterruptedException {
    Path own =
        Interruption.uninterrupted(
            () -> {
              try {
                Path made = Files.createTempDirectory(folder, "crash-test-");
                Interruption.deleteAtEnd(List.of(made));
                return made;
              } catch (IOException e) {
                throw new CommandFailure("can't write to " + folder + ": " + e, e);
              }
            });
    CrashReport report =
        new CrashTest(own, kinds, chosen, CrashRounds.AfterKill.NOTHING).run(rounds, progress);
    if (report.failures().isEmpty()) {
      Files.delete(own);
    }
    Interruption.keep(List.of(own));
    print(report, chosen);
    if (json != null) {
      Json.writeTo(json, report.toJson());
    }
    return report.failures().isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private void print(CrashReport report, long chosen) {
    PrintWriter err = spec.commandLine().getErr();
    for (CrashReport.Failure failure : report.failures()) {
      err.printf(
          "%s: %s, %s, seed %d: %s%n",
          spec.qualifiedName(), failure.store(), failure.variant(), failure.seed(), failure.what());
    }
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%,d rounds, %,d processes killed, %,d steps acknowledged (seed %d): %,d lost, %,d rounds"
            + " wrong, %,d unopenable%n",
        report.rounds(),
        report.killed(),
        report.acknowledged(),
        chosen,
        report.lost(),
        report.wrong(),
        report.unopenable());
    out.flush();
  }
}
