// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.Runtime.Version;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("fallback-too")
final class PinnedArraysTest {

  @ParameterizedTest
  @CsvSource({
    "25, true, false",
    "25+36-LTS, true, false",
    "25.0.1+8, true, false",
    "25.0.2, true, false",
    "25.0.2.0.1, true, false",
    "25.0.3, true, true",
    "25.0.10, true, true",
    "25.1, true, true",
    "24.0.2, true, true",
    "26, true, true",
    "26.0.1, true, true",
    "25, false, true",
    "25.0.2, false, true",
    "25.0.3, false, true"
  })
  void onlyG1OfTheFirstReleasesOfJdk25MovesArrays(String version, boolean isG1, boolean stay) {
    assertEquals(stay, PinnedArrays.stay(Version.parse(version), isG1));
  }
}
