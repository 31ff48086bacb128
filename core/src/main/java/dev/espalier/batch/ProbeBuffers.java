// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

/**
 * The buffers of the virtual nodes of a tree, through which probes descend to the leaves. A probe
 * is a key and a tag that is passed on with the answer. A negative tag stands for an operation of
 * the {@link AnswerSink}, which waits among the probes and keeps its place in the order of those
 * with the same key.
 */
interface ProbeBuffers extends AutoCloseable {

  /** Adds a probe. May answer others to make room. */
  void add(long key, long tag);

  /** Answers all probes. */
  void flush();

  /**
   * Returns whether the height of the tree has changed since the virtual nodes were chosen. The
   * buffers then still work, but gain nothing.
   */
  boolean isOutdated();

  /** Returns the size of the memory that holds probes, in bytes. */
  long usedBytes();

  /** Frees the memory, dropping all waiting probes. */
  @Override
  void close();
}
