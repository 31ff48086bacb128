// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

/**
 * The buffers of a tree's virtual nodes, through which probes go down to the leaves. A probe is a
 * key and a tag that comes back with the answer; what has a negative tag is no probe, but an
 * operation of the {@link AnswerSink}, which waits among the probes and keeps its place among those
 * of its key.
 */
interface ProbeBuffers extends AutoCloseable {

  /** Adds a probe; others may be answered to make room. */
  void add(long key, long tag);

  /** Answers all probes. */
  void flush();

  /**
   * Tells whether the tree's height is no longer the one that the virtual nodes were made for. Such
   * buffers still work, but without gain.
   */
  boolean isOutdated();

  /** Returns the bytes of memory that hold probes. */
  long usedBytes();

  /** Frees the memory, with all probes that wait. */
  @Override
  void close();
}
