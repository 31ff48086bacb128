// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefetch;

/**
 * Whether native code is in use, and if not, why, and what the user can do about it.
 *
 * @param state the outcome
 * @param detail a description for people; never empty
 * @param remedy what the user can do to make native code available; empty if it is, or if nothing
 *     helps
 */
public record NativeStatus(State state, String detail, String remedy) {

  /** The possible outcomes. */
  public enum State {
    /** Native code is in use. */
    AVAILABLE,
    /** The user switched it off by {@code -Despalier.native=off}. */
    SWITCHED_OFF,
    /** There is no native code for this operating system or processor. */
    UNSUPPORTED_PLATFORM,
    /** The program was not started with {@code --enable-native-access} for Espalier. */
    ACCESS_DENIED,
    /** No jar of the program has the library for this platform. */
    LIBRARY_MISSING,
    /** The library could not be unpacked or loaded, or it lacks a function. */
    LOAD_FAILED,
    /** The library comes from another version of Espalier. */
    ABI_MISMATCH,
    /** The system forbids the calls needed, as containers often do. */
    NOT_PERMITTED,
    /** The system lacks the calls needed, for example because it is too old. */
    NOT_SUPPORTED,
    /** The process has reached a limit, on locked memory or on open files. */
    OUT_OF_RESOURCES
  }

  /** {@return whether native code is in use} */
  public boolean isAvailable() {
    return state == State.AVAILABLE;
  }

  /** {@return state, detail and remedy in one line} */
  @Override
  public String toString() {
    return remedy.isEmpty() ? state + ": " + detail : state + ": " + detail + "; " + remedy;
  }
}
