// SPDX-License-Identifier: Apache-2.0
package dev.espalier.inspect;

/** A structure is not what it must be: memory was corrupted, or threads were not kept apart. */
public final class InvariantViolationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The invariant's number in its class's overview, such as {@code I3}. */
  private final String invariant;

  /**
   * Creates the exception.
   *
   * @param invariant number, such as {@code I3}
   * @param detail what was found, and where
   */
  public InvariantViolationException(String invariant, String detail) {
    super(invariant + ": " + detail);
    this.invariant = invariant;
  }

  /** Returns the invariant's number, such as {@code I3}. */
  public String invariant() {
    return invariant;
  }
}
