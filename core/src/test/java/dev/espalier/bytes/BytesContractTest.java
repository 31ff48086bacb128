// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("fallback-exhaustive")
class BytesContractTest {

  /** A kit that refuses nothing would be worth nothing. */
  @ParameterizedTest
  @EnumSource
  void wrongIndexIsRefusedByItsLaw(BytesMutant mutant) {
    BytesContract.Law law = BytesContract.law(mutant.law());
    assertThrows(AssertionError.class, () -> law.checkAsUsual(mutant.shape()));
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
}
