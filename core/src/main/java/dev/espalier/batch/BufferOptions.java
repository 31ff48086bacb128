// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link BufferedAccess}.
 *
 * @param buffers whether buffers are of fixed or variable size
 * @param mostWaiting the most probes and updates that may wait; as soon as there are that many, all
 *     of them are answered
 * @param inOrder whether answers come in the order of the probes, and thus only when all are
 *     answered
 * @param nodes the virtual nodes, or null to let {@link CacheAnalysis} choose them whenever the
 *     tree's height has changed
 */
public record BufferOptions(
    Buffers buffers, int mostWaiting, boolean inOrder, @Nullable VirtualNodes nodes) {

  /** The upper limit of {@code mostWaiting}: more would not fit into one array. */
  public static final int MOST_WAITING = 1 << 28;

  /** The size of buffers. */
  public sealed interface Buffers {

    /**
     * Each virtual node has a buffer of fixed size (buffering paper, 4.1). Answers come while
     * probes are added.
     *
     * @param probes the capacity of a buffer: a power of two from 1 to 2^20
     */
    record Fixed(int probes) implements Buffers {
      /** Buffers for 256 probes: 4 KB, the size in the paper. */
      public static final Fixed DEFAULT = new Fixed(256);

      /** Checks the number. */
      public Fixed {
        if (probes < 1 || Integer.bitCount(probes) != 1 || probes > 1 << 20) {
          throw new IllegalArgumentException(
              "probes is " + probes + "; it must be a power of two from 1 to " + (1 << 20));
        }
      }
    }

    /**
     * Buffers grow as needed (buffering paper, 4.2). Answers come only when all probes are
     * answered. This is the fastest kind.
     */
    record Variable() implements Buffers {}
  }

  /**
   * Variable buffers for a million probes, answered in any order, with virtual nodes chosen by the
   * cache analysis.
   */
  public static final BufferOptions DEFAULT =
      new BufferOptions(new Buffers.Variable(), 1 << 20, false, null);

  /** Checks the options. */
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

  /** Returns these options with another limit of waiting probes and updates. */
  public BufferOptions withMostWaiting(int probes) {
    return new BufferOptions(buffers, probes, inOrder, nodes);
  }

  /** Returns these options with answers in the order of the probes if true, or in any order. */
  public BufferOptions withInOrder(boolean isInOrder) {
    return new BufferOptions(buffers, mostWaiting, isInOrder, nodes);
  }

  /** Returns these options with the given virtual nodes. */
  public BufferOptions withNodes(VirtualNodes fixed) {
    return new BufferOptions(buffers, mostWaiting, inOrder, fixed);
  }
}
