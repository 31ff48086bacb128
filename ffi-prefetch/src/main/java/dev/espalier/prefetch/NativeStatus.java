// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefetch;

/**
 * Whether native code is in use, and if not, why and what would help.
 *
 * @param state what became of it
 * @param detail what was found, for a person to read; never empty
 * @param remedy what the user can do to have it available; empty if it is, or if nothing helps
 */
public record NativeStatus(State state, String detail, String remedy) {

  /** The ways it can end. */
  public enum State {
    /** Native code is in use. */
    AVAILABLE,
    /** The user asked for the fallback: {@code -Despalier.native=off}. */
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
    /** The system forbids what is wanted of it, as containers often do. */
    NOT_PERMITTED,
    /** The system is too old, or has not what is wanted of it. */
    NOT_SUPPORTED,
    /** A limit of the process is reached: on locked memory, or on open files. */
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
