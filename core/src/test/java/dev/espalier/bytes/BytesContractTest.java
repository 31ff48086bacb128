// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.TestSize;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("fallback-too")
class BytesContractTest {

  @TestFactory
  Stream<DynamicContainer> everyShapeKeepsEveryLaw() {
    return BytesShape.all().stream()
        .map(
            shape ->
                DynamicContainer.dynamicContainer(
                    shape.name(),
                    BytesContract.laws().stream()
                        .map(law -> DynamicTest.dynamicTest(law.name(), () -> check(law, shape)))));
  }

  /** A kit that refuses nothing would be worth nothing. */
  @ParameterizedTest
  @EnumSource
  void wrongIndexIsRefusedByItsLaw(BytesMutant mutant) {
    assertThrows(
        AssertionError.class, () -> check(BytesContract.law(mutant.law()), mutant.shape()));
  }

  @Test
  void everyLawRefusesAWrongIndex() {
    Set<String> refusing = new TreeSet<>();
    for (BytesMutant mutant : BytesMutant.values()) {
      refusing.add(mutant.law());
    }
    assertEquals(
        BytesContract.laws().stream().map(BytesContract.Law::name).sorted().toList(),
        List.copyOf(refusing));
  }

  private static void check(BytesContract.Law law, BytesShape shape) throws Exception {
    int seeds = TestSize.of(law.usually(), 8 * law.usually());
    for (long seed = 1; seed <= seeds; seed++) {
      try {
        law.check().of(shape, seed);
      } catch (AssertionError | RuntimeException broken) {
        throw new AssertionError("broken with seed " + seed + ": " + broken.getMessage(), broken);
      }
    }
  }
}
