// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import dev.espalier.io.Access;
import dev.espalier.io.IoBatch;
import dev.espalier.io.PageFile;
import dev.espalier.io.PageFileOpener;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An engine that counts what changes files, so that a copy of them can tell whether it is whole.
 */
final class CountedWrites implements PageFileOpener {
  private final PageFileOpener engine;
  private final AtomicLong count = new AtomicLong();

  CountedWrites(PageFileOpener engine) {
    this.engine = engine;
  }

  /** Returns how many changes have begun or ended. */
  long count() {
    return count.get();
  }

  @Override
  public PageFile open(Path path, Access access, int blockBytes) {
    count.incrementAndGet();
    return new Counted(engine.open(path, access, blockBytes));
  }

  @Override
  public void rename(Path from, Path to) {
    count.incrementAndGet();
    engine.rename(from, to);
    count.incrementAndGet();
  }

  @Override
  public void delete(Path path) {
    count.incrementAndGet();
    engine.delete(path);
    count.incrementAndGet();
  }

  @Override
  public void forceNames(Path path) {
    engine.forceNames(path);
  }

  private final class Counted extends PageFileAround {
    Counted(PageFile file) {
      super(file);
    }

    @Override
    public void write(IoBatch batch) {
      count.incrementAndGet();
      file.write(batch);
      count.incrementAndGet();
    }

    @Override
    public void startWrite(IoBatch batch) {
      count.incrementAndGet();
      file.startWrite(batch);
    }

    @Override
    public void finish(IoBatch batch) {
      file.finish(batch);
      count.incrementAndGet();
    }

    @Override
    public void grow(long bytes) {
      count.incrementAndGet();
      file.grow(bytes);
      count.incrementAndGet();
    }

    @Override
    public void truncate(long bytes) {
      count.incrementAndGet();
      file.truncate(bytes);
      count.incrementAndGet();
    }
  }
}
