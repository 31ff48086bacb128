// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import org.jspecify.annotations.Nullable;

/** A part of a stream's room: that of one publisher, or that of all threads together. */
final class Share {
  /** How many probes there is room for. */
  int places;

  /** Probes that were asked of a publisher and have not come. */
  long requested;

  /** Why the publisher failed; written before {@link #ended}. */
  volatile @Nullable Throwable failure;

  /** Whether the publisher gives no more. Written under the lock, so that no request follows it. */
  volatile boolean ended;

  private long queued;
  private long fed;

  Share(int places) {
    this.places = places;
  }

  /** Returns how many places are in use. */
  long used() {
    return requested + queued + fed;
  }

  void taken(int count) {
    queued += count;
  }

  /** All that were taken go to the index. */
  void feed() {
    fed += queued;
    queued = 0;
  }

  /** All that went to the index are answered. */
  void flushed() {
    fed = 0;
  }
}
