// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.functions.ScalarFunction;
import org.junit.jupiter.api.Tag;
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
  @SuppressWarnings("try") // The cluster's close says that it may throw any exception.
  @Tag("thorough")
  void aJobWhoseTaskManagerIsKilledHasAllRowsAllTheSame() throws Exception {
    Path dim = folder.resolve("dim.esp");
    TreeMap<Long, Long> model = new TreeMap<>();
    for (long key = 0; key < 3000; key++) {
      model.put(key, key * key);
    }
    FlinkFixture.write(dim, model);
    Path made = folder.resolve("made.esp");
    try (MiniCluster cluster = FlinkFixture.start(2)) { // Jobs of other tests take no slots of it.
      StreamTableEnvironment tables =
          FlinkFixture.tables(
              cluster, 4, new Configuration(), EnvironmentSettings.inStreamingMode());
      tables.getConfig().set("restart-strategy.type", "fixed-delay");
      tables.getConfig().set("restart-strategy.fixed-delay.attempts", "100");
      tables.getConfig().set("restart-strategy.fixed-delay.delay", "10 ms");
      tables.createTemporarySystemFunction("await_kill", AwaitKill.class);
      FlinkFixture.createDim(tables, dim.toString(), "lookup.async", "true");
      FlinkFixture.createTable(tables, "made (k BIGINT, v BIGINT)", made.toString());
      FlinkFixture.createProbes(tables, 3000);
      TableResult result =
          tables.executeSql(
              """
              INSERT INTO made SELECT await_kill(p.id), d.v FROM probes AS p
              JOIN dim FOR SYSTEM_TIME AS OF p.pt AS d ON p.id = d.k
              """);
      awaitRunning(cluster, result);
      cluster.terminateTaskManager(0);
      cluster.startTaskManager();
      KILLED.countDown();
      result.await();
    }
    assertEquals(model, FlinkFixture.read(made));
    assertEquals(model, FlinkFixture.read(dim)); // Nothing keeps it open.
  }

  /** Waits until a task waits for the kill; what has happened instead, if not within a minute. */
  private static void awaitRunning(MiniCluster cluster, TableResult result) throws Exception {
    JobClient job = result.getJobClient().orElseThrow();
    long start = System.nanoTime();
    while (!RUNNING.await(1, TimeUnit.SECONDS)) {
      JobStatus status = job.getJobStatus().get();
      if (status.isTerminalState()) {
        result.await(); // Throws what the job failed with.
      }
      if (System.nanoTime() - start > TimeUnit.MINUTES.toNanos(1)) {
        throw new AssertionError(
            "the job is %s, its tasks %s, the cluster %s%n%s"
                .formatted(
                    status,
                    tasks(cluster, job.getJobID()),
                    cluster.requestClusterOverview().get(),
                    stacks()));
      }
    }
  }

  private static Map<ExecutionState, Integer> tasks(MiniCluster cluster, JobID job)
      throws Exception {
    Map<ExecutionState, Integer> tasks = new EnumMap<>(ExecutionState.class);
    for (var vertex : cluster.getArchivedExecutionGraph(job).get().getAllExecutionVertices()) {
      tasks.merge(vertex.getExecutionState(), 1, Integer::sum);
    }
    return tasks;
  }

  /** Returns where all threads are that are at work for an index. */
  private static String stacks() {
    return Thread.getAllStackTraces().entrySet().stream()
        .map(entry -> entry.getKey().getName() + " " + List.of(entry.getValue()))
        .filter(stack -> stack.contains("dev.espalier"))
        .collect(Collectors.joining("\n"));
  }
}
