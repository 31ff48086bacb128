// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.inspect.InvariantViolationException;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class IndexesTest {
  private final Indexes indexes = new Indexes();

  @Test
  void closesEveryIndexEvenIfOneIsDamaged() {
    LongIndex before = indexes.create(TreeShape.all().getFirst());
    indexes.keep(damaged());
    LongIndex after = indexes.create(TreeShape.all().getLast());
    InvariantViolationException thrown =
        assertThrows(InvariantViolationException.class, indexes::verifyAndClose);
    assertEquals("I6", thrown.invariant());
    assertTrue(before.isClosed());
    assertTrue(after.isClosed());
  }

  @Test
  void leavesAnIndexThatTheTestClosedAlone() {
    indexes.create(TreeShape.all().getFirst()).close();
    indexes.verifyAndClose();
  }

  private static LongIndex damaged() {
    return (LongIndex)
        Proxy.newProxyInstance(
            LongIndex.class.getClassLoader(),
            new Class<?>[] {LongIndex.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "isClosed" -> false;
                  case "verify" -> throw new InvariantViolationException("I6", "damaged");
                  default -> null;
                });
  }
}
