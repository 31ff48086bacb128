// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.DrawnDays;
import dev.espalier.TestSize;
import dev.espalier.TreeShape;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Three consecutive thorough runs have everything, of these tests and of the contracts. */
@Tag("thorough")
class DrawnFilesTest {

  @ParameterizedTest
  @ValueSource(classes = {DrawnFilesTest.class, TreeShape.class})
  void threeConsecutiveDaysInvokeEverythingThatThereIs(Class<?> ofModule) {
    DrawnDays days = DrawnDays.ofModule(ofModule);
    assertTrue(days.all().size() > 300, days.all()::toString);
    assertEquals(Set.of(), days.missingFrom(TestSize.seed()));
  }
}
