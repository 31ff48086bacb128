// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import dev.espalier.cli.Checkout;
import dev.espalier.cli.RunFacts;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Prefetch;
import java.lang.management.ManagementFactory;
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
    facts.put("CPU", RunFacts.cpu());
    facts.put("data caches", caches());
    facts.put("huge pages", Machine.hugePages());
    facts.put(
        "JVM", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
    facts.put(
        "JVM flags", String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
    facts.put("commit", Checkout.commit());
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
}
