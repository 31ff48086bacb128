// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.io.PageFileException;
import dev.espalier.memory.MemoryLimitException;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line. What was asked for goes to standard output, one line per error to standard
 * error; the exit status is 0 for success, 1 for failure, 2 for wrong arguments.
 */
@Command(
    name = "espalier",
    description =
        "Ordered off-heap indexes: try them, compare them, and see what the machine offers.",
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
      RecoverCommand.class,
      SalvageCommand.class,
      BackupCommand.class,
      CrashTestCommand.class,
      SoakCommand.class,
      VariantsCommand.class,
      DoctorCommand.class,
      TuneCommand.class
    },
    footer = {
      "",
      "For help on a command: espalier COMMAND --help.",
      "In a checkout of the sources, 'espalier experiment' reproduces the papers' figures, and"
          + " 'espalier sql' runs queries.",
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
    Interruption.prepare();
    // Entries have to come out as they went in, whatever the locale says.
    Writer out = writer(FileDescriptor.out, StandardCharsets.UTF_8);
    Writer err = writer(FileDescriptor.err, System.err.charset());
    System.exit(run(out, err, more, args));
  }

  private static Writer writer(FileDescriptor stream, Charset charset) {
    return new BufferedWriter(new OutputStreamWriter(new FileOutputStream(stream), charset));
  }

  /**
   * Runs a command, of this module or of {@code more}.
   *
   * @return its exit status; a failure if its output could not be written
   */
  public static int run(Writer out, Writer err, List<?> more, String... args) {
    Output output = new Output(out);
    Output errors = new Output(err);
    CommandLine commands = new CommandLine(new Espalier());
    more.forEach(commands::addSubcommand);
    for (CommandLine command : commands.getSubcommands().values()) {
      if (NEGATIVE_KEYS.contains(command.getCommandName())) {
        // A key such as -5 is no option.
        command.setUnmatchedOptionsArePositionalParams(true);
      }
    }
    commands
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(output)
        .setErr(errors)
        .setParameterExceptionHandler(Espalier::explainArguments)
        .setExecutionExceptionHandler(Espalier::explainFailure);
    int status = AsciiDigits.execute(commands, args);
    IOException failure = output.failure();
    if (failure != null) {
      if (!Output.isClosedPipe(failure)) {
        errors.printf("espalier: can't write the output: %s%n", failure.getMessage());
      }
      status = ExitCode.SOFTWARE;
    }
    errors.flush();
    return status;
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "a command is needed: " + String.join(", ", spec.subcommands().keySet()));
  }

  private static int explainArguments(ParameterException e, String[] args) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    String message = e instanceof UnmatchedArgumentException unmatched ? unknown(unmatched) : null;
    e.getCommandLine()
        .getErr()
        .printf(
            "%s: %s (see %s --help)%n",
            command, message == null ? e.getMessage() : message, command);
    return ExitCode.USAGE;
  }

  /** Explains an argument that nothing takes, and says what it may have been meant to be. */
  private static String unknown(UnmatchedArgumentException e) {
    CommandLine command = e.getCommandLine();
    String argument = e.getUnmatched().getFirst();
    if (e.isUnknownOption()) {
      String name = argument.replaceFirst("=.*", "");
      return "unknown option '%s'%s"
          .formatted(
              name, NearMatch.question(name, command.getCommandSpec().optionsMap().keySet()));
    }
    if (!command.getSubcommands().isEmpty()) {
      return "unknown command '%s'%s"
          .formatted(argument, NearMatch.question(argument, command.getSubcommands().keySet()));
    }
    return "unexpected argument '" + argument + "'";
  }

  /**
   * One line for what a user can mend; anything else is a defect, and its stack trace is wanted.
   */
  private static int explainFailure(Exception e, CommandLine commandLine, ParseResult result)
      throws Exception {
    if (EXPLAINED.stream().noneMatch(kind -> kind.isInstance(e))) {
      throw e;
    }
    Interruption.awaitEndIfRequested();
    commandLine
        .getErr()
        .printf("%s: %s%n", commandLine.getCommandSpec().qualifiedName(), explanation(e));
    return ExitCode.SOFTWARE;
  }

  /** Leaves out the name of the class that the message of an unchecked exception begins with. */
  private static String explanation(Exception e) {
    return e instanceof UncheckedIOException && e.getCause() != null
        ? String.valueOf(e.getCause().getMessage())
        : String.valueOf(e.getMessage());
  }
}
