// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import dev.espalier.io.Access;
import dev.espalier.io.PageFile;
import dev.espalier.io.PageFileOpener;
import java.nio.file.Path;

/**
 * An engine that does what another one does, but waits for no device: where power stays on, nothing
 * shows whether something was forced.
 */
public final class UnforcedFiles implements PageFileOpener {
  private final PageFileOpener engine;

  /** Takes the engine that moves the bytes. */
  public UnforcedFiles(PageFileOpener engine) {
    this.engine = engine;
  }

  @Override
  public PageFile open(Path path, Access access, int blockBytes) {
    return new PageFileAround(engine.open(path, access, blockBytes)) {
      @Override
      public void force() {}
    };
  }

  @Override
  public void rename(Path from, Path to) {
    engine.rename(from, to);
  }

  @Override
  public void delete(Path path) {
    engine.delete(path);
  }

  @Override
  public void forceNames(Path path) {}
}
