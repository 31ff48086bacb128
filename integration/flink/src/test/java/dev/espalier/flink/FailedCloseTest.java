// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.concurrent.SwappableIndex;
import dev.espalier.io.Espalier;
import dev.espalier.stream.ProbeStreamException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.flink.core.io.GenericInputSplit;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that end with a failure give back the files that they have open. */
@Timeout(60)
class FailedCloseTest {
  private static final LongFormat FORMAT = LongFormat.ofTable("k", 0);
  private static final int[][] KEY = {{0}};

  @TempDir Path folder;

  private static void write(Path file, int keys, int version) throws IOException {
    TreeMap<Long, Long> rows = new TreeMap<>();
    for (long key = 0; key < keys; key++) {
      rows.put(key, key * 10 + version);
    }
    FlinkFixture.write(file, rows);
  }

  /** Opens the file for writing, which is refused while it is open. */
  private static void assertIsNotOpen(Path file, int keys) {
    try (LongIndex index = Espalier.open(file)) {
      assertEquals(keys, index.size());
    }
  }

  // ---------------------------------------------------------------- lookups that fail

  /** Changes a byte of the leaf that has a value. */
  private static void damage(Path file, long value) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer longs = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    int at = 0;
    while (longs.getLong(at) != value) {
      at++;
    }
    bytes[at] ^= 1;
    Files.write(file, bytes);
  }

  private static EspalierAsyncLookup lookupInADamagedLeaf(Path file, Duration responseTime)
      throws Exception {
    write(file, 200_000, 1);
    damage(file, 1_000_001); // That of key 100,000.
    EspalierAsyncLookup lookup =
        new EspalierAsyncLookup(
            new TableFile(file.toString(), 1 << 20, Duration.ZERO, 1),
            FORMAT,
            FORMAT.question(KEY),
            responseTime,
            10_000);
    lookup.open(new FunctionContext(null));
    return lookup;
  }

  private static List<CompletableFuture<Collection<RowData>>> ask(EspalierAsyncLookup lookup) {
    List<CompletableFuture<Collection<RowData>>> answers = new ArrayList<>();
    for (long key = 0; key < 200_000; key += 2_000) {
      answers.add(lookup.asyncLookup(GenericRowData.of(key)));
    }
    return answers;
  }

  @Test
  void aLookupWhoseStreamFailsWhenItIsClosedGivesTheFileBack() throws Exception {
    Path file = folder.resolve("dim.esp");
    EspalierAsyncLookup lookup = // Nothing is answered before it is closed.
        lookupInADamagedLeaf(file, Duration.ofMinutes(10));
    List<CompletableFuture<Collection<RowData>>> answers = ask(lookup);
    assertThrows(ProbeStreamException.class, lookup::close);
    assertIsNotOpen(file, 200_000);
    int failed = 0;
    for (CompletableFuture<Collection<RowData>> answer : answers) {
      assertTrue(answer.isDone()); // Nobody waits for ever.
      failed += answer.isCompletedExceptionally() ? 1 : 0;
    }
    assertTrue(failed > 0);
    lookup.close(); // Again has no effect.
  }

  @Test
  void rowsThatWaitAreToldOfAFailureWithoutAnotherRow() throws Exception {
    Path file = folder.resolve("dim.esp");
    EspalierAsyncLookup lookup = lookupInADamagedLeaf(file, Duration.ofMillis(50));
    CompletableFuture<Collection<RowData>> answer = lookup.asyncLookup(GenericRowData.of(100_000L));
    ExecutionException failed = assertThrows(ExecutionException.class, answer::get);
    assertInstanceOf(ProbeStreamException.class, failed.getCause());
    assertThrows(ProbeStreamException.class, lookup::close);
    assertIsNotOpen(file, 200_000);
  }

  // ---------------------------------------------------------------- files that can't be closed

  /** What an index says when it is closed. */
  private static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Returns a format whose indexes throw when they are closed, which they are. */
  @SuppressWarnings("unchecked") // It hands on what FORMAT returns.
  private static TableFormat<LongIndex> refusingToClose() {
    return (TableFormat<LongIndex>)
        Proxy.newProxyInstance(
            TableFormat.class.getClassLoader(),
            new Class<?>[] {TableFormat.class},
            (_, method, arguments) ->
                method.getName().equals("swappable")
                    ? SwappableIndex.of(refusingToClose((LongIndex) arguments[0]))
                    : method.invoke(FORMAT, arguments));
  }

  private static LongIndex refusingToClose(LongIndex index) {
    return (LongIndex)
        Proxy.newProxyInstance(
            LongIndex.class.getClassLoader(),
            new Class<?>[] {LongIndex.class},
            (_, method, arguments) -> {
              try {
                Object returned = method.invoke(index, arguments);
                if (method.getName().equals("close")) {
                  throw new Refused();
                }
                return returned;
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }

  /** Replaces a file that is in use, so that its readers close the version before. */
  private static void replace(TableFile file, TableFormat<LongIndex> format) throws Exception {
    IndexTable<LongIndex> table = IndexTable.acquire(file, format);
    write(Path.of(file.path()), 1_000, 2);
    while (table.refreshes() == 0) {
      Thread.sleep(1);
    }
    table.release();
  }

  @Test
  void aShardThatCannotBeClosedKeepsNoOtherOpen() throws Exception {
    TableFile file = new TableFile(folder.toString(), 1 << 20, Duration.ofMillis(5), 3);
    for (int shard = 0; shard < 3; shard++) {
      write(Path.of(file.shard(shard).path()), 1_000, 1);
    }
    TableFormat<LongIndex> format = refusingToClose();
    TableLookup<LongIndex> lookup = new TableLookup<>(file, format, FORMAT.question(KEY));
    lookup.open(new UnregisteredMetricsGroup());
    for (long key = 0; key < 100; key++) { // Some of each shard.
      assertEquals(1, lookup.find(GenericRowData.of(key)).size());
    }
    replace(file.shard(0), format);
    replace(file.shard(1), format);
    Refused refused = assertThrows(Refused.class, lookup::close);
    assertEquals(2, refused.getSuppressed().length); // Those of the other shards.
    for (int shard = 0; shard < 3; shard++) {
      assertIsNotOpen(Path.of(file.shard(shard).path()), 1_000);
    }
  }

  @Test
  void aScanOfAFileThatCannotBeClosedGivesItBack() throws Exception {
    Path path = folder.resolve("dim.esp");
    write(path, 1_000, 1);
    TableFile file = new TableFile(path.toString(), 1 << 20, Duration.ofMillis(5), 1);
    TableFormat<LongIndex> format = refusingToClose();
    RangeInput<LongIndex> input = new RangeInput<>(file, format);
    input.open(new GenericInputSplit(0, 1));
    replace(file, format);
    assertThrows(Refused.class, input::close);
    assertIsNotOpen(path, 1_000);
  }
}
