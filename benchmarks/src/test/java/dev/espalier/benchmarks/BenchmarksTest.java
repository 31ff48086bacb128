// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.benchmarks.peer.Peers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmh.runner.options.CommandLineOptionException;

/** JMH itself runs the benchmarks, as little of each as it can. */
final class BenchmarksTest {
  private static final List<String> SHORTEST =
      List.of("-f", "0", "-wi", "0", "-i", "1", "-r", "1ms", "-foe", "true", "-v", "SILENT");

  @TempDir Path folder;

  @Test
  @Tag("thorough")
  void jmhRunsEveryBenchmark() throws Exception {
    List<String[]> rows =
        run("-p", "index=PbPlusTree", "-p", "size=70000", "-p", "group=64", "-p", "jvm=ALONE");
    Set<String> names = new TreeSet<>();
    for (String[] row : rows) {
      names.add(row[0].substring(row[0].lastIndexOf('.') + 1).replaceFirst(":.*", ""));
    }
    assertEquals(
        Set.of(
            "getHit",
            "getMiss",
            "getAll",
            "putRandom",
            "putAscending",
            "remove",
            "scanRuns",
            "scanEntries",
            "scanRange100",
            "bulkload",
            "get",
            "putExisting",
            "scan",
            "loadPairs",
            "joinPairs",
            "joinPairsByTwo",
            "asOf",
            "asOfTreeMap",
            "band",
            "bandTreeMap"),
        names);
  }

  @Test
  @Tag("thorough")
  void everyStructureIsMeasuredUnlessOneIsNamed() throws Exception {
    List<String[]> rows = run("LookupBenchmark.getHit", "-p", "size=1000");
    assertEquals(
        new TreeSet<>(Peers.names()),
        new TreeSet<>(rows.stream().map(row -> row[row.length - 2]).toList()));
  }

  @Test
  void unknownOptionIsRefused() {
    assertThrows(CommandLineOptionException.class, () -> Benchmarks.run("--no-such-option"));
  }

  /** Returns the rows of JMH's table of results, without the names of the columns. */
  private List<String[]> run(String... arguments) throws Exception {
    Path csv = folder.resolve("results.csv");
    List<String> all = new ArrayList<>(SHORTEST);
    all.addAll(List.of("-rf", "csv", "-rff", csv.toString()));
    all.addAll(List.of(arguments));
    Benchmarks.run(all.toArray(String[]::new));
    List<String> lines = Files.readAllLines(csv);
    assertTrue(lines.getFirst().contains("Benchmark"), lines.getFirst());
    return lines.stream().skip(1).map(line -> line.replace("\"", "").split(",")).toList();
  }
}
