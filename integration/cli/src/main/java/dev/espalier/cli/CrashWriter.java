// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * The process of a crash test that writes until it is killed. It tells on standard output what it
 * is about to do and what it has done, a word and the number of a step in each line; and ends when
 * its standard input does, which is when the process that has started it ends.
 */
public final class CrashWriter {
  /** The store is open, and has all up to this step. */
  static final String OPENED = "opened";

  /** Steps up to this one may be written from now on. */
  static final String WRITING = "writing";

  /** A note with this number may be written from now on. */
  static final String NOTING = "noting";

  /** All up to this step is safe. */
  static final String COMMITTED = "committed";

  /** What a line ends with that was not cut off. */
  static final String END = ".";

  private static final int ORPHANED = 3;

  private final PrintStream out;
  private final CrashPlan plan;
  private final CrashStore store;

  private CrashWriter(PrintStream out, CrashPlan plan, CrashStore store) {
    this.out = out;
    this.plan = plan;
    this.store = store;
  }

  /** Takes the store's path, the name of its trees, and the plan's seed. */
  public static void main(String[] arguments) {
    Thread.ofPlatform().daemon().name("end of input").start(CrashWriter::endWithParent);
    CrashStore store = CrashStore.open(Path.of(arguments[0]), CrashKind.named(arguments[1]));
    CrashPlan plan = new CrashPlan(Long.parseLong(arguments[2]));
    new CrashWriter(System.out, plan, store).writeUntilKilled();
  }

  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is said here.
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      Runtime.getRuntime().halt(ORPHANED);
    }
  }

  private void writeUntilKilled() {
    long number = store.marker(0);
    say(OPENED, number);
    commit(number);
    while (true) {
      number++;
      say(WRITING, number);
      CrashPlan.Step step = plan.step(number);
      store.write(step, number);
      if (step.endsInCommit()) {
        commit(number);
      }
      if (step.endsInCheckpoint()) {
        store.checkpoint();
      }
    }
  }

  private void commit(long number) {
    say(NOTING, number);
    store.commit(number);
    say(COMMITTED, number);
  }

  private void say(String what, long number) {
    out.println(what + " " + number + END);
    out.flush();
  }
}
