// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import dev.espalier.node.Keys;
import dev.espalier.prefetch.Prefetch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What results depend on and must be read with: machine, JVM, commit, native code. */
public final class Header {

  private Header() {}

  /** Returns the lines to print before results, each a name and a value. */
  public static List<String> lines() {
    return facts().entrySet().stream()
        .map(fact -> "%-12s %s".formatted(fact.getKey() + ":", fact.getValue()))
        .toList();
  }

  /** Returns values by name, in the order in which they are to be read. */
  public static Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        "CPU",
        Machine.cpuModel() + ", " + Runtime.getRuntime().availableProcessors() + " processors");
    facts.put("data caches", caches());
    facts.put("huge pages", Machine.hugePages());
    facts.put(
        "JVM", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
    facts.put(
        "JVM flags", String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
    facts.put("commit", commit());
    facts.put("native", Prefetch.status().toString());
    facts.put("SIMD", Keys.SIMD ? "in use" : "not in use");
    return facts;
  }

  private static String caches() {
    List<Machine.Cache> caches = Machine.dataCaches();
    return caches.isEmpty()
        ? "unknown"
        : caches.stream()
            .sorted(Comparator.comparingInt(Machine.Cache::level))
            .map(cache -> "L" + cache.level() + " " + (cache.bytes() >> 10) + " KiB")
            .collect(Collectors.joining(", "));
  }

  /** Returns the commit of the working folder's checkout, with a mark if files differ from it. */
  private static String commit() {
    String commit = git("rev-parse", "HEAD");
    if (commit.isEmpty()) {
      return "unknown";
    }
    return git("status", "--porcelain").isEmpty() ? commit : commit + " with local changes";
  }

  /** Returns what git prints, or nothing if there is no git or no checkout. */
  private static String git(String... arguments) {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    Process git;
    try {
      git = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    } catch (IOException e) {
      return "";
    }
    try {
      String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return git.waitFor() == 0 ? output.strip() : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      git.destroy();
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
