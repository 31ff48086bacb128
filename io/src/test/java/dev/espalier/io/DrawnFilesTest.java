// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.DrawnSeeds;
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
  void threeConsecutiveSeedsInvokeEverythingThatThereIs(Class<?> ofModule) {
    DrawnSeeds seeds = DrawnSeeds.ofModule(ofModule);
    assertTrue(seeds.all().size() > 300, seeds.all()::toString);
    assertEquals(Set.of(), seeds.missingFrom(TestSize.seed()));
  }
}
