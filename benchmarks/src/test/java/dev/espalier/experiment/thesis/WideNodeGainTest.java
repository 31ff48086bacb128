// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.experiment.Effort;
import dev.espalier.experiment.Outcome;
import dev.espalier.experiment.Progress;
import dev.espalier.experiment.Run;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WideNodeGainTest {

  @Test
  void simulatedSearchGainsAsTheModelSays() {
    Outcome outcome = new WideNodeGain().run(new Run(new Effort(100_000, 1000, 1), Progress.NONE));
    for (SimulatedMachine machine : SimulatedMachine.values()) {
      double[] model = gains(outcome, machine.label() + ": model");
      double[] asModelled = gains(outcome, machine.label() + ": simulated as modelled");
      double[] cold = gains(outcome, machine.label() + ": simulated, cold");
      assertEquals(1, model[0]);
      assertTrue(model[2] > 1.1, "wide nodes should gain something");
      for (int i = 0; i < model.length; i++) {
        assertEquals(model[i], asModelled[i], 1e-9);
        assertEquals(model[i], cold[i], 0.1 * model[i]);
      }
    }
  }

  private static double[] gains(Outcome outcome, String series) {
    return outcome.table().where("series", series).numbers("gain");
  }

  @Test
  void progressComesToItsEnd() {
    List<Double> fractions = new ArrayList<>();
    new WideNodeGain()
        .run(new Run(new Effort(1, 1, 1), (task, fraction) -> fractions.add(fraction)));
    assertEquals(0, fractions.getFirst());
    assertEquals(1, fractions.getLast());
    assertEquals(fractions.stream().sorted().toList(), fractions);
  }
}
