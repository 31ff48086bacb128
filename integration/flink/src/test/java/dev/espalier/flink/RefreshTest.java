// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.io.FileOptions;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RefreshTest {
  private static final TableFormat<LongIndex> FORMAT = LongFormat.ofTable("k", 0);
  private static final int KEYS = 1000;

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void writeFirst() throws IOException {
    file = folder.resolve("dim.esp");
    write(1);
  }

  private void write(int version) throws IOException {
    TreeMap<Long, Long> rows = new TreeMap<>();
    for (long key = 0; key < KEYS; key++) {
      rows.put(key, key * 10 + version);
    }
    FlinkFixture.write(file, rows);
  }

  @SuppressWarnings("try") // Its close says that it may throw any exception.
  @ParameterizedTest
  @ValueSource(strings = {"false", "true"})
  @Timeout(120)
  @Tag("thorough")
  void aJobGoesOnWithTheFileThatReplacedAnother(String async) throws Exception {
    StreamTableEnvironment tables = FlinkFixture.tables(2);
    FlinkFixture.createDim(
        tables, file.toString(), "lookup.async", async, "refresh-interval", "20 ms");
    tables.executeSql(
        """
        CREATE TEMPORARY TABLE endless (id BIGINT, pt AS PROCTIME()) WITH (
          'connector' = 'datagen', 'fields.id.min' = '0', 'fields.id.max' = '999')
        """);
    TableResult result =
        tables.executeSql(
            "SELECT p.id, d.v FROM endless AS p"
                + " JOIN dim FOR SYSTEM_TIME AS OF p.pt AS d ON p.id = d.k");
    try (CloseableIterator<Row> rows = result.collect()) {
      expectVersion(rows, 1);
      write(2);
      expectVersion(rows, 2);
      write(3);
      expectVersion(rows, 3);
    }
  }

  /** Reads rows of versions up to the newest, until there is one of that. */
  private static void expectVersion(CloseableIterator<Row> rows, int newest) {
    long version;
    do {
      Row row = rows.next();
      long key = (long) row.getField(0);
      version = (long) row.getField(1) - key * 10;
      assertTrue(version >= 1 && version <= newest, row.toString());
    } while (version != newest);
  }

  @Test
  void aReaderKeepsItsVersionUntilItLooksAgain() throws Exception {
    TableFile table = new TableFile(file.toString(), 1 << 20, Duration.ofMillis(5), 1);
    IndexTable<LongIndex> first = IndexTable.acquire(table, FORMAT);
    IndexTable<LongIndex> second = IndexTable.acquire(table, FORMAT);
    assertEquals(first, second); // Opened once.
    try (IndexTable<LongIndex>.Reader reader = first.reader()) {
      var before = reader.index();
      assertEquals(71, before.get(7));
      write(2);
      await(reader);
      assertEquals(71, before.get(7));
      assertEquals(72, reader.index().get(7));
      assertTrue(before.isClosed());
    }
    first.release();
    try (IndexTable<LongIndex>.Reader reader = second.reader()) {
      assertEquals(72, reader.index().get(7));
    }
    second.release();
    assertEquals(KEYS, FlinkFixture.read(file).size()); // Nothing keeps it open.
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "P30D", "P1000000D"})
  @Timeout(60)
  void theShortestIntervalOfTheJobsThatShareAFileCounts(Duration interval) throws Exception {
    IndexTable<LongIndex> first =
        IndexTable.acquire(new TableFile(file.toString(), 1 << 20, interval, 1), FORMAT);
    IndexTable<LongIndex> second =
        IndexTable.acquire(
            new TableFile(file.toString(), 1 << 20, Duration.ofMillis(5), 1), FORMAT);
    IndexTable<LongIndex> third = // Changes nothing.
        IndexTable.acquire(new TableFile(file.toString(), 1 << 20, interval, 1), FORMAT);
    try (IndexTable<LongIndex>.Reader reader = second.reader();
        IndexTable<LongIndex>.Reader other = first.reader()) {
      write(2);
      await(reader);
      assertEquals(72, reader.index().get(7));
      assertEquals(72, other.index().get(7));
    }
    third.release();
    second.release();
    first.release();
    assertEquals(KEYS, FlinkFixture.read(file).size()); // Nothing keeps it open.
  }

  @Test
  @Timeout(60)
  void theNextVersionGetsTheLargestPoolOfTheJobsThatShareAFile() throws Exception {
    List<Long> pools = new CopyOnWriteArrayList<>();
    @SuppressWarnings("unchecked") // It hands on what FORMAT returns.
    TableFormat<LongIndex> format =
        (TableFormat<LongIndex>)
            Proxy.newProxyInstance(
                TableFormat.class.getClassLoader(),
                new Class<?>[] {TableFormat.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("open")) {
                    pools.add(((FileOptions) arguments[1]).poolBytes());
                  }
                  return method.invoke(FORMAT, arguments);
                });
    List<IndexTable<LongIndex>> tables = new ArrayList<>();
    for (int mebibytes : new int[] {2, 4, 3}) {
      TableFile table =
          new TableFile(file.toString(), (long) mebibytes << 20, Duration.ofMillis(5), 1);
      tables.add(IndexTable.acquire(table, format));
    }
    try (IndexTable<LongIndex>.Reader reader = tables.getFirst().reader()) {
      write(2);
      await(reader);
    }
    tables.forEach(IndexTable::release);
    assertEquals(List.of(2L << 20, 4L << 20), pools);
  }

  @Test
  void aFileThatIsNoIndexLeavesTheVersionBefore() throws Exception {
    IndexTable<LongIndex> table =
        IndexTable.acquire(
            new TableFile(file.toString(), 1 << 20, Duration.ofMillis(5), 1), FORMAT);
    try (IndexTable<LongIndex>.Reader reader = table.reader()) {
      Path junk = folder.resolve("junk");
      Files.writeString(junk, "no index");
      Files.move(junk, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      while (table.failedRefreshes() == 0) {
        Thread.sleep(1);
      }
      assertEquals(71, reader.index().get(7));
      write(3);
      await(reader);
      assertEquals(73, reader.index().get(7));
    }
    table.release();
  }

  @Test
  @Timeout(60)
  void anErrorWhileAFileIsOpenedEndsNoRefreshes() throws Exception {
    AtomicInteger opened = new AtomicInteger();
    @SuppressWarnings("unchecked") // It hands on what FORMAT returns.
    TableFormat<LongIndex> format =
        (TableFormat<LongIndex>)
            Proxy.newProxyInstance(
                TableFormat.class.getClassLoader(),
                new Class<?>[] {TableFormat.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("open") && opened.getAndIncrement() == 1) {
                    throw new OutOfMemoryError("as if");
                  }
                  return method.invoke(FORMAT, arguments);
                });
    IndexTable<LongIndex> table =
        IndexTable.acquire(
            new TableFile(file.toString(), 1 << 20, Duration.ofMillis(5), 1), format);
    try (IndexTable<LongIndex>.Reader reader = table.reader()) {
      write(2);
      await(reader);
      assertEquals(72, reader.index().get(7));
      assertEquals(1, table.failedRefreshes());
    }
    table.release();
  }

  private static void await(IndexTable<LongIndex>.Reader reader) throws InterruptedException {
    while (!reader.isBehind()) {
      Thread.sleep(1);
    }
  }
}
