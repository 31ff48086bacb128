// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.peer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class StringEntriesTest {
  private static final int COUNT = 1003;
  private static final StringEntries ENTRIES = StringEntries.draw(COUNT, 20);

  @Test
  void keysAreDifferentAndOfAllKinds() {
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < COUNT; i++) {
      keys.add(ENTRIES.keys().string(i));
    }
    assertEquals(COUNT, keys.size());
    for (String part : List.of("https://", "@mail", "/home/", " ")) {
      long some = keys.stream().filter(key -> key.contains(part)).count();
      assertTrue(some >= COUNT / 5 && some <= COUNT / 5 + 1, part + ": " + some);
    }
  }

  @Test
  void packedBytesAreThoseOfTheStrings() {
    long bytes = 0;
    for (int i = 0; i < COUNT; i++) {
      byte[] expected = ENTRIES.keys().string(i).getBytes(StandardCharsets.UTF_8);
      assertArrayEquals(expected, ENTRIES.keys().get(i).toArray(ValueLayout.JAVA_BYTE));
      assertArrayEquals(expected, ENTRIES.keys().batch(i, 1).get(0).toArray(ValueLayout.JAVA_BYTE));
      bytes += expected.length + 20;
    }
    assertEquals(bytes, ENTRIES.ownBytes(COUNT));
  }

  @Test
  void valueBeginsWithTheNumberOfItsEntry() {
    byte[] value = ENTRIES.valueArray(17);
    assertEquals(20, value.length);
    assertEquals(StringEntries.number(17), StringMapPeer.number(value));
  }

  @Test
  void mapThatHasAllEntriesAnswersTheExpectedSums() {
    try (StringMapPeer map = new StringMapPeer()) {
      map.put(ENTRIES, 0, COUNT);
      assertEquals(ENTRIES.sum(), map.scan());
      StringProbes probes = ENTRIES.probes(new SplittableRandom(3), 100);
      assertEquals(probes.sum(), map.get(probes.keys()));
    }
  }

  @Test
  void probesAreOtherObjectsThanKeys() {
    StringEntries one = StringEntries.draw(1, 8);
    StringProbes probes = one.probes(new SplittableRandom(3), 1);
    assertEquals(one.keys().string(0), probes.keys().string(0));
    assertNotSame(one.keys().string(0), probes.keys().string(0));
  }

  @Test
  void valuesWithoutRoomForANumberAreRefused() {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> StringEntries.draw(10, 7));
    assertEquals("values have 7 bytes; they must have at least 8", refused.getMessage());
  }
}
