// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import com.google.common.collect.testing.NavigableMapTestSuiteBuilder;
import com.google.common.collect.testing.SampleElements;
import com.google.common.collect.testing.TestSortedMapGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import dev.espalier.GuavaCases;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import junit.framework.TestCase;
import junit.framework.TestSuite;
import org.junit.jupiter.api.DynamicContainer;

/**
 * Guava's tests of {@link NavigableMap} over {@link BytesIndex#asMap}, its sub-maps and descending
 * maps, with strings. After each test the index is verified and closed.
 */
final class BytesMapContract {
  /** Guava's name for sub-maps whose bounds are of two kinds. */
  private static final String SUB_MAP = "subMap ";

  /** Where the test cases get their maps from: those of the index whose tests are running. */
  private static final Generator GENERATOR = new Generator();

  /** Made once for all indexes: Guava takes longer to make the test cases than they run. */
  private static final TestSuite SUITE =
      NavigableMapTestSuiteBuilder.using(GENERATOR)
          .named("map")
          .withFeatures(
              CollectionSize.ANY,
              CollectionFeature.KNOWN_ORDER,
              CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
              MapFeature.GENERAL_PURPOSE)
          .createTestSuite();

  private BytesMapContract() {}

  /** Returns the tests for indexes that {@code factory} makes empty. */
  static DynamicContainer of(String name, Supplier<? extends BytesIndex> factory) {
    return container(name, factory, _ -> true);
  }

  /** Returns the tests of the map and its descending map, without those of their sub-maps. */
  static DynamicContainer withoutSubMaps(String name, Supplier<? extends BytesIndex> factory) {
    return container(name, factory, part -> !part.contains(SUB_MAP));
  }

  private static DynamicContainer container(
      String name, Supplier<? extends BytesIndex> factory, Predicate<String> parts) {
    return DynamicContainer.dynamicContainer(
        name, GuavaCases.of(SUITE, parts, test -> run(factory, test)));
  }

  private static void run(Supplier<? extends BytesIndex> factory, TestCase test) throws Throwable {
    GENERATOR.factory = factory;
    List<BytesIndex> opened = GENERATOR.opened;
    try {
      test.runBare();
      opened.forEach(BytesIndex::verify);
    } finally {
      opened.forEach(BytesIndex::close);
      opened.clear();
    }
  }

  /**
   * Five entries with room on either side: keys that are prefixes of one another, and on both sides
   * of where the order of UTF-16 is another. One value is empty.
   */
  private static final class Generator implements TestSortedMapGenerator<String, String> {
    final List<BytesIndex> opened = new ArrayList<>();
    Supplier<? extends BytesIndex> factory = HeapBytesIndex::new;

    @Override
    public NavigableMap<String, String> create(Object... elements) {
      BytesIndex index = factory.get();
      opened.add(index);
      NavigableMap<String, String> map =
          index.asMap(BytesKeyCodec.ofString(), BytesValueCodec.ofString());
      for (Object element : elements) {
        @SuppressWarnings("unchecked")
        Map.Entry<String, String> entry = (Map.Entry<String, String>) element;
        map.put(entry.getKey(), entry.getValue());
      }
      return map;
    }

    @Override
    public SampleElements<Map.Entry<String, String>> samples() {
      return new SampleElements<>(
          Map.entry("a", "one"),
          Map.entry("a\0", ""),
          Map.entry("ab", "three"),
          Map.entry("\uFFFD", "four"),
          Map.entry("\uD83D\uDE00", "five"));
    }

    @Override
    public Map.Entry<String, String> belowSamplesLesser() {
      return Map.entry("", "below");
    }

    @Override
    public Map.Entry<String, String> belowSamplesGreater() {
      return Map.entry("Z", "below too");
    }

    @Override
    public Map.Entry<String, String> aboveSamplesLesser() {
      return Map.entry("\uD83D\uDE00\0", "above");
    }

    @Override
    public Map.Entry<String, String> aboveSamplesGreater() {
      return Map.entry("\uDBFF\uDFFF", "above too");
    }

    @Override
    public Iterable<Map.Entry<String, String>> order(
        List<Map.Entry<String, String>> insertionOrder) {
      insertionOrder.sort(Map.Entry.comparingByKey(BytesMapContract::compareCodePoints));
      return insertionOrder;
    }

    @Override
    @SuppressWarnings("unchecked")
    public Map.Entry<String, String>[] createArray(int length) {
      return (Map.Entry<String, String>[]) new Map.Entry<?, ?>[length];
    }

    @Override
    public String[] createKeyArray(int length) {
      return new String[length];
    }

    @Override
    public String[] createValueArray(int length) {
      return new String[length];
    }
  }

  static int compareCodePoints(String left, String right) {
    return Arrays.compare(left.codePoints().toArray(), right.codePoints().toArray());
  }
}
