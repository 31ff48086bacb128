// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is chosen for devices made up. */
final class PioChoiceTest {
  private static final double CLOSE = 1e-9;
  private static final PioWork HALF = new PioWork(10_000_000, 0.5, 16 << 20);

  /** A device that answers so many requests in the time of one, and the next in as long again. */
  private static PageTimes pages(int pageBytes, double read, double write, int atOnce) {
    List<Double> reads = new ArrayList<>();
    List<Double> writes = new ArrayList<>();
    for (int count = 1; count <= PageTimes.MOST_AT_ONCE; count *= 2) {
      int turns = Math.ceilDiv(count, atOnce);
      reads.add(read * turns);
      writes.add(write * turns);
    }
    return new PageTimes(pageBytes, reads, writes);
  }

  private static DeviceProfile device(int atOnce) {
    return new DeviceProfile("made up", List.of(pages(4096, 100, 200, atOnce)));
  }

  @Test
  void asManyPagesAreReadAtOnceAsTheDeviceAnswersTogether() {
    assertEquals(1, pages(4096, 100, 200, 1).pioMax());
    assertEquals(8, pages(4096, 100, 200, 8).pioMax());
    assertEquals(64, pages(4096, 100, 200, 64).pioMax());
  }

  @Test
  void modelGetsASingleRequestALeafAndAShareOfAWave() {
    DeviceTimes times = pages(4096, 100, 200, 8).times(8);
    assertEquals(100, times.read(), CLOSE);
    assertEquals(200, times.write(), CLOSE);
    assertEquals(List.of(100.0, 100.0, 100.0, 100.0, 200.0), times.leafReads());
    assertEquals(100.0 / 8, times.psyncRead(), CLOSE);
    assertEquals(200.0 / 8, times.psyncWrite(), CLOSE);
    PageTimes pages = pages(4096, 1, 1, 1);
    assertThrows(IllegalArgumentException.class, () -> pages.times(3));
    assertThrows(IllegalArgumentException.class, () -> pages.times(128));
  }

  @Test
  void choiceIsTheModelsAndThePoolHasTheRest() {
    PioChoice choice = PioChoice.of(device(8), HALF);
    DeviceTimes times = pages(4096, 100, 200, 8).times(8);
    PioCosts costs = new PioCosts(times, 10_000_000, 4096, 0.7, 4096, PioChoice.BATCH_COUNT, 0);
    PioCosts.Choice expected = costs.choose(0.5);
    assertEquals(expected.leafPages(), choice.leafPages());
    assertEquals(expected.queuePages(), choice.queuePages());
    assertEquals(expected.cost(), choice.nanos(), CLOSE);
    assertEquals(1 - expected.queuePages() / 4096.0, choice.poolShare(), CLOSE);
    assertEquals(8, choice.pioMax());
    for (String part :
        List.of("pages of 4096 bytes", "up to 8", "50% updates", "made up", expected.reason())) {
      assertTrue(choice.reason().contains(part), choice::reason);
    }
  }

  @Test
  void moreUpdatesTakeALargerQueue() {
    int before = 0;
    for (double ratio : new double[] {0, 0.5, 1}) {
      int queue = PioChoice.of(device(64), new PioWork(10_000_000, ratio, 16 << 20)).queuePages();
      assertTrue(queue >= before, queue + " pages for " + ratio);
      before = queue;
    }
    assertTrue(before > 64, before + " pages");
  }

  /** Eight times the time for twice the bytes is never worth it; half the time always is. */
  @Test
  void pageSizeIsTheOneThatCostsLess() {
    PageTimes small = pages(4096, 100, 200, 8);
    DeviceProfile slow = new DeviceProfile("", List.of(small, pages(8192, 800, 1600, 8)));
    DeviceProfile fast = new DeviceProfile("", List.of(small, pages(8192, 50, 100, 8)));
    assertEquals(4096, PioChoice.of(slow, HALF).pageBytes());
    assertEquals(8192, PioChoice.of(fast, HALF).pageBytes());
  }

  @Test
  void pagesThatMemoryHasNoRoomForAreNotChosen() {
    DeviceProfile fast =
        new DeviceProfile("", List.of(pages(4096, 100, 200, 8), pages(8192, 50, 100, 8)));
    PioWork tight = new PioWork(10_000_000, 0.5, PioWork.LEAST_MEMORY_BYTES);
    assertEquals(4096, PioChoice.of(fast, tight).pageBytes());
  }

  @Test
  void treeThatIsThereKeepsItsLeaves() {
    for (int leaf : new int[] {1, 3, 16}) {
      PioChoice choice = PioChoice.ofTree(device(8), HALF, 4096, leaf);
      assertEquals(leaf, choice.leafPages());
      assertTrue(choice.queuePages() > 1, choice::toString);
    }
  }

  @Test
  void sizesThatWereNotMeasuredAreInProportion() {
    DeviceProfile device = device(8);
    assertEquals(400, device.times(16384).reads().getFirst(), CLOSE);
    assertEquals(50, device.times(2048).reads().getFirst(), CLOSE);
    assertEquals(pages(4096, 100, 200, 8), device.times(4096));
  }

  @Test
  void treeThatFitsIntoMemoryHasAReasonToo() {
    PioChoice choice = PioChoice.of(device(8), new PioWork(1000, 0, 1 << 20));
    assertEquals(0, choice.nanos(), CLOSE);
    assertTrue(choice.reason().contains("there is room for all pages"), choice::reason);
  }

  @Test
  void impossiblePartsAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new PioWork(0, 0.5, 1 << 20));
    assertThrows(IllegalArgumentException.class, () -> new PioWork(1, 1.5, 1 << 20));
    assertThrows(IllegalArgumentException.class, () -> new PioWork(1, Double.NaN, 1 << 20));
    assertThrows(IllegalArgumentException.class, () -> new PioWork(1, 0.5, 1 << 10));
    assertThrows(IllegalArgumentException.class, () -> new DeviceProfile("", List.of()));
    PageTimes pages = pages(4096, 1, 1, 1);
    List<PageTimes> twice = List.of(pages, pages);
    assertThrows(IllegalArgumentException.class, () -> new DeviceProfile("", twice));
    List<Double> few = List.of(1.0, 2.0);
    assertThrows(IllegalArgumentException.class, () -> new PageTimes(4096, few, pages.writes()));
    assertThrows(
        IllegalArgumentException.class, () -> new PageTimes(100, pages.reads(), pages.writes()));
    assertThrows(IllegalArgumentException.class, () -> pages(4096, 0, 1, 1));
  }
}
