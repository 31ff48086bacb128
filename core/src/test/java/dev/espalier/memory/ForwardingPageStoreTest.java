// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForwardingPageStoreTest {
  /** Hints are for nothing unless a store takes them, so a forgotten one would go unnoticed. */
  @Test
  void everyCallIsForwarded() {
    List<String> kept =
        Arrays.stream(PageStore.class.getMethods())
            .filter(method -> !Modifier.isStatic(method.getModifiers()))
            .filter(method -> !isForwarded(method))
            .map(Method::toString)
            .toList();
    assertEquals(List.of(), kept);
  }

  private static boolean isForwarded(Method method) {
    return Arrays.stream(ForwardingPageStore.class.getDeclaredMethods())
        .anyMatch(
            forwarded ->
                forwarded.getName().equals(method.getName())
                    && Arrays.equals(forwarded.getParameterTypes(), method.getParameterTypes()));
  }
}
