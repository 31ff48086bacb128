// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.patterns;

import dev.espalier.benchmarks.peer.Peer;
import dev.espalier.patterns.PatternTarget;

/**
 * A structure that other benchmarks have as well. All its values are 0, so that the sum of a scan
 * is that of the keys; a range goes key by key.
 */
final class PeerTarget implements PatternTarget {
  private final Peer peer;

  PeerTarget(Peer peer) {
    this.peer = peer;
  }

  @Override
  public long get(long key) {
    return peer.get(key);
  }

  @Override
  public void put(long key, long value) {
    peer.set(key, 0);
  }

  @Override
  public void remove(long key) {
    peer.remove(key);
  }

  @Override
  public long first() {
    return ceiling(Long.MIN_VALUE);
  }

  /** Returns the least key that is not less, {@link #NONE} if there is none. */
  private long ceiling(long from) {
    long key = peer.scanRange(from, 1);
    return key == 0 && peer.get(0) == Peer.MISSING ? NONE : key;
  }

  @Override
  public long scan(long from, int count) {
    return peer.scanRange(from, count);
  }

  @Override
  public void removeRange(long from, long to) {
    for (long key = ceiling(from); key >= from && key < to; key = ceiling(key)) {
      peer.remove(key);
    }
  }

  @Override
  public void close() {
    peer.close();
  }
}
