// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How accesses to an index are buffered.
 *
 * @param buffers whether buffers have a fixed or a variable size
 * @param mostWaiting the most probes and updates that wait; when they are so many, all are answered
 * @param inOrder whether answers come in the order of the probes, and so only by a flush
 * @param nodes the virtual nodes, or null for those that {@link CacheAnalysis} finds, anew whenever
 *     the tree's height has changed
 */
public record BufferOptions(
    Buffers buffers, int mostWaiting, boolean inOrder, @Nullable VirtualNodes nodes) {

  /** The bound of {@code mostWaiting}: more would not fit into one array. */
  public static final int MOST_WAITING = 1 << 28;

  /** The size of buffers. */
  public sealed interface Buffers {

    /**
     * Each virtual node has a buffer for so many probes (buffering paper, 4.1): answers come while
     * probes are added.
     *
     * @param probes a power of two
     */
    record Fixed(int probes) implements Buffers {
      /** The size of the paper's nodes and buffers, 4 KB. */
      public static final Fixed DEFAULT = new Fixed(256);

      /** Checks the number. */
      public Fixed {
        if (probes < 1 || Integer.bitCount(probes) != 1 || probes > 1 << 20) {
          throw new IllegalArgumentException(
              "probes is " + probes + "; it must be a power of two from 1 to " + (1 << 20));
        }
      }
    }

    /** Buffers grow as needed (4.2): answers come by a flush. The fastest. */
    record Variable() implements Buffers {}
  }

  /** Variable buffers for a million probes, in any order. */
  public static final BufferOptions DEFAULT =
      new BufferOptions(new Buffers.Variable(), 1 << 20, false, null);

  /** Checks the parts. */
  public BufferOptions {
    Objects.requireNonNull(buffers, "buffers");
    if (mostWaiting < 1 || mostWaiting > MOST_WAITING) {
      throw new IllegalArgumentException(
          "mostWaiting is " + mostWaiting + " probes; it must be from 1 to " + MOST_WAITING);
    }
  }

  /** Returns these options with buffers of another kind. */
  public BufferOptions withBuffers(Buffers other) {
    return new BufferOptions(other, mostWaiting, inOrder, nodes);
  }

  /** Returns these options with another bound of the probes that wait. */
  public BufferOptions withMostWaiting(int probes) {
    return new BufferOptions(buffers, probes, inOrder, nodes);
  }

  /** Returns these options with answers in the order of the probes, or in any order. */
  public BufferOptions withInOrder(boolean isInOrder) {
    return new BufferOptions(buffers, mostWaiting, isInOrder, nodes);
  }

  /** Returns these options with fixed virtual nodes. */
  public BufferOptions withNodes(VirtualNodes fixed) {
    return new BufferOptions(buffers, mostWaiting, inOrder, fixed);
  }
}
