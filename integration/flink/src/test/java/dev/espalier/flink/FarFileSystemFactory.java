// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/** The local file system, as one that only Flink can read. */
public final class FarFileSystemFactory implements FileSystemFactory {
  /** How many of the next renames fail. */
  static final AtomicInteger FAILING_RENAMES = new AtomicInteger();

  @Override
  public String getScheme() {
    return "far";
  }

  @Override
  public FileSystem create(URI uri) {
    return new FarFileSystem();
  }

  private static final class FarFileSystem extends LocalFileSystem {
    @Override
    public URI getUri() {
      return URI.create("far:///");
    }

    @Override
    public boolean isDistributedFS() {
      return true;
    }

    /** Refuses to replace a file, as some file systems do. */
    @Override
    public boolean rename(Path from, Path to) throws java.io.IOException {
      if (FAILING_RENAMES.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        return false;
      }
      return !exists(to) && super.rename(from, to);
    }
  }
}
