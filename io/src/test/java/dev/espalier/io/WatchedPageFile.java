// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.List;

/** A page file that notes where it is written. */
final class WatchedPageFile implements PageFile {
  private final PageFile file;
  private final List<Long> written;

  WatchedPageFile(PageFile file, List<Long> written) {
    this.file = file;
    this.written = written;
  }

  @Override
  public Path path() {
    return file.path();
  }

  @Override
  public IoStatus status() {
    return file.status();
  }

  @Override
  public int alignment() {
    return file.alignment();
  }

  @Override
  public long bytes() {
    return file.bytes();
  }

  @Override
  public void startRead(IoBatch batch) {
    file.startRead(batch);
  }

  @Override
  public void startWrite(IoBatch batch) {
    for (int i = 0; i < batch.count(); i++) {
      written.add(batch.position(i));
    }
    file.startWrite(batch);
  }

  @Override
  public boolean isDone(IoBatch batch) {
    return file.isDone(batch);
  }

  @Override
  public void finish(IoBatch batch) {
    file.finish(batch);
  }

  @Override
  public void grow(long bytes) {
    file.grow(bytes);
  }

  @Override
  public void force() {
    file.force();
  }

  @Override
  public void close() {
    file.close();
  }
}
