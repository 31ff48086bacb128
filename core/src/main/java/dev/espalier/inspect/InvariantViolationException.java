// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inspect;

/**
 * Thrown when an invariant of a structure does not hold: memory is corrupted, or several threads
 * changed the index at once.
 */
public final class InvariantViolationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The number of the invariant in the overview of its class, such as {@code I3}. */
  private final String invariant;

  /**
   * Creates the exception.
   *
   * @param invariant number of the invariant, such as {@code I3}
   * @param detail what was found, and where
   */
  public InvariantViolationException(String invariant, String detail) {
    super(invariant + ": " + detail);
    this.invariant = invariant;
  }

  /** Returns the number of the invariant, such as {@code I3}. */
  public String invariant() {
    return invariant;
  }
}
