// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.io.IndexStore;

/** An index and the store around it, which is closed with it. */
record OpenIndex<I>(IndexStore store, I index) implements AutoCloseable {
  @Override
  public void close() {
    store.close();
  }
}
