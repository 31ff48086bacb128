// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Writes of page files that wait on order, in the middle of which a test does something else. */
final class HeldWrites {
  private final AtomicReference<@Nullable Hold> next = new AtomicReference<>();

  /** One write that is held. */
  static final class Hold {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    /** Waits until the write has begun. */
    void awaitBegin() {
      Waiting.await(begun);
    }

    /** Lets the write go on. */
    void release() {
      released.countDown();
    }

    private void await() {
      begun.countDown();
      Waiting.await(released);
    }
  }

  /** Holds the next batch that is written. */
  Hold next() {
    Hold hold = new Hold();
    next.set(hold);
    return hold;
  }

  /** Returns an opener whose files wait as ordered here, and else are those of an engine. */
  PageFileOpener over(PageFileOpener engine) {
    return (Path path, Access access, int blockBytes) ->
        new PageFileAround(engine.open(path, access, blockBytes)) {
          @Override
          public void startWrite(IoBatch batch) {
            Hold hold = next.getAndSet(null);
            if (hold != null) {
              hold.await();
            }
            super.startWrite(batch);
          }
        };
  }
}
