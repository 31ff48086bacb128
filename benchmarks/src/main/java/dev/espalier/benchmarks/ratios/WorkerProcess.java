// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.benchmarks.WorkerJvm;
import java.util.ArrayList;
import java.util.List;

/** A {@link RatioWorker} in a JVM of its own, seen from outside. */
final class WorkerProcess implements AutoCloseable {
  private final Role role;
  private final WorkerJvm jvm;

  /**
   * Starts the JVM and waits until it is warm.
   *
   * @param jvmFlags for this JVM beside those of its role
   * @throws IllegalStateException if the JVM ends instead; it has said why on standard error
   */
  WorkerProcess(Role role, long entries, List<String> jvmFlags) {
    this.role = role;
    List<String> flags = new ArrayList<>(role.jvmFlags());
    flags.add("-Xmx" + (role.heapBytes(entries) >> 20) + "m");
    flags.addAll(jvmFlags);
    jvm =
        new WorkerJvm(
            role.name(),
            flags,
            RatioWorker.class,
            List.of(role.type().name(), Long.toString(entries), Boolean.toString(role.polluted())),
            RatioWorker.READY);
  }

  /** Returns what this JVM stands for. */
  Role role() {
    return role;
  }

  /**
   * Has it measured, and waits.
   *
   * @throws IllegalStateException if the worker ended instead; it has said why on standard error
   */
  double measure(Measure measure) {
    return Double.parseDouble(jvm.ask(measure.name()));
  }

  /** Ends the JVM. */
  @Override
  public void close() {
    jvm.close();
  }
}
