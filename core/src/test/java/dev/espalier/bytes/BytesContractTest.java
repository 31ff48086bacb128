// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("fallback-exhaustive")
class BytesContractTest {

  static Stream<WrongBytesIndex> wrongIndexes() {
    return WrongBytesIndex.all();
  }

  /** A kit that refuses nothing would be worth nothing. */
  @ParameterizedTest
  @MethodSource("wrongIndexes")
  void wrongIndexIsRefusedByItsLaw(WrongBytesIndex wrong) {
    BytesContract.Law law = BytesContract.law(wrong.law());
    assertThrows(AssertionError.class, () -> law.checkAsUsual(wrong.shape()));
  }

  @Test
  void everyLawRefusesAWrongIndex() {
    Set<String> refusing = new TreeSet<>();
    wrongIndexes().forEach(wrong -> refusing.add(wrong.law()));
    assertEquals(
        BytesContract.laws().stream().map(BytesContract.Law::name).sorted().toList(),
        List.copyOf(refusing));
  }
}
