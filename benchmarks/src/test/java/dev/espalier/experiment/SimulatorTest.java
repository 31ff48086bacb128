// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.simulation.HierarchyCounters;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class SimulatorTest {
  private static final Effort TINY = new Effort(500, 20, 1);

  static Stream<Simulated> all() {
    return Experiments.all().stream()
        .filter(Simulated.class::isInstance)
        .map(Simulated.class::cast);
  }

  @ParameterizedTest
  @MethodSource("all")
  void noTwoPiecesOfWorkHaveTheSameName(Simulated simulation) {
    List<String> settings = simulation.works(TINY).stream().map(SimulatedWork::setting).toList();
    assertEquals(settings.size(), new HashSet<>(settings).size());
  }

  @Test
  void everyPieceOfWorkIsCountedAndTheSameAgain() {
    List<String> shown = new ArrayList<>();
    Simulated simulation =
        all()
            .filter(one -> one.description().name().equals("thesis-table5.2"))
            .findFirst()
            .orElseThrow();
    SimulatedCounts counts = Simulator.run(simulation, TINY, (task, fraction) -> shown.add(task));
    List<String> settings = simulation.works(TINY).stream().map(SimulatedWork::setting).toList();
    assertEquals(settings, List.copyOf(counts.bySetting().keySet()));
    assertEquals(settings, shown.subList(1, shown.size()));
    for (String setting : settings) {
      HierarchyCounters counted = counts.of(setting);
      assertTrue(counted.accesses() > 0 && counted.prefetches() > 0, counted.toString());
      assertEquals(counted.accesses() + counted.prefetches(), counted.busyCycles());
    }
    assertEquals(counts, Simulator.run(simulation, TINY, Progress.NONE));
  }

  @Test
  void failureIsToldInTheWordsOfItsJvm() {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var e =
        assertThrows(
            IllegalStateException.class,
            () -> Simulator.run(List.of(java, "NoSuchProgram"), 1, Progress.NONE));
    assertTrue(e.getMessage().contains("NoSuchProgram"), e.getMessage());
  }

  @Test
  void missingJvmIsExplained() {
    var e =
        assertThrows(
            ExperimentException.class,
            () -> Simulator.run(List.of("no-such-java"), 1, Progress.NONE));
    assertTrue(e.getMessage().contains("no-such-java"), e.getMessage());
  }
}
