// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

/**
 * What is kept of a join's output to compare it with another's.
 *
 * @param rows number of joined pairs
 * @param checksum sum of all pairs' hashes, whatever their order
 */
record JoinDigest(long rows, long checksum) {

  /** Returns the hash of a joined pair. */
  static long hash(long outerRow, long innerRow) {
    // The finalizer of MurmurHash3: each bit of the pair changes half of the result's.
    long hash = outerRow * 0x9E3779B97F4A7C15L + innerRow;
    hash = (hash ^ (hash >>> 33)) * 0xFF51AFD7ED558CCDL;
    hash = (hash ^ (hash >>> 33)) * 0xC4CEB9FE1A85EC53L;
    return hash ^ (hash >>> 33);
  }

  /** Returns the checksum as 16 hexadecimal digits. */
  String checksumText() {
    return "%016x".formatted(checksum);
  }
}
