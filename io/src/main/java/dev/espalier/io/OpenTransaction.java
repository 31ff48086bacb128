// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/** An open transaction, as {@link Transactions} know it. As a task, its end if nobody ends it. */
final class OpenTransaction implements Runnable {
  private final Transactions all;

  /** What it sees: all turns up to this time. */
  final long time;

  /** Tells it from others of the same time. */
  final long number;

  // What follows changes under the lock of the registry.

  /** Bytes of its own writes. */
  long bytes;

  /** Whether it is among those that are open. */
  boolean isListed;

  private volatile boolean isDoomed;

  OpenTransaction(Transactions all, long time, long number) {
    this.all = all;
    this.time = time;
    this.number = number;
  }

  /** Notes that it was ended so that its versions could go. */
  void doom() {
    isDoomed = true;
  }

  /** Tells whether it was ended so that its versions could go. */
  boolean isDoomed() {
    return isDoomed;
  }

  /** Ends it, if its owner was dropped and has not. */
  @Override
  public void run() {
    all.endDropped(this);
  }
}
