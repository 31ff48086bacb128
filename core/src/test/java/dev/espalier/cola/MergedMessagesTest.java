// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("fallback-thorough")
class MergedMessagesTest {
  /** A value, and whether it is a put's. */
  private record Message(long value, boolean isPut) {}

  /** Messages in blocks of random lengths. */
  private static final class Blocks extends MessageStream {
    private final List<Map.Entry<Long, Message>> left;
    private final SplittableRandom random;

    Blocks(TreeMap<Long, Message> messages, SplittableRandom random) {
      super(1000);
      this.left = new ArrayList<>(messages.entrySet());
      this.random = random;
    }

    @Override
    boolean refill() {
      int count = Math.min(left.size(), random.nextInt(1, random.nextBoolean() ? 1000 : 8));
      boolean onlyPuts = true;
      for (int i = 0; i < count; i++) {
        keys[i] = left.get(i).getKey();
        values[i] = left.get(i).getValue().value();
        puts[i] = left.get(i).getValue().isPut();
        onlyPuts &= puts[i];
      }
      left.subList(0, count).clear();
      return begin(count, onlyPuts);
    }
  }

  /** Ways to draw a key. */
  private enum Keys {
    /** Many are in both streams. */
    FEW,
    /** A few are in both streams. */
    MORE,
    /** The whole range: differences do not fit into a long. */
    ANY,
    /** The ends of the range and what is next to them. */
    EXTREME;

    long draw(SplittableRandom random) {
      return switch (this) {
        case FEW -> random.nextInt(3000);
        case MORE -> random.nextInt(300_000);
        case ANY -> random.nextLong();
        case EXTREME ->
            (random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE) + random.nextInt(-900, 900);
      };
    }
  }

  static Stream<Keys> keys() {
    return Stream.of(Keys.values());
  }

  @ParameterizedTest
  @MethodSource("keys")
  void newerMessagesStay(Keys keys) {
    for (int seed = 0; seed < 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int deletes = random.nextInt(3);
      TreeMap<Long, Message> newer = messages(random, keys, deletes == 1 ? 5 : 0);
      TreeMap<Long, Message> older = messages(random, keys, deletes == 2 ? 5 : 0);
      MergedMessages merged =
          new MergedMessages(new Blocks(newer, random), new Blocks(older, random));
      TreeMap<Long, Message> expected = new TreeMap<>(older);
      expected.putAll(newer);
      assertHolds(expected, merged);
    }
  }

  private static TreeMap<Long, Message> messages(
      SplittableRandom random, Keys keys, int percentDeletes) {
    TreeMap<Long, Message> messages = new TreeMap<>();
    int count = random.nextInt(random.nextBoolean() ? 2000 : 10);
    for (int i = 0; i < count; i++) {
      boolean isPut = random.nextInt(100) >= percentDeletes;
      messages.put(keys.draw(random), new Message(random.nextLong(), isPut));
    }
    return messages;
  }

  private static void assertHolds(TreeMap<Long, Message> expected, MessageStream stream) {
    List<Map.Entry<Long, Message>> found = new ArrayList<>();
    while (stream.hasNext()) {
      boolean isPut = stream.allPuts || stream.puts[stream.at];
      Message message = new Message(stream.values[stream.at], isPut);
      found.add(Map.entry(stream.keys[stream.at], message));
      stream.at++;
    }
    assertEquals(List.copyOf(expected.entrySet()), found);
  }

  @ParameterizedTest
  @MethodSource("keys")
  void lowerBoundIsTheFirstKeyNotBelow(Keys draws) {
    SplittableRandom random = new SplittableRandom(1);
    for (int count = 0; count < 300; count++) {
      long[] keys = random.longs(count + 3L).map(_ -> draws.draw(random)).sorted().toArray();
      for (int i = 0; i < 20; i++) {
        long key = i < count ? keys[i] : draws.draw(random);
        int expected = 2;
        while (expected < keys.length - 1 && keys[expected] < key) {
          expected++;
        }
        assertEquals(expected, Ordered.lowerBound(keys, 2, keys.length - 1, key));
        assertEquals(expected, Ordered.lowerBoundNear(keys, 2, keys.length - 1, key));
      }
    }
  }

  @Test
  void lowerBoundOfNothingIsItsPlace() {
    assertEquals(3, Ordered.lowerBound(new long[5], 3, 3, 7));
  }
}
