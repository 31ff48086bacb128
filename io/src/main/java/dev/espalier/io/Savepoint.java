// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/**
 * A moment of a {@link Transaction} to which its writes can be taken back. Made by {@link
 * Transaction#savepoint}; of no use to any other transaction.
 */
public final class Savepoint {
  /** How many writes that can be taken back there were before. */
  final int writes;

  Savepoint(int writes) {
    this.writes = writes;
  }
}
