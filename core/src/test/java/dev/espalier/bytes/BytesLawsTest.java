// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** The laws for all indexes of byte strings, in memory, or in files where this is run again. */
@Tag("fallback-exhaustive")
class BytesLawsTest {

  @TestFactory
  Stream<DynamicContainer> everyShapeKeepsEveryLaw() {
    return BytesShape.all().stream()
        .map(
            shape ->
                DynamicContainer.dynamicContainer(
                    shape.name(),
                    BytesContract.laws().stream()
                        .filter(law -> shape.hasLimit() || !law.needsLimit())
                        .map(law -> DynamicTest.dynamicTest(law.name(), () -> law.check(shape)))));
  }
}
