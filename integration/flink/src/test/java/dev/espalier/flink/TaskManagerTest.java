// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.functions.ScalarFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class TaskManagerTest {
  private static final CountDownLatch RUNNING = new CountDownLatch(1);
  private static final CountDownLatch KILLED = new CountDownLatch(1);

  @TempDir Path folder;

  /** Waits in the middle of the rows until a task manager was killed. */
  public static final class AwaitKill extends ScalarFunction {
    private static final long serialVersionUID = 1;

    public Long eval(Long id) throws InterruptedException {
      if (id == 1500) {
        RUNNING.countDown();
        KILLED.await();
      }
      return id;
    }
  }

  @Test
  @Timeout(120)
  void aJobWhoseTaskManagerIsKilledHasAllRowsAllTheSame() throws Exception {
    Path dim = folder.resolve("dim.esp");
    TreeMap<Long, Long> model = new TreeMap<>();
    for (long key = 0; key < 3000; key++) {
      model.put(key, key * key);
    }
    FlinkFixture.write(dim, model);
    StreamTableEnvironment tables = FlinkFixture.tables(8); // All slots of both task managers.
    tables.getConfig().set("restart-strategy.type", "fixed-delay");
    tables.getConfig().set("restart-strategy.fixed-delay.attempts", "100");
    tables.getConfig().set("restart-strategy.fixed-delay.delay", "10 ms");
    tables.createTemporarySystemFunction("await_kill", AwaitKill.class);
    FlinkFixture.createDim(tables, dim.toString(), "lookup.async", "true");
    Path made = folder.resolve("made.esp");
    FlinkFixture.createTable(tables, "made (k BIGINT, v BIGINT)", made.toString());
    FlinkFixture.createProbes(tables, 3000);
    TableResult result =
        tables.executeSql(
            """
            INSERT INTO made SELECT await_kill(p.id), d.v FROM probes AS p
            JOIN dim FOR SYSTEM_TIME AS OF p.pt AS d ON p.id = d.k
            """);
    JobClient job = result.getJobClient().orElseThrow();
    while (!RUNNING.await(1, TimeUnit.SECONDS)) {
      if (job.getJobStatus().get().isTerminalState()) {
        result.await(); // Throws what the job failed with.
      }
    }
    FlinkFixture.CLUSTER.terminateTaskManager(0);
    FlinkFixture.CLUSTER.startTaskManager();
    KILLED.countDown();
    result.await();
    assertEquals(model, FlinkFixture.read(made));
    assertEquals(model, FlinkFixture.read(dim)); // Nothing keeps it open.
  }
}
