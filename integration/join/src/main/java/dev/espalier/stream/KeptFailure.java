// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The first failure since the last one was thrown, on its way from the worker to the owner. */
final class KeptFailure {
  private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();

  /** Keeps a failure, unless there is one. */
  void keep(Throwable thrown) {
    first.compareAndSet(null, thrown);
  }

  /** Throws the failure that was kept, once. */
  void throwKept() {
    Throwable thrown = first.getAndSet(null);
    if (thrown != null) {
      throw new ProbeStreamException(
          "everything was answered, but the consumer or an update failed", thrown);
    }
  }
}
