// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bplus.BPlusTree;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.bplus.PbPlusTree.Geometry;
import dev.espalier.family.Family;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every refusal names the argument and its value, and leaves the index as it was. */
@NullUnmarked // Null is one of the wrong arguments.
class WrongArgumentsTest {
  private static final long[] TWO = {1, 2};
  private static final long[] THREE = {1, 2, 3};

  @RegisterExtension final Indexes indexes = new Indexes();

  static Stream<TreeShape> shapes() {
    return Stream.of(
            TreeShape.defaults(), TreeShape.smallest(), List.of(TreeShape.partitioned(3, 4)))
        .flatMap(List::stream);
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void fillFactorOutOfRangeIsRefused(TreeShape shape) {
    LongIndex index = indexes.create(shape);
    for (double fill : new double[] {0, 0.49, -1, 1.01, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertRefused(
          IllegalArgumentException.class,
          () -> index.bulkload(source(THREE), fill, 3, ProgressListener.NONE),
          "fillFactor",
          Double.toString(fill));
    }
    assertTrue(index.isEmpty());
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void keysOutOfOrderAreRefused(TreeShape shape) {
    LongIndex index = indexes.create(shape);
    assertRefused(
        IllegalArgumentException.class,
        () -> index.bulkload(new long[] {5, 9, 7}, THREE),
        "key 7 of entry 2",
        "after 9");
    assertRefused(
        IllegalArgumentException.class,
        () -> index.bulkload(new long[] {5, 5, 7}, THREE),
        "key 5 of entry 1",
        "after 5");
    assertRefused(
        IllegalArgumentException.class,
        () -> index.bulkload(new long[] {Long.MAX_VALUE, Long.MIN_VALUE}, TWO),
        "key " + Long.MIN_VALUE,
        "after " + Long.MAX_VALUE);
    assertTrue(index.isEmpty());
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void arraysOfUnequalLengthAreRefused(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, 3);
    for (Executable call :
        Stream.<Executable>of(
                () -> index.getAll(TWO, THREE),
                () -> index.putAll(TWO, THREE),
                () -> index.bulkload(TWO, THREE))
            .toList()) {
      assertRefused(IllegalArgumentException.class, call, "keys.length=2", "values.length=3");
    }
    assertEquals(3, index.size());
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void rangesOutsideTheArraysAreRefused(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, 3);
    assertOutOfBounds(() -> index.getAll(THREE, 2, THREE, 0, 2), "keysFrom=2", "count=2", "3");
    assertOutOfBounds(() -> index.getAll(THREE, 0, THREE, 3, 1), "valuesFrom=3", "count=1", "3");
    assertOutOfBounds(() -> index.getAll(THREE, -1, THREE, 0, 1), "keysFrom=-1", "count=1", "3");
    assertOutOfBounds(() -> index.getAll(THREE, 0, THREE, 0, -1), "keysFrom=0", "count=-1", "3");
    long[] many = new long[65];
    long[] values = new long[65];
    assertOutOfBounds(() -> index.getAll(many, values, new long[1]), "found", "1", "65");
    assertOutOfBounds(() -> index.getAll(many, 0, values, 0, 1, new long[0]), "found", "0", "1");
    assertOutOfBounds(() -> index.getAll(THREE, 2, values, 0, 2, TWO), "keysFrom=2", "count=2");
    assertOutOfBounds(() -> index.putAll(TWO, 1, THREE, 0, 2), "keysFrom=1", "count=2", "2");
    assertOutOfBounds(() -> index.putAll(THREE, 0, TWO, -7, 2), "valuesFrom=-7", "count=2", "2");
    assertOutOfBounds(
        () -> index.putAll(THREE, Integer.MAX_VALUE, THREE, 0, 2),
        "keysFrom=" + Integer.MAX_VALUE,
        "count=2",
        "3");
    assertOutOfBounds(() -> LongEntrySource.of(TWO, THREE, 3), "count=3", "keys", "2");
    assertOutOfBounds(() -> LongEntrySource.of(THREE, TWO, 3), "count=3", "values", "2");
    assertOutOfBounds(() -> LongEntrySource.of(THREE, TWO, -1), "count=-1", "keys", "3");
    assertEquals(3, index.size());
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void segmentsThatDoNotFitAreRefused(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, 3);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment two = arena.allocate(16);
      assertRefused(
          IllegalArgumentException.class,
          () -> index.getAll(two, arena.allocate(24)),
          "keys has 16 bytes",
          "values has 24");
      assertRefused(
          IllegalArgumentException.class,
          () -> index.getAll(arena.allocate(12), arena.allocate(12)),
          "keys has 12 bytes",
          "multiple of 8");
      assertRefused(
          IllegalArgumentException.class,
          () -> index.getAll(two, two.asReadOnly()),
          "values is read-only",
          "16");
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void nullIsRefusedByName(TreeShape shape) {
    LongIndex index = indexes.create(shape);
    assertRefused(NullPointerException.class, () -> index.getAll(null, TWO), "keys");
    assertRefused(NullPointerException.class, () -> index.getAll(TWO, null), "values");
    assertRefused(NullPointerException.class, () -> index.getAll(null, 0, TWO, 0, 1), "keys");
    assertRefused(NullPointerException.class, () -> index.getAll(TWO, 0, null, 0, 1), "values");
    assertRefused(NullPointerException.class, () -> index.putAll(null, TWO), "keys");
    assertRefused(NullPointerException.class, () -> index.putAll(TWO, null), "values");
    assertRefused(NullPointerException.class, () -> index.putAll(null, 0, TWO, 0, 1), "keys");
    assertRefused(NullPointerException.class, () -> index.putAll(TWO, 0, null, 0, 1), "values");
    assertRefused(
        NullPointerException.class,
        () -> index.getAll((MemorySegment) null, MemorySegment.NULL),
        "keys");
    assertRefused(
        NullPointerException.class,
        () -> index.getAll(MemorySegment.NULL, (MemorySegment) null),
        "values");
    assertRefused(NullPointerException.class, () -> index.bulkload(null, TWO), "keys");
    assertRefused(
        NullPointerException.class,
        () -> index.bulkload(null, 1.0, 0, ProgressListener.NONE),
        "entries");
    assertRefused(
        NullPointerException.class, () -> index.bulkload(source(TWO), 1.0, 2, null), "listener");
    assertTrue(index.isEmpty());
    LongCursor cursor = indexes.createCounting(shape, 3).cursor();
    assertRefused(NullPointerException.class, () -> cursor.nextRun(null), "run");
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void rangeFromAboveToIsRefused(TreeShape shape) {
    LongIndex index = indexes.createCounting(shape, 3);
    assertRefused(
        IllegalArgumentException.class, () -> index.countRange(5, true, 3, true), "from", "5", "3");
    assertRefused(
        IllegalArgumentException.class,
        () -> index.removeRange(5, true, 3, true),
        "from",
        "5",
        "3");
    assertEquals(3, index.size());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 65, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void widthOutOfRangeIsRefused(int width) {
    String is = " is " + width + " lines";
    assertRefused(
        IllegalArgumentException.class,
        () -> BPlusTree.create(IndexOptions.DEFAULT, width),
        "width" + is);
    assertRefused(
        IllegalArgumentException.class, () -> new Geometry(width, 1, 0), "innerWidth" + is);
    assertRefused(
        IllegalArgumentException.class, () -> new Geometry(1, width, 0), "leafWidth" + is);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 65, Integer.MIN_VALUE})
  void prefetchDistanceOutOfRangeIsRefused(int distance) {
    assertRefused(
        IllegalArgumentException.class,
        () -> new Geometry(8, 8, distance),
        "prefetchDistance is " + distance);
  }

  @Test
  void optionsAreChecked() {
    assertRefused(
        IllegalArgumentException.class,
        () -> IndexOptions.DEFAULT.withMemoryLimit(16_383),
        "memoryLimit is 16383");
    assertRefused(
        NullPointerException.class, () -> IndexOptions.DEFAULT.withHugePages(null), "hugePages");
    assertRefused(NullPointerException.class, () -> BPlusTree.create(null), "options");
    assertRefused(
        NullPointerException.class,
        () -> PbPlusTree.create(IndexOptions.DEFAULT, null),
        "geometry");
  }

  @Test
  void unknownVariantIsRefusedWithTheNamesThereAre() {
    assertRefused(
        IllegalArgumentException.class,
        () -> Family.named("XTree"),
        "XTree",
        Family.all().getFirst().name());
    for (TreeVariant variant : Family.all()) {
      assertEquals(variant, Family.named(variant.name()));
    }
  }

  private static LongEntrySource source(long[] keys) {
    return LongEntrySource.of(keys, keys, keys.length);
  }

  private static void assertOutOfBounds(Executable call, String... parts) {
    assertRefused(IndexOutOfBoundsException.class, call, parts);
  }

  private static void assertRefused(
      Class<? extends Exception> type, Executable call, String... parts) {
    String message = assertThrows(type, call).getMessage();
    for (String part : parts) {
      assertTrue(message.contains(part), () -> "'" + part + "' is not in: " + message);
    }
  }
}
