// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import dev.espalier.io.IoBatch;
import dev.espalier.io.IoStatus;
import dev.espalier.io.PageFile;
import java.nio.file.Path;

/** A page file that does what another one does, but for what a subclass has otherwise. */
abstract class PageFileAround implements PageFile {
  final PageFile file;

  PageFileAround(PageFile file) {
    this.file = file;
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

  // Where the caller waits, an engine need not hand requests to other threads.

  @Override
  public void read(IoBatch batch) {
    file.read(batch);
  }

  @Override
  public void write(IoBatch batch) {
    file.write(batch);
  }

  @Override
  public void startRead(IoBatch batch) {
    file.startRead(batch);
  }

  @Override
  public void startWrite(IoBatch batch) {
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
  public void truncate(long bytes) {
    file.truncate(bytes);
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
