// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.prefetch.Prefetch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** What figures depend on and must be read with: the machine, the JVM and the program. */
public final class RunFacts {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
  private static final String CPU_MODEL = "model name";

  /** What is told of the machine and the program; other facts hold names of folders. */
  private static final Set<String> PUBLISHED =
      Set.of("CPU", "JDK", "machine", "SIMD", "caches", "commit", "date", "effort");

  private RunFacts() {}

  /**
   * Returns everything that is known at this moment, by name.
   *
   * @param quick whether less is measured than in a run whose figures count
   */
  public static Map<String, String> now(boolean quick) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("CPU", cpu());
    facts.putAll(MachineDescription.all());
    facts.put("version", version());
    facts.put("commit", Checkout.commit());
    facts.put("date", LocalDate.now(ZoneOffset.UTC).toString());
    facts.put("effort", quick ? "quick" : "full");
    return facts;
  }

  /** Returns those facts without what is nobody's business: folders of the machine. */
  public static Map<String, String> published(Map<String, String> facts) {
    Map<String, String> published = new LinkedHashMap<>(facts);
    published.keySet().retainAll(PUBLISHED);
    return published;
  }

  /**
   * Returns what a file of figures begins with, to which the figures are to be added: the command
   * as it was typed and the machine, without folders.
   *
   * @param call how the program is called, before the words of the command
   */
  public static Map<String, Object> ofCommand(String call, CommandSpec command, boolean quick) {
    Map<String, String> machine = published(now(quick));
    machine.put("prefetch", Prefetch.isNative() ? "on" : "off");
    Map<String, Object> file = new LinkedHashMap<>();
    file.put("command", TypedCommand.of(call, command));
    file.put("machine", machine);
    return file;
  }

  /** Returns the model of the processor, where Linux tells it, and how many there are. */
  public static String cpu() {
    return cpuModel() + ", " + Runtime.getRuntime().availableProcessors() + " processors";
  }

  private static String cpuModel() {
    String architecture = System.getProperty("os.arch", "unknown");
    if (!Files.isReadable(CPU_INFO)) {
      return architecture;
    }
    try (Stream<String> lines = Files.lines(CPU_INFO)) {
      return lines
          .filter(line -> line.startsWith(CPU_MODEL))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(architecture);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String version() {
    try {
      return String.join(" ", new Version().getVersion());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
