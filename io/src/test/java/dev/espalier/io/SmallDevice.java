// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * A device with room for so many bytes, which counts how long the page files are that {@link #over}
 * opens. What a file gives back is free for the others, unless someone else takes it.
 */
final class SmallDevice {
  private final Map<Path, Long> files = new HashMap<>();
  private long capacity;
  private boolean isShared;

  SmallDevice(long capacity) {
    this.capacity = capacity;
  }

  /** Lets others take what is free, and from now on whatever is given back. */
  synchronized void share() {
    isShared = true;
    takeFree();
  }

  /** Ends what {@link #share} began, and sets how many bytes there are. */
  synchronized void hold(long bytes) {
    isShared = false;
    capacity = bytes;
  }

  private synchronized void resize(Path path, long bytes, Runnable resize) {
    long before = files.getOrDefault(path, 0L);
    if (bytes > before && used() + bytes - before > capacity) {
      throw new PageFileException(path, "growing to " + bytes + " bytes failed", Errno.ENOSPC);
    }
    resize.run();
    files.put(path, bytes);
    takeFree();
  }

  private synchronized void forget(Path path) {
    files.remove(path);
    takeFree();
  }

  private void takeFree() {
    if (isShared) {
      capacity = Math.min(capacity, used());
    }
  }

  private long used() {
    return files.values().stream().mapToLong(bytes -> bytes).sum();
  }

  /** Returns an opener whose files are on this device, and else are those of an engine. */
  PageFileOpener over(PageFileOpener engine) {
    return (path, access, blockBytes) -> new File(engine.open(path, access, blockBytes));
  }

  /** A file of the device. */
  private final class File extends PageFileAround {
    File(PageFile file) {
      super(file);
      resize(path(), file.bytes(), () -> {});
    }

    @Override
    public void grow(long bytes) {
      resize(path(), bytes, () -> file.grow(bytes));
    }

    @Override
    public void truncate(long bytes) {
      resize(path(), bytes, () -> file.truncate(bytes));
    }

    @Override
    public void close() {
      file.close();
      forget(path());
    }
  }
}
