// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import dev.espalier.prefetch.NativeStatus;
import dev.espalier.prefetch.NativeStatus.State;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What decides, before anything is loaded, whether native code may run; a value, so that a test can
 * have it otherwise.
 *
 * @param platform operating system and processor
 * @param switchedOff whether the user asked for the fallback
 * @param accessEnabled whether the JVM lets this module call native code without a warning
 * @param temporaryFolder where the library is unpacked
 */
record NativeEnvironment(
    Platform platform, boolean switchedOff, boolean accessEnabled, Path temporaryFolder) {

  private static final String SWITCH = "espalier.native";

  static NativeEnvironment current() {
    return new NativeEnvironment(
        Platform.current(),
        System.getProperty(SWITCH, "on").equals("off"),
        NativeEnvironment.class.getModule().isNativeAccessEnabled(),
        Path.of(System.getProperty("java.io.tmpdir")));
  }

  /** Why native code may not run; empty if it may. */
  Optional<NativeStatus> refusal() {
    if (switchedOff) {
      return Optional.of(
          new NativeStatus(
              State.SWITCHED_OFF, "the system property " + SWITCH + " is off", "leave it out"));
    }
    if (!platform.isSupported()) {
      return Optional.of(
          new NativeStatus(State.UNSUPPORTED_PLATFORM, "no native code for " + platform, ""));
    }
    // Asked first, because a restricted call without access would print a warning.
    if (!accessEnabled) {
      return Optional.of(
          new NativeStatus(
              State.ACCESS_DENIED,
              "the program was started without native access for Espalier",
              "add the JVM option --enable-native-access=" + moduleOption()));
    }
    return Optional.empty();
  }

  /**
   * Whether calls of the C library can be made, which Espalier makes on Linux only.
   *
   * @param calls what kind, for the message
   * @param available what is said when they can be made
   */
  NativeStatus callsOnLinux(String calls, String available) {
    return refusal()
        .orElseGet(
            () ->
                platform.isLinux()
                    ? new NativeStatus(State.AVAILABLE, available, "")
                    : new NativeStatus(
                        State.UNSUPPORTED_PLATFORM, "no " + calls + " for " + platform, ""));
  }

  private static String moduleOption() {
    Module module = NativeEnvironment.class.getModule();
    return module.isNamed() ? module.getName() : "ALL-UNNAMED";
  }
}
