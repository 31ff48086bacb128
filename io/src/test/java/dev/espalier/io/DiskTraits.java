// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/**
 * What kind of disk a {@link SimulatedDisk} is.
 *
 * @param alignment of positions, lengths and memory addresses: 1 goes through the page cache, 512
 *     or 4096 past it where the blocks of a file are multiples of it
 * @param byteLimit room for all files together; each takes whole blocks of 4096 bytes
 * @param garbageSectors whether a sector that was not forced may hold garbage after a power loss:
 *     random bytes, or the beginning of the new ones followed by old ones
 * @param staleCache whether reading through the page cache goes on to show what a failed force has
 *     lost, until the cache is dropped; else it shows what the device has
 * @param forgetsGrowth whether a force makes bytes safe, but not the length of a file
 */
record DiskTraits(
    int alignment,
    long byteLimit,
    boolean garbageSectors,
    boolean staleCache,
    boolean forgetsGrowth) {

  /** Through the page cache, no limit, sectors are old or new, a failed force shows its loss. */
  static final DiskTraits USUAL = new DiskTraits(1, Long.MAX_VALUE, false, false, false);

  DiskTraits {
    if (alignment != 1 && alignment != 512 && alignment != 4096) {
      throw new IllegalArgumentException(
          "alignment is " + alignment + "; it must be 1, 512 or 4096");
    }
    if (byteLimit < 0) {
      throw new IllegalArgumentException("byteLimit is " + byteLimit + "; it must not be negative");
    }
  }

  DiskTraits withAlignment(int bytes) {
    return new DiskTraits(bytes, byteLimit, garbageSectors, staleCache, forgetsGrowth);
  }

  DiskTraits withByteLimit(long bytes) {
    return new DiskTraits(alignment, bytes, garbageSectors, staleCache, forgetsGrowth);
  }

  DiskTraits withGarbageSectors() {
    return new DiskTraits(alignment, byteLimit, true, staleCache, forgetsGrowth);
  }

  DiskTraits withStaleCache() {
    return new DiskTraits(alignment, byteLimit, garbageSectors, true, forgetsGrowth);
  }

  DiskTraits withForgottenGrowth() {
    return new DiskTraits(alignment, byteLimit, garbageSectors, staleCache, true);
  }
}
