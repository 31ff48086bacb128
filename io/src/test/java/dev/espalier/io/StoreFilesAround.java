// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.List;

/** Files that do what others do, but for what a subclass has otherwise. */
abstract class StoreFilesAround implements StoreFiles {
  private final StoreFiles files;

  StoreFilesAround(StoreFiles files) {
    this.files = files;
  }

  @Override
  public PageFile openPages(Path path, Access access, int blockBytes) {
    return files.openPages(path, access, blockBytes);
  }

  @Override
  public PageFile openLog(Path path, Access access, int blockBytes) {
    return files.openLog(path, access, blockBytes);
  }

  @Override
  public boolean exists(Path path) {
    return files.exists(path);
  }

  @Override
  public List<Path> beside(Path path) {
    return files.beside(path);
  }

  @Override
  public void rename(Path from, Path to) {
    files.rename(from, to);
  }

  @Override
  public void delete(Path path) {
    files.delete(path);
  }

  @Override
  public void forceNames(Path path) {
    files.forceNames(path);
  }
}
