// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.model.MemoryTimes;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AgreedTimesTest {

  /** Measures what is given: T1 and Tnext in turn. */
  private static AgreedTimes measure(double... figures) {
    Iterator<MemoryTimes> times =
        List.of(
                new MemoryTimes(figures[0], figures[1]),
                new MemoryTimes(figures[2], figures[3]),
                new MemoryTimes(figures[4], figures[5]),
                new MemoryTimes(figures[6], figures[7]),
                new MemoryTimes(figures[8], figures[9]))
            .iterator();
    AgreedTimes agreed = AgreedTimes.measure(times::next);
    assertFalse(times.hasNext());
    return agreed;
  }

  @Test
  void nearMeasurementsAgreeOnTheMedianOfEachFigure() {
    AgreedTimes times = measure(100, 12, 125, 11, 110, 10, 101, 12.5, 102, 10.5);
    assertTrue(times.agree());
    assertEquals(new MemoryTimes(102, 11), times.median());
  }

  @Test
  void oneFigureThatIsFarOffDisagrees() {
    AgreedTimes slow = measure(100, 10, 100, 10, 126, 10, 100, 10, 100, 10);
    assertFalse(slow.agree());
    assertEquals(
        "5 measurements differ: T1 from 100.0 to 126.0 ns, Tnext from 10.0 to 10.0 ns",
        slow.disagreement());
    assertFalse(measure(100, 10, 100, 10, 100, 10, 100, 10, 100, 7).agree());
  }
}
