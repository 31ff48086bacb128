// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The files of the system.
 *
 * @param pages opens the file of the pages
 * @param log opens the segments of the log, and is asked for what becomes of names
 */
record SystemFiles(PageFileOpener pages, PageFileOpener log) implements StoreFiles {

  @Override
  public PageFile openPages(Path path, Access access, int blockBytes) {
    return pages.open(path, access, blockBytes);
  }

  @Override
  public PageFile openLog(Path path, Access access, int blockBytes) {
    return log.open(path, access, blockBytes);
  }

  @Override
  public boolean exists(Path path) {
    return Files.exists(path);
  }

  @Override
  public List<Path> beside(Path path) {
    String prefix = path.toAbsolutePath().getFileName().toString();
    try (Stream<Path> all = Files.list(folder(path))) {
      return all.filter(file -> file.getFileName().toString().startsWith(prefix))
          .map(file -> path.resolveSibling(file.getFileName()))
          .toList();
    } catch (IOException e) {
      throw new PageFileException(path, "its folder can't be listed: " + e, e);
    }
  }

  @Override
  public void rename(Path from, Path to) {
    log.rename(from, to);
  }

  static void move(Path from, Path to) {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new PageFileException(to, "can't be given its name: " + e, e);
    }
  }

  @Override
  public void delete(Path path) {
    log.delete(path);
  }

  static void deleteIfThere(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new PageFileException(path, "can't be deleted: " + e, e);
    }
  }

  @Override
  public void forceNames(Path path) {
    log.forceNames(path);
  }

  /** Forces a folder through an asynchronous channel: an interrupt would close another one. */
  static void forceFolder(Path path) {
    try (AsynchronousFileChannel folder =
        AsynchronousFileChannel.open(folder(path), Set.of(StandardOpenOption.READ), null)) {
      folder.force(true);
    } catch (IOException e) {
      throw new PageFileException(path, "forcing its folder to the device failed: " + e, e);
    }
  }

  private static Path folder(Path path) {
    return Objects.requireNonNull(path.toAbsolutePath().getParent());
  }
}
