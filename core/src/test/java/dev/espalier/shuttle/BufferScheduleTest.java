// SPDX-License-Identifier: Apache-2.0
package dev.espalier.shuttle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.shuttle.ShuttleTree.Geometry;
import dev.espalier.shuttle.ShuttleTree.Schedule;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BufferScheduleTest {
  @Test
  void fibonacciFactorIsWhatIsLeftWhenFibonacciNumbersAreTakenOff() {
    assertEquals(
        List.of(1, 2, 3, 1, 5, 1, 2, 8, 1, 2, 3, 1, 13, 1, 2, 3),
        IntStream.rangeClosed(1, 16).mapToObj(BufferSchedule::factor).toList());
  }

  @Test
  void piecesAreCutStrictlyBelowTheirHeight() {
    assertEquals(
        List.of(1, 2, 3, 3, 5, 5, 5, 8, 8),
        IntStream.rangeClosed(2, 10).mapToObj(BufferSchedule::cut).toList());
  }

  @Test
  void shiftedScheduleHasBuffersBelowNodesOfSomeHeights() {
    Map<Integer, List<Integer>> expected =
        Map.of(
            4, List.of(1),
            6, List.of(1, 2),
            9, List.of(1, 2, 3),
            12, List.of(1),
            14, List.of(1, 2, 3, 5),
            17, List.of(1),
            19, List.of(1, 2),
            22, List.of(1, 2, 3, 5, 8));
    BufferSchedule schedule = new BufferSchedule(Schedule.SHIFTED);
    for (int height = 1; height <= BufferSchedule.MAX_HEIGHT; height++) {
      int at = height;
      List<Integer> heights =
          IntStream.range(0, schedule.lists(at))
              .mapToObj(list -> schedule.bufferHeight(at, list))
              .toList();
      assertEquals(expected.getOrDefault(height, List.of()), heights, "height " + height);
    }
  }

  @Test
  void literalScheduleHasNoBufferInAnyTreeThatCanBe() {
    BufferSchedule schedule = new BufferSchedule(Schedule.LITERAL);
    for (int height = 1; height <= BufferSchedule.MAX_HEIGHT; height++) {
      assertEquals(0, schedule.lists(height), "height " + height);
    }
    for (int sizeClass = 1; sizeClass <= 10; sizeClass++) {
      assertTrue(BufferSchedule.heightIndex(Schedule.LITERAL, sizeClass) <= 0);
    }
    assertEquals(1, BufferSchedule.heightIndex(Schedule.LITERAL, 11));
    assertEquals(89, BufferSchedule.fibonacci(11), "so that nodes of height 90 are the first");
  }

  @Test
  void literalTreeHasNoBuffersAndKnowsItsSize() {
    try (ShuttleTree index =
        ShuttleTree.create(IndexOptions.DEFAULT, new Geometry(Schedule.LITERAL, 4, 2))) {
      for (long key = 0; key < 5000; key++) {
        index.set(key * 7919 % 5000, key);
      }
      assertTrue(index.tree.height >= 6);
      assertEquals(5000, index.tree.size);
      assertEquals(0, index.tree.drains);
      assertEquals(0, index.tree.stack.bytes());
      index.verify();
    }
  }

  /** The share for c = 4 that counting by hand gives: one buffer leaf for every 12 leaves. */
  @Test
  void buffersTakeATwelfthOfTheRoomOfAllEntries() {
    ShuttleLayout layout = new ShuttleLayout(Geometry.DEFAULT);
    for (int height = 10; height <= 14; height++) {
      double capacity = 0;
      for (int at = 2; at <= height; at++) {
        for (int list = 0; list < layout.lists(at); list++) {
          double edges = Math.pow(4, height - at + 1);
          capacity += edges * layout.chunkCapacity(at, list);
        }
      }
      assertEquals(0.083, capacity / (Math.pow(4, height - 1) * 64), 0.006, "height " + height);
    }
  }
}
