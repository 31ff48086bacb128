// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import com.google.common.collect.testing.NavigableMapTestSuiteBuilder;
import com.google.common.collect.testing.SampleElements;
import com.google.common.collect.testing.TestSortedMapGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import junit.framework.TestCase;
import junit.framework.TestSuite;
import org.junit.jupiter.api.DynamicContainer;

/**
 * Guava's tests of {@link NavigableMap} over {@link LongIndex#asMap()}, its sub-maps and descending
 * maps. After each test the index is verified and closed.
 */
public final class NavigableMapContract {
  /** Guava's name for sub-maps whose bounds are of two kinds. */
  private static final String SUB_MAP = "subMap ";

  /** The bounds that most users give. */
  private static final String HALF_OPEN = SUB_MAP + "INCLUSIVE-EXCLUSIVE";

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

  private final Supplier<? extends LongIndex> factory;
  private final Predicate<String> parts;

  private NavigableMapContract(Supplier<? extends LongIndex> factory, Predicate<String> parts) {
    this.factory = factory;
    this.parts = parts;
  }

  /** Returns the tests for indexes that {@code factory} makes empty. */
  public static DynamicContainer of(String name, Supplier<? extends LongIndex> factory) {
    return new NavigableMapContract(factory, _ -> true).container(name);
  }

  /** Returns the tests of the map and its descending map, without those of their sub-maps. */
  static DynamicContainer withoutSubMaps(String name, Supplier<? extends LongIndex> factory) {
    return new NavigableMapContract(factory, part -> !part.contains(SUB_MAP)).container(name);
  }

  /** Returns the tests with half-open sub-maps only: a sixth of all. */
  static DynamicContainer withHalfOpenSubMaps(String name, Supplier<? extends LongIndex> factory) {
    return new NavigableMapContract(
            factory, part -> !part.contains(SUB_MAP) || part.contains(HALF_OPEN))
        .container(name);
  }

  private DynamicContainer container(String name) {
    return DynamicContainer.dynamicContainer(name, GuavaCases.of(SUITE, parts, this::run));
  }

  private void run(TestCase test) throws Throwable {
    GENERATOR.factory = factory;
    List<LongIndex> opened = GENERATOR.opened;
    try {
      test.runBare();
      opened.forEach(LongIndex::verify);
    } finally {
      opened.forEach(LongIndex::close);
      opened.clear();
    }
  }

  /**
   * Five entries with room on either side, up to the extreme keys. One value is the index's missing
   * value, which a map must tell from an absent entry.
   */
  private static final class Generator implements TestSortedMapGenerator<Long, Long> {
    final List<LongIndex> opened = new ArrayList<>();
    Supplier<? extends LongIndex> factory = ModelIndex::new;

    @Override
    public NavigableMap<Long, Long> create(Object... elements) {
      LongIndex index = factory.get();
      opened.add(index);
      NavigableMap<Long, Long> map = index.asMap();
      for (Object element : elements) {
        @SuppressWarnings("unchecked")
        Map.Entry<Long, Long> entry = (Map.Entry<Long, Long>) element;
        map.put(entry.getKey(), entry.getValue());
      }
      return map;
    }

    @Override
    public SampleElements<Map.Entry<Long, Long>> samples() {
      return new SampleElements<>(
          Map.entry(-2L, 20L),
          Map.entry(-1L, IndexOptions.DEFAULT.missingValue()),
          Map.entry(0L, 0L),
          Map.entry(1L, -1L),
          Map.entry(3L, Long.MAX_VALUE));
    }

    @Override
    public Map.Entry<Long, Long> belowSamplesLesser() {
      return Map.entry(Long.MIN_VALUE, 1L);
    }

    @Override
    public Map.Entry<Long, Long> belowSamplesGreater() {
      return Map.entry(-3L, 2L);
    }

    @Override
    public Map.Entry<Long, Long> aboveSamplesLesser() {
      return Map.entry(4L, 3L);
    }

    @Override
    public Map.Entry<Long, Long> aboveSamplesGreater() {
      return Map.entry(Long.MAX_VALUE, 4L);
    }

    @Override
    public Iterable<Map.Entry<Long, Long>> order(List<Map.Entry<Long, Long>> insertionOrder) {
      insertionOrder.sort(Comparator.comparing(Map.Entry::getKey));
      return insertionOrder;
    }

    @Override
    @SuppressWarnings("unchecked")
    public Map.Entry<Long, Long>[] createArray(int length) {
      return (Map.Entry<Long, Long>[]) new Map.Entry<?, ?>[length];
    }

    @Override
    public Long[] createKeyArray(int length) {
      return new Long[length];
    }

    @Override
    public Long[] createValueArray(int length) {
      return new Long[length];
    }
  }
}
