// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.model.DeviceTimes;
import dev.espalier.model.PioCosts;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PioCostsLayoutTest {

  @ParameterizedTest
  @ValueSource(ints = {1024, 4096, 16384})
  void modelHasThePagesOfTheTree(int pageBytes) {
    DeviceTimes times = new DeviceTimes(1, 1, List.of(1.0), 1, 1);
    PioCosts costs = new PioCosts(times, 1000, pageBytes, 1, 100, 100, 0);
    assertEquals(new EntryPage(pageBytes).capacity, costs.operationsPerPage());
    for (int segments = 1; segments <= 16; segments *= 2) {
      assertEquals(new InnerPage(pageBytes, segments).capacity, costs.fanout(segments));
    }
  }
}
