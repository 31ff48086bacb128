// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.inspect.InvariantViolationException;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What calls throw is sorted into what is documented and what is not. */
final class EveryCallTest {
  private final EveryCall calls = new EveryCall(new SplittableRandom(1), 100);

  private void assertIsRaw(RuntimeException thrown) {
    assertFalse(
        calls.call(
            "a call",
            () -> {
              throw thrown;
            }));
    assertSame(thrown, calls.raw().getLast().getCause());
    assertEquals("a call", calls.raw().getLast().getMessage());
  }

  private void assertIsDocumented(RuntimeException thrown) {
    assertFalse(
        calls.call(
            "a call",
            () -> {
              throw thrown;
            }));
    assertEquals(List.of(), calls.raw());
  }

  @Test
  void whatIsNotDocumentedIsRaw() {
    assertIsRaw(new IndexOutOfBoundsException("5"));
    assertIsRaw(new NullPointerException());
    assertIsRaw(new IllegalStateException("no such node"));
    assertIsRaw(new IllegalArgumentException("count is -1"));
  }

  @Test
  void whatSaysOfDamageIsARefusal() {
    assertIsDocumented(new InvariantViolationException("I1", "of a test"));
    assertEquals(1, calls.refusals().size());
    assertTrue(calls.refusals().getFirst().startsWith("a call: "), calls.refusals()::toString);
  }

  @Test
  void whatCannotGoOnIsDocumented() {
    assertIsDocumented(new UnsupportedOperationException());
    assertIsDocumented(new IllegalStateException("f: takes no more changes, because of a test"));
    assertIsDocumented(new IllegalArgumentException("index 'a' can't be opened: of a test"));
    assertEquals(List.of(), calls.refusals());
  }

  @Test
  void readsOfASoundIndexThrowNothing() {
    try (LongIndex index = PbPlusTree.create(IndexOptions.DEFAULT)) {
      for (long key = 0; key < 1_000; key++) {
        index.set(key, key);
      }
      calls.read(index);
    }
    assertEquals(List.of(), calls.raw());
    assertEquals(List.of(), calls.refusals());
  }
}
