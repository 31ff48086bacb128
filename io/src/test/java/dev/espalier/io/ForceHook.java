// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;

/**
 * Lets something be done before and after each force of a store's pages: what other threads write
 * while a checkpoint waits for the device, in an order that replays.
 */
final class ForceHook extends StoreFilesAround {
  private static final Runnable NOTHING = () -> {};

  private Runnable between = NOTHING;

  ForceHook(StoreFiles files) {
    super(files);
  }

  /** Runs something during which each force of the pages calls another thing. */
  void during(Runnable work, Runnable atForces) {
    between = atForces;
    try {
      work.run();
    } finally {
      between = NOTHING;
    }
  }

  private void call() {
    Runnable now = between;
    between = NOTHING;
    now.run();
    between = now;
  }

  @Override
  public PageFile openPages(Path path, Access access, int blockBytes) {
    return new PageFileAround(super.openPages(path, access, blockBytes)) {
      @Override
      public void force() {
        call();
        super.force();
        call();
      }
    };
  }
}
