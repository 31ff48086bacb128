// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.experiment.Effort;
import dev.espalier.experiment.ExperimentException;
import dev.espalier.experiment.Progress;
import dev.espalier.simulation.HierarchyCounters;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class SimulatorTest {
  private static final Effort TINY = new Effort(500, 20, 1);

  @ParameterizedTest
  @EnumSource(Simulation.class)
  void noTwoPiecesOfWorkHaveTheSameName(Simulation simulation) {
    List<String> settings = simulation.works(TINY).stream().map(SimulatedWork::setting).toList();
    assertEquals(settings.size(), new HashSet<>(settings).size());
  }

  @Test
  void everyPieceOfWorkIsCountedAndTheSameAgain() {
    List<String> shown = new ArrayList<>();
    SimulatedCounts counts =
        Simulator.run(Simulation.FAULT_HINT, TINY, (task, fraction) -> shown.add(task));
    List<String> settings =
        Simulation.FAULT_HINT.works(TINY).stream().map(SimulatedWork::setting).toList();
    assertEquals(settings, List.copyOf(counts.bySetting().keySet()));
    assertEquals(settings, shown.subList(1, shown.size()));
    for (HierarchyCounters counted : counts.bySetting().values()) {
      assertTrue(counted.accesses() > 0 && counted.prefetches() > 0, counted.toString());
      assertEquals(counted.accesses() + counted.prefetches(), counted.busyCycles());
    }
    assertEquals(counts, Simulator.run(Simulation.FAULT_HINT, TINY, Progress.NONE));
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
