// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import java.util.Locale;

/**
 * Operating system and processor, in the words of the library's resource path.
 *
 * @param os {@code linux}, {@code macos}, or what the JVM calls another one
 * @param architecture {@code x86_64}, {@code aarch64}, or what the JVM calls another one
 */
record Platform(String os, String architecture) {

  static Platform current() {
    return of(System.getProperty("os.name"), System.getProperty("os.arch"));
  }

  /** From the values of the system properties {@code os.name} and {@code os.arch}. */
  static Platform of(String osName, String osArch) {
    String os = osName.toLowerCase(Locale.ROOT);
    return new Platform(
        os.startsWith("mac") ? "macos" : os, osArch.equals("amd64") ? "x86_64" : osArch);
  }

  boolean isLinux() {
    return os.equals("linux");
  }

  boolean isSupported() {
    return (isLinux() || os.equals("macos"))
        && (architecture.equals("x86_64") || architecture.equals("aarch64"));
  }

  String libraryResource() {
    return "META-INF/native/%s-%s/%s".formatted(os, architecture, libraryName());
  }

  private String libraryName() {
    return isLinux() ? "libespalier.so" : "libespalier.dylib";
  }

  @Override
  public String toString() {
    return os + "-" + architecture;
  }
}
