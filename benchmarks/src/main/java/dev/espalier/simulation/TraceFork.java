// SPDX-License-Identifier: Apache-2.0
package dev.espalier.simulation;

import dev.espalier.memory.Trace;
import java.util.List;

/** Tells several listeners of the same accesses, so that one run is simulated in several ways. */
public final class TraceFork implements Trace.Listener {
  private final Trace.Listener[] listeners;

  /** Makes one that tells these listeners, in this order. */
  public TraceFork(List<? extends Trace.Listener> listeners) {
    this.listeners = listeners.toArray(Trace.Listener[]::new);
  }

  @Override
  public void read(long address, int bytes) {
    for (Trace.Listener listener : listeners) {
      listener.read(address, bytes);
    }
  }

  @Override
  public void write(long address, int bytes) {
    for (Trace.Listener listener : listeners) {
      listener.write(address, bytes);
    }
  }

  @Override
  public void prefetch(long address, int lines) {
    for (Trace.Listener listener : listeners) {
      listener.prefetch(address, lines);
    }
  }

  @Override
  public void allocated(long address, long bytes) {
    for (Trace.Listener listener : listeners) {
      listener.allocated(address, bytes);
    }
  }
}
