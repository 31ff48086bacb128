// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Keeps the calls that use a file apart from the call that closes it: closing waits for the calls
 * that have begun, and refuses those that come later. This is vital for a file that the system
 * knows by a number: once it is closed, the number may belong to another file.
 */
final class Gate {
  private final Path path;
  private final ReentrantReadWriteLock use = new ReentrantReadWriteLock();

  /** Whether {@link #close} was called. */
  private volatile boolean closing;

  /** Guarded by {@link #use}. */
  private boolean closed;

  Gate(Path path) {
    this.path = path;
  }

  /**
   * Begins a use. Uses may contain others.
   *
   * @throws IllegalStateException if the file is closed
   */
  void enter() {
    boolean within = use.getReadHoldCount() > 0;
    while (within || !closing) {
      // Not behind the one that closes: it may wait for what this thread has to do afterwards.
      if (use.readLock().tryLock()) {
        return;
      }
    }
    throw new IllegalStateException("the file is closed: " + path);
  }

  /**
   * Begins a use; if the file is being closed, waits until it is closed, and then returns false.
   */
  boolean tryEnter() {
    use.readLock().lock();
    if (closed) {
      use.readLock().unlock();
      return false;
    }
    return true;
  }

  /** Ends a use. */
  void leave() {
    use.readLock().unlock();
  }

  /** Closes the file by an action, when no other call uses it; does nothing if it is closed. */
  void close(Runnable action) {
    closing = true;
    use.writeLock().lock();
    try {
      if (!closed) {
        closed = true;
        action.run();
      }
    } finally {
      use.writeLock().unlock();
    }
  }
}
