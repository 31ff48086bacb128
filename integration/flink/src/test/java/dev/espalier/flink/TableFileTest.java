// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.io.Access;
import dev.espalier.io.Espalier;
import dev.espalier.io.IndexStore;
import dev.espalier.io.PageFile;
import dev.espalier.io.PageFileOpener;
import dev.espalier.io.PageFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.types.logical.BigIntType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a file gets its name, and by which names it is known. */
class TableFileTest {
  private static final TableFormat<LongIndex> FORMAT = LongFormat.ofTable("k", 0);

  @TempDir Path folder;

  private static TableFile table(String path) {
    return new TableFile(path, 1 << 20, Duration.ZERO, 1);
  }

  private static void write(Path file, long value) throws IOException {
    FlinkFixture.write(file, new TreeMap<>(java.util.Map.of(1L, value)));
  }

  /** Notes what becomes of names. */
  private static final class Names implements PageFileOpener {
    final List<String> done = new ArrayList<>();

    @Override
    public PageFile open(Path path, Access access, int blockBytes) {
      return PageFiles.CACHED.open(path, access, blockBytes);
    }

    @Override
    public void rename(Path from, Path to) {
      PageFiles.CACHED.rename(from, to);
      done.add("rename to " + to.getFileName());
    }

    @Override
    public void forceNames(Path path) {
      PageFiles.CACHED.forceNames(path);
      done.add("force " + path.getFileName());
    }
  }

  @Test
  void theNameOfAFileThatReplacesAnotherIsForced() throws Exception {
    Path file = folder.resolve("dim.esp");
    write(file, 10);
    Path next = folder.resolve("new.esp");
    write(next, 11);
    Names names = new Names();
    table(file.toString()).replaceBy(next, names);
    assertEquals(List.of("rename to dim.esp", "force dim.esp"), names.done);
    assertEquals(11, FlinkFixture.read(file).get(1L));
    assertFalse(Files.exists(next));
  }

  @Test
  void aFileThatCannotBeRenamedIsKeptUnderTheNameThatItHas() throws Exception {
    Path file = folder.resolve("dim.esp");
    write(file, 10);
    Path next = folder.resolve("new.esp");
    write(next, 11);
    FarFileSystemFactory.FAILING_RENAMES.set(1);
    IOException failed =
        assertThrows(IOException.class, () -> table("far:" + file).replaceBy(next));
    List<Path> left;
    try (var files = Files.list(folder)) {
      left = files.toList();
    }
    assertEquals(1, left.size(), left.toString());
    assertTrue(failed.getMessage().contains(left.getFirst().toString()), failed.getMessage());
    assertEquals(11, FlinkFixture.read(left.getFirst()).get(1L));
  }

  @Test
  void aFileIsOpenOnceHoweverItsPathIsWritten() throws Exception {
    Path file = folder.resolve("dim.esp");
    write(file, 10);
    IndexTable<LongIndex> first = IndexTable.acquire(table(file.toString()), FORMAT);
    IndexTable<LongIndex> second = IndexTable.acquire(table("file://" + file), FORMAT);
    Path relative = Path.of("").toAbsolutePath().relativize(file);
    IndexTable<LongIndex> third = IndexTable.acquire(table(relative.toString()), FORMAT);
    assertSame(first, second);
    assertSame(first, third);
    third.release();
    second.release();
    first.release();
    assertEquals(10, FlinkFixture.read(file).get(1L)); // Nothing keeps it open.
  }

  /** Flink interrupts a task that it cancels, and ends the process if the task goes on. */
  @Test
  void aCopyEndsWhereItsThreadIsInterrupted() throws Exception {
    InputStream endless =
        new InputStream() {
          private int left = 1 << 28;

          @Override
          public int read() {
            throw new AssertionError("nobody reads single bytes");
          }

          @Override
          public int read(byte[] bytes, int from, int count) {
            left -= count;
            assertTrue(left > 0, "it goes on");
            return count;
          }
        };
    Thread.currentThread().interrupt();
    try {
      assertThrows(InterruptedIOException.class, () -> TableFile.copy(endless));
    } finally {
      assertTrue(Thread.interrupted());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anIndexFileIsNotMadeByATaskThatIsInterrupted(boolean isOfTuples) throws Exception {
    List<String> names = List.of("k", "l", "m");
    BigIntType type = new BigIntType();
    TableFormat<?> format =
        isOfTuples
            ? TupleFormat.ofTable(new TupleColumns(names, List.of(type, type, type), new int[] {0}))
            : FORMAT;
    try (RowCollector collector = format.collector(folder.resolve("new.esp"), 16 << 20)) {
      for (long key = 0; key < 100_000; key++) {
        collector.add(isOfTuples ? GenericRowData.of(key, key, key) : GenericRowData.of(key, key));
      }
      Thread.currentThread().interrupt();
      assertThrows(CancellationException.class, collector::finish);
    } finally {
      assertTrue(Thread.interrupted());
    }
  }

  @Test
  void aFileThatWasNotClosedSaysSo() throws Exception {
    Path file = folder.resolve("open.esp");
    Path copy = folder.resolve("dim.esp");
    try (IndexStore store = IndexStore.open(file)) {
      store.index("index").put(1, 10);
      store.commit();
      for (Path part : IndexStore.files(file)) { // As a process that was killed leaves them.
        String name = part.getFileName().toString();
        Files.copy(part, folder.resolve(name.replace("open.esp", "dim.esp")));
      }
    }
    IOException refused =
        assertThrows(IOException.class, () -> table(copy.toString()).open(FORMAT));
    assertTrue(refused.getMessage().startsWith(copy + ": was not closed"), refused.toString());
    try (LongIndex index = Espalier.open(copy)) {
      assertEquals(10, index.get(1));
    }
    try (LongIndex index = table(copy.toString()).open(FORMAT)) {
      assertEquals(10, index.get(1));
    }
  }
}
