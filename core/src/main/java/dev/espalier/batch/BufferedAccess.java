// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import dev.espalier.LongIndex;
import dev.espalier.batch.BufferOptions.Buffers;
import dev.espalier.batch.Operations.Kind;
import dev.espalier.memory.HugePages;
import java.util.Objects;

/**
 * Buffered access to an index (buffering paper, section 4): lookups, called probes, wait at nodes
 * on their path until there are many, so that each node is brought into the cache once for all of
 * them. For an index far larger than the cache, throughput is several times that of single lookups,
 * but answers come later.
 *
 * {@snippet :
 * AnswerConsumer consumer = (row, key, value, found) -> values[(int) row] = value;
 * try (var access = BufferedAccess.over(orders, BufferOptions.DEFAULT, consumer)) {
 *   for (int row = 0; row < keys.length; row++) {
 *     access.get(keys[row], row);
 *   }
 *   access.flush();
 * }
 * }
 *
 * <p>Probes and updates may be mixed: every probe is answered as if all of them were carried out
 * one by one, in the order in which they were added. Each answer is passed to an {@link
 * AnswerConsumer} with the tag of its probe, at some time between the call that adds the probe and
 * the end of the next {@link #flush}.
 *
 * <p>To be used by one thread at a time. It counts as a reader of the index, or as a writer if
 * updates are added; no one else may change the index while probes wait. Closing it does not close
 * the index.
 */
public final class BufferedAccess implements AutoCloseable {
  private final LongIndex index;
  private final TreeLevels tree;
  private final BufferOptions options;
  private final Operations operations = new Operations();
  private final Answers answers;

  private VirtualNodes nodes;
  private ProbeBuffers buffers;
  private long probes;
  private long updates;
  private long flushes;
  private boolean answering;
  private boolean closed;

  private BufferedAccess(LongIndex index, BufferOptions options, AnswerConsumer consumer) {
    this.index = index;
    this.tree = BatchLookup.of(index).levels();
    this.options = options;
    this.answers =
        options.inOrder()
            ? new OrderedAnswers(index, operations, consumer)
            : new DirectAnswers(index, operations, consumer);
    this.nodes = chooseNodes();
    this.buffers = makeBuffers();
  }

  /**
   * Creates a buffered access to an index.
   *
   * @param consumer receives the answers, in the thread that calls this access
   * @throws IllegalArgumentException if the options fix virtual nodes for another tree height
   * @throws IllegalStateException if the index is closed
   * @throws UnsupportedOperationException if the index is behind a lock
   * @throws dev.espalier.memory.MemoryLimitException if there is no memory for the buffers
   */
  public static BufferedAccess over(
      LongIndex index, BufferOptions options, AnswerConsumer consumer) {
    Objects.requireNonNull(index, "index");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(consumer, "consumer");
    return new BufferedAccess(index, options, consumer);
  }

  private VirtualNodes chooseNodes() {
    VirtualNodes fixed = options.nodes();
    if (fixed != null) {
      return fixed;
    }
    if (tree.readsPages()) {
      // One virtual node over all: the leaves that are not in the pool are read together.
      return VirtualNodes.of(tree.height());
    }
    return BatchLookup.of(index).costs().nodes();
  }

  private ProbeBuffers makeBuffers() {
    int most = options.mostWaiting();
    return switch (options.buffers()) {
      case Buffers.Fixed(int size) ->
          new FixedBuffers(tree, nodes, size, most, HugePages.WHEN_GROWN, answers);
      case Buffers.Variable() ->
          new VariableBuffers(tree, nodes, most, HugePages.WHEN_GROWN, answers);
    };
  }

  // ---------------------------------------------------------------- probes

  /**
   * Asks for the value of a key.
   *
   * @param tag a number that is passed on with the answer; not negative
   * @throws IllegalArgumentException if the tag is negative; applies to all probes
   * @throws IllegalStateException if this access or the index is closed, or if called by the
   *     consumer; applies to all methods that add a probe or an update
   */
  public void get(long key, long tag) {
    checkProbe(tag);
    probes++;
    add(key, answers instanceof OrderedAnswers ordered ? ordered.expectValue(tag, key) : tag);
  }

  /** Asks for the entry with the greatest key less than or equal to {@code key}. */
  public void floor(long key, long tag) {
    probeEntries(Kind.FLOOR, key, 0, tag);
  }

  /** Asks for the entry with the least key greater than or equal to {@code key}. */
  public void ceiling(long key, long tag) {
    probeEntries(Kind.CEILING, key, 0, tag);
  }

  /** Asks for all entries with keys from {@code from} to {@code to}, inclusive. */
  public void range(long from, long to, long tag) {
    probeEntries(Kind.RANGE, from, to, tag);
  }

  private void probeEntries(Kind kind, long key, long operand, long tag) {
    checkProbe(tag);
    makeWayFor(kind);
    probes++;
    long operationTag =
        answers instanceof OrderedAnswers ordered ? ordered.expectEntries(tag) : tag;
    add(key, operations.add(kind, operand, operationTag));
  }

  private void checkProbe(long tag) {
    checkUsable();
    if (tag < 0) {
      throw new IllegalArgumentException("tag is " + tag + "; it must not be negative");
    }
  }

  // ---------------------------------------------------------------- updates

  /** Stores a value. Probes added later find it; probes added earlier do not. */
  public void put(long key, long value) {
    update(Kind.PUT, key, value);
  }

  /** Removes a key, if present. Probes added earlier still find it; probes added later do not. */
  public void delete(long key) {
    update(Kind.DELETE, key, 0);
  }

  private void update(Kind kind, long key, long value) {
    checkUsable();
    makeWayFor(kind);
    updates++;
    add(key, operations.add(kind, value, 0));
  }

  // ---------------------------------------------------------------- buffers

  /**
   * Answers all waiting probes and applies all waiting updates.
   *
   * @throws RuntimeException the first exception thrown by the consumer or an update; everything
   *     else was answered and applied all the same
   */
  public void flush() {
    checkUsable();
    answering = true;
    buffers.flush();
    flushes++;
    operations.clear();
    answers.deliver();
    answering = false;
    if (buffers.isOutdated()) {
      renewBuffers();
    }
    answers.throwFailure();
  }

  private void add(long key, long recordTag) {
    answering = true;
    buffers.add(key, recordTag);
    answering = false;
    int kept = Math.max(operations.count(), answers.kept());
    if (Math.max(waiting(), kept) >= options.mostWaiting()) {
      flush();
    }
    answers.throwFailure();
  }

  /** Flushes first if an operation can't wait together with others that do. */
  private void makeWayFor(Kind kind) {
    if (operations.conflicts(kind)) {
      flush();
    }
  }

  private void renewBuffers() {
    if (options.nodes() == null) {
      nodes = chooseNodes();
      ProbeBuffers old = buffers;
      buffers = makeBuffers();
      old.close();
    }
  }

  /** Returns the number of probes and updates that wait to be answered or applied. */
  public long waiting() {
    return probes + updates - answers.done;
  }

  /** Returns counters of what has been done so far. */
  public BufferStatistics statistics() {
    return new BufferStatistics(probes, updates, waiting(), flushes, nodes, buffers.usedBytes());
  }

  private void checkUsable() {
    if (closed) {
      throw new IllegalStateException("the buffered access is closed");
    }
    if (answering) {
      throw new IllegalStateException(
          "the buffered access was called by its own consumer, or an earlier call failed");
    }
  }

  /**
   * Answers and applies everything that waits, then frees the memory. A second call does nothing.
   *
   * @throws RuntimeException as {@link #flush} does; the memory is freed all the same
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    try {
      if (!answering) {
        flush();
      }
    } finally {
      closed = true;
      buffers.close();
    }
  }
}
