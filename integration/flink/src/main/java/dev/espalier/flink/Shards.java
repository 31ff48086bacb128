// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

/** Which of several index files a row is in. */
final class Shards {
  private Shards() {}

  /** Returns the shard of a key, of so many. The files depend on it, so it must stay as it is. */
  static int of(long key, int shards) {
    long mixed = (key ^ key >>> 32) * 0x9E3779B97F4A7C15L;
    return Math.floorMod(mixed ^ mixed >>> 29, shards);
  }

  /** Returns the shard of bytes. */
  static int of(byte[] bytes, int length, int shards) {
    long hash = length;
    for (int i = 0; i < length; i++) {
      hash = hash * 31 + bytes[i];
    }
    return of(hash, shards);
  }
}
