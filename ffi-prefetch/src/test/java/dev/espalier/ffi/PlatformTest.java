// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class PlatformTest {

  @Test
  void resourceNamesSystemAndProcessorOfTheJvm() {
    assertEquals(
        "META-INF/native/linux-x86_64/libespalier.so",
        Platform.of("Linux", "amd64").libraryResource());
    assertEquals(
        "META-INF/native/linux-aarch64/libespalier.so",
        Platform.of("Linux", "aarch64").libraryResource());
    assertEquals(
        "META-INF/native/macos-x86_64/libespalier.dylib",
        Platform.of("Mac OS X", "x86_64").libraryResource());
  }

  @Test
  void linuxAndMacosOnTwoProcessorsAreSupported() {
    assertTrue(Platform.of("Linux", "amd64").isSupported());
    assertTrue(Platform.of("Mac OS X", "aarch64").isSupported());
    assertFalse(Platform.of("Windows 11", "amd64").isSupported());
    assertFalse(Platform.of("Linux", "riscv64").isSupported());
  }
}
