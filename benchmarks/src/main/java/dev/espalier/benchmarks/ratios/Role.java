// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.benchmarks.WorkerJvm;
import dev.espalier.benchmarks.peer.PeerType;
import java.util.List;

/**
 * A structure, and the kind of JVM it is measured in.
 *
 * @param name the structure's name, with the kind of JVM if it is not the usual one
 * @param fast whether native access and the Vector API are on
 * @param polluted whether all variants have run in the JVM before
 */
record Role(String name, PeerType type, boolean fast, boolean polluted) {
  private static final List<String> FALLBACK =
      List.of("-D" + NativeRequirement.PROPERTY + "=" + NativeRequirement.ANY);

  /** Heap beyond the entries: keys to look up, and what the JIT compiler's warm-up leaves. */
  private static final long HEAP_BYTES = 384L << 20;

  /** Heap per byte of entries: less makes the garbage collector a part of the measurement. */
  private static final double HEAP_FACTOR = 1.35;

  /** Native memory per entry: a tree after random inserts, a full one, a sequence to read. */
  private static final long NATIVE_BYTES_PER_ENTRY = 26 + 18 + 16;

  /** As above where there is only the tree after random inserts. */
  private static final long NATIVE_BYTES_PER_ENTRY_AFTER_PUT = 26;

  static Role usual(PeerType type) {
    return new Role(type.name(), type, true, false);
  }

  static Role polluted(PeerType type) {
    return new Role(type.name() + " polluted", type, true, true);
  }

  static Role fallback(PeerType type) {
    return new Role(type.name() + " fallback", type, false, false);
  }

  List<String> jvmFlags() {
    return fast ? WorkerJvm.FAST : FALLBACK;
  }

  /** Returns the heap that the structure needs. */
  long heapBytes(long entries) {
    return HEAP_BYTES + (long) (HEAP_FACTOR * entries * type.heapBytesPerEntry());
  }

  /** Returns about how much memory the JVM will take in all. */
  long memoryBytes(long entries) {
    if (type.heapBytesPerEntry() > 0) {
      return heapBytes(entries);
    }
    boolean onlyAfterPut = polluted || !fast;
    return HEAP_BYTES
        + entries * (onlyAfterPut ? NATIVE_BYTES_PER_ENTRY_AFTER_PUT : NATIVE_BYTES_PER_ENTRY);
  }
}
