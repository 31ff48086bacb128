// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.List;

/**
 * The files of a store that is recovered for this opening only: whatever is done to its log does
 * not reach the files. All other files are as they are.
 *
 * @param below the files
 * @param store the path of the store
 */
record OverlayFiles(StoreFiles below, Path store) implements StoreFiles {

  private boolean isLog(Path path) {
    return LogFiles.number(store, path) >= 0;
  }

  @Override
  public PageFile openPages(Path path, Access access, int blockBytes) {
    return below.openPages(path, access, blockBytes);
  }

  @Override
  public PageFile openLog(Path path, Access access, int blockBytes) {
    if (!isLog(path)) {
      return below.openLog(path, access, blockBytes);
    }
    return new OverlayPageFile(
        path,
        access == Access.CREATE ? null : below.openLog(path, Access.READ, blockBytes),
        blockBytes);
  }

  @Override
  public boolean exists(Path path) {
    return below.exists(path);
  }

  @Override
  public List<Path> beside(Path path) {
    return below.beside(path);
  }

  @Override
  public void rename(Path from, Path to) {
    below.rename(from, to);
  }

  @Override
  public void delete(Path path) {
    if (!isLog(path)) {
      below.delete(path);
    }
  }

  @Override
  public void forceNames(Path path) {
    if (!isLog(path)) {
      below.forceNames(path);
    }
  }
}
