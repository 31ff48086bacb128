// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.io.PageFileException;
import dev.espalier.memory.MemoryLimitException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/**
 * The command line. What was asked for goes to standard output, one line per error to standard
 * error; the exit status is 0 for success, 1 for failure, 2 for wrong arguments.
 */
@Command(
    name = "espalier",
    description = "Ordered off-heap indexes: try them out, compare them, look at the machine.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    subcommands = {
      JoinCommand.class,
      LoadCommand.class,
      GetCommand.class,
      ScanCommand.class,
      DumpCommand.class,
      InspectCommand.class,
      VerifyCommand.class,
      VariantsCommand.class,
      DoctorCommand.class
    },
    footer = {
      "",
      "Each command explains itself: espalier COMMAND --help.",
      "In a checkout of the sources there is also: espalier experiment, the papers' figures.",
      "Exit status: 0 success, 1 failure, 2 wrong arguments."
    })
public final class Espalier implements Runnable {

  /** The commands that take keys as arguments. */
  private static final List<String> NEGATIVE_KEYS = List.of("get", "scan");

  /** What a user can mend, and its message explains. */
  private static final List<Class<? extends Exception>> EXPLAINED =
      List.of(
          CommandFailure.class,
          UncheckedIOException.class,
          PageFileException.class,
          InvariantViolationException.class,
          MemoryLimitException.class);

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandLine.Model.CommandSpec spec;

  Espalier() {}

  /** Runs a command and ends the process with its exit status. */
  public static void main(String[] args) {
    mainWith(List.of(), args);
  }

  /** As {@link #main}, with more commands, which picocli knows by their annotations. */
  public static void mainWith(List<?> more, String... args) {
    System.exit(run(writer(System.out), writer(System.err), more, args));
  }

  /** Runs a command, of this module or of {@code more}, and returns its exit status. */
  public static int run(PrintWriter out, PrintWriter err, List<?> more, String... args) {
    CommandLine commands = new CommandLine(new Espalier());
    more.forEach(commands::addSubcommand);
    for (CommandLine command : commands.getSubcommands().values()) {
      if (NEGATIVE_KEYS.contains(command.getCommandName())) {
        // A key such as -5 is no option.
        command.setUnmatchedOptionsArePositionalParams(true);
      }
    }
    return commands
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(out)
        .setErr(err)
        .setParameterExceptionHandler(Espalier::explainArguments)
        .setExecutionExceptionHandler(Espalier::explainFailure)
        .execute(args);
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(stream, true, stream.charset());
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "a command is needed: " + String.join(", ", spec.subcommands().keySet()));
  }

  private static int explainArguments(ParameterException e, String[] args) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    e.getCommandLine()
        .getErr()
        .printf("%s: %s (see %s --help)%n", command, e.getMessage(), command);
    return ExitCode.USAGE;
  }

  /**
   * One line for what a user can mend; anything else is a defect, and its stack trace is wanted.
   */
  private static int explainFailure(Exception e, CommandLine commandLine, ParseResult result)
      throws Exception {
    if (EXPLAINED.stream().noneMatch(kind -> kind.isInstance(e))) {
      throw e;
    }
    commandLine
        .getErr()
        .printf("%s: %s%n", commandLine.getCommandSpec().qualifiedName(), e.getMessage());
    return ExitCode.SOFTWARE;
  }
}
