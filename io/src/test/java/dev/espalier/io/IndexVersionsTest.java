// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.IndexVersions.Version;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What keys were at a time, and which of them were changed after it. */
class IndexVersionsTest {
  private static final int BYTES = 160;

  private final IndexVersions<Long, Long> versions =
      new IndexVersions<>("a", new ConcurrentSkipListMap<>());

  private Version<Long, Long> add(long key, long time, @Nullable Long before) {
    return Objects.requireNonNull(versions.add(key, time, before, BYTES));
  }

  /** Returns what a key was at a time: as the tree has it, nothing, or a value. */
  private String at(long key, long time) {
    Version<Long, Long> version = versions.at(key, time);
    return version == null ? "tree" : version.before == null ? "nothing" : "" + version.before;
  }

  // ---------------------------------------------------------------- versions

  @Test
  void aKeyWasWhatItWasBeforeItsFirstLaterChange() {
    add(5, 2, 50L);
    add(5, 4, 51L);
    add(5, 7, null);
    assertEquals("50", at(5, 0));
    assertEquals("50", at(5, 1));
    assertEquals("51", at(5, 2));
    assertEquals("51", at(5, 3));
    assertEquals("nothing", at(5, 4));
    assertEquals("nothing", at(5, 6));
    assertEquals("tree", at(5, 7));
    assertEquals("tree", at(6, 0));
    assertEquals("a", versions.name);
  }

  @Test
  void aKeyHasOneVersionOfATimeWhichIsWhatItWasFirst() {
    Version<Long, Long> version = add(5, 2, 50L);
    assertEquals(2, version.time);
    assertEquals(BYTES, version.bytes);
    assertNull(versions.add(5L, 2, 99L, BYTES));
    assertEquals("50", at(5, 1));
    assertTrue(versions.isChangedAt(5L, 2));
    assertFalse(versions.isChangedAt(5L, 1));
    assertFalse(versions.isChangedAt(6L, 2));
    assertNotNull(versions.add(5L, 3, 99L, BYTES));
    assertFalse(versions.isChangedAt(5L, 2)); // The last one counts.
  }

  @Test
  void theIndexIsChangedWhenAKeyIsOrWhenItIsFilled() {
    assertFalse(versions.isChangedAfter(0));
    add(5, 2, 50L);
    assertTrue(versions.isChangedAfter(1));
    assertFalse(versions.isChangedAfter(2));
    versions.addFill(4, 0);
    assertTrue(versions.isChangedAfter(3));
    assertFalse(versions.isChangedAfter(4));
  }

  @Test
  void keysWithVersionsAreFoundInBothDirections() {
    add(10, 2, null);
    add(20, 2, null);
    assertEquals(10, versions.ceiling(5L, true));
    assertEquals(10, versions.ceiling(10L, true));
    assertEquals(20, versions.ceiling(10L, false));
    assertNull(versions.ceiling(20L, false));
    assertEquals(20, versions.floor(20L, true));
    assertEquals(10, versions.floor(20L, false));
    assertNull(versions.floor(10L, false));
    assertEquals(2, versions.keys());
  }

  // ---------------------------------------------------------------- forget

  @Test
  void theOldestVersionOfAKeyIsForgottenAndTheOthersStay() {
    Version<Long, Long> first = add(5, 2, 50L);
    Version<Long, Long> second = add(5, 4, 51L);
    add(6, 4, 60L);
    first.forget();
    assertEquals("51", at(5, 0));
    assertEquals(2, versions.keys());
    second.forget();
    assertEquals("tree", at(5, 0));
    assertEquals("60", at(6, 0));
    assertEquals(1, versions.keys());
  }

  // ---------------------------------------------------------------- filled

  @Test
  void nothingWasInAnIndexBeforeItWasFilled() {
    versions.addFill(3, 0);
    assertEquals("nothing", at(5, 0));
    assertEquals("nothing", at(5, 2));
    assertEquals("tree", at(5, 3));
    assertEquals(0, versions.keys());
  }

  @Test
  void aChangeBeforeTheFillingSaysWhatThereWas() {
    add(5, 2, 50L); // It was removed, so that the index was empty.
    versions.addFill(3, 0);
    add(5, 4, 51L);
    assertEquals("50", at(5, 1));
    assertEquals("nothing", at(5, 2));
    assertEquals("51", at(5, 3));
    assertEquals("nothing", at(6, 1)); // No version of a key that was not there.
  }

  @Test
  void whatWasRemovedInTheTurnOfTheFillingWasThere() {
    add(5, 3, 50L);
    versions.addFill(3, 0);
    assertEquals("50", at(5, 2));
    assertEquals("nothing", at(6, 2));
  }

  @Test
  void fillingsBeforeTheOldestTransactionAreForgotten() {
    versions.addFill(3, 0);
    add(1, 4, 7L);
    versions.addFill(5, 2);
    assertEquals("nothing", at(1, 2));
    versions.addFill(6, 3);
    assertEquals("7", at(1, 2)); // Nobody looks at this time any more.
    assertEquals("nothing", at(9, 4));
    assertEquals("nothing", at(9, 5));
    assertEquals("tree", at(9, 6));
  }

  // ---------------------------------------------------------------- check

  @Test
  void aKeyIsChangedByItsVersionsAndByAFilling() {
    add(5, 2, 50L);
    assertTrue(versions.isKeyChangedAfter(1, 5L));
    assertFalse(versions.isKeyChangedAfter(2, 5L));
    assertFalse(versions.isKeyChangedAfter(1, 6L));
    versions.addFill(4, 0);
    assertTrue(versions.isKeyChangedAfter(3, 6L));
    assertFalse(versions.isKeyChangedAfter(4, 6L));
    assertFalse(versions.isKeyChangedAfter(4, 5L));
  }

  @Test
  void aRangeIsChangedWhereAKeyOfItIs() {
    add(15, 2, null);
    add(10, 3, null);
    add(20, 5, null);
    assertEquals(10, versions.changedAfter(2, 10L, 20L, true));
    assertEquals(20, versions.changedAfter(3, 10L, 20L, true));
    assertNull(versions.changedAfter(3, 10L, 20L, false));
    assertNull(versions.changedAfter(5, 10L, 20L, true));
    assertEquals(15, versions.changedAfter(1, 11L, 20L, false));
    assertEquals(20, versions.changedAfter(2, 11L, null, false));
    assertNull(versions.changedAfter(0, 21L, null, true));
    versions.addFill(6, 0);
    assertEquals(77, versions.changedAfter(5, 77L, 78L, true));
    assertNull(versions.changedAfter(6, 77L, 78L, true));
  }
}
