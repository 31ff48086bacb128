// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.jspecify.annotations.Nullable;

/** Compares what stores answer, and makes keys and values. */
final class StoreComparison {
  private StoreComparison() {}

  /** Returns one of few keys: short ones, of zeros and of 0xFF, and some that are alike. */
  static Bytes key(Random random) {
    byte[] key = new byte[1 + random.nextInt(4)];
    for (int i = 0; i < key.length; i++) {
      key[i] = new byte[] {0, 1, 'a', -1}[random.nextInt(4)];
    }
    return Bytes.wrap(key);
  }

  /** Returns a value, now and then one that is longer than a page. */
  static byte[] value(Random random) {
    byte[] value = new byte[random.nextInt(200) == 0 ? 10_000 : random.nextInt(40)];
    random.nextBytes(value);
    return value;
  }

  static void assertSameValue(byte @Nullable [] expected, byte @Nullable [] actual, String what) {
    assertEquals(Arrays.toString(expected), Arrays.toString(actual), what);
  }

  /** Compares what two iterators show, in this order. */
  static <K> void assertSame(
      KeyValueIterator<K, byte[]> expected, KeyValueIterator<K, byte[]> actual, String what) {
    assertEquals(list(expected), list(actual), what);
  }

  /**
   * Compares what two iterators show, in any order of keys: Kafka's stores have orders of their
   * own.
   */
  static <K> void assertSameEntries(
      KeyValueIterator<K, byte[]> expected, KeyValueIterator<K, byte[]> actual, String what) {
    List<String> first = list(expected);
    List<String> second = list(actual);
    first.sort(null);
    second.sort(null);
    assertEquals(first, second, what);
  }

  /** Reads an iterator to its end, and closes it. */
  static <K> List<String> list(KeyValueIterator<K, byte[]> iterator) {
    List<String> entries = new ArrayList<>();
    while (iterator.hasNext()) {
      String key = show(iterator.peekNextKey());
      KeyValue<K, byte[]> entry = iterator.next();
      assertEquals(key, show(entry.key));
      entries.add(key + "=" + Arrays.toString(entry.value));
    }
    assertThrows(NoSuchElementException.class, iterator::next);
    iterator.close();
    iterator.close();
    return entries;
  }

  private static String show(Object key) {
    return switch (key) {
      case Bytes bytes -> Arrays.toString(bytes.get());
      case Windowed<?> windowed -> show(windowed.key()) + "@" + windowed.window();
      default -> key.toString();
    };
  }

  static void assertSaysClosed(org.junit.jupiter.api.function.Executable call) {
    assertThrows(InvalidStateStoreException.class, call);
  }
}
