// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogSegmentsTest {
  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  /** Files of a log that can be closed and deleted, and say so although they were. */
  private static final class Unwilling extends StoreFilesAround {
    private final List<Path> closed = new ArrayList<>();

    Unwilling() {
      super(new SystemFiles(PageFiles.CHANNEL, PageFiles.CHANNEL));
    }

    @Override
    public PageFile openLog(Path path, Access access, int blockBytes) {
      return new PageFileAround(super.openLog(path, access, blockBytes)) {
        @Override
        public void close() {
          super.close();
          closed.add(path);
          throw failure(path, "closing");
        }
      };
    }

    @Override
    public void delete(Path path) {
      super.delete(path);
      throw failure(path, "deleting");
    }

    private static PageFileException failure(Path path, String doing) {
      return new PageFileException(path, doing + " failed as ordered", Errno.EIO);
    }
  }

  @Test
  void allAreClosedAndDeletedWhateverBecomesOfOne() {
    Unwilling files = new Unwilling();
    Path store = folder.resolve("store");
    LogIdentity identity = new LogIdentity(files, store, 1, 1, 1 << 16, false, true);
    LogSegments segments = new LogSegments(identity, List.of(), List.of(), 1);
    List<LogSegment> all = List.of(segments.create(1), segments.create(1), segments.create(1));
    PageFileException first = assertThrows(PageFileException.class, () -> segments.delete(all));
    assertEquals(all.stream().map(LogSegment::path).toList(), files.closed);
    assertEquals(List.of(), files.beside(store));
    assertEquals(all.getFirst().path() + ": closing failed as ordered", first.getMessage());
    assertEquals(5, first.getSuppressed().length);
  }
}
