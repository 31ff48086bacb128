// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus.choices;

import dev.espalier.prefetch.Locality;
import java.util.Objects;

/**
 * How a {@link ConfigurablePbPlusTree} carries out what its geometry leaves open: the choices of
 * the thesis (3.6, chapters 5 and 6). They change time and memory, never an answer.
 *
 * <p>{@code searchPrefetch} and {@code search} are for operations on one key. Batches are fetched
 * group by group, and the seeks of cursors are searched, as in the default.
 *
 * @param jumpPointers where a scan finds the leaves ahead of it
 * @param searchPrefetch which lines of a node are fetched before it is searched
 * @param scanPrefetch which lines of the leaves ahead a scan fetches: NONE, LINEAR or HALF_LINEAR
 * @param search how the keys of a node are searched
 * @param localities into which caches lines are fetched
 */
public record PbPlusChoices(
    JumpPointers jumpPointers,
    NodePrefetch searchPrefetch,
    NodePrefetch scanPrefetch,
    NodeSearch search,
    Localities localities) {

  /** What measured best: docs/measurements/pb-plus-choices.md. */
  public static final PbPlusChoices DEFAULT =
      new PbPlusChoices(
          JumpPointers.INTERNAL,
          NodePrefetch.BY_SEARCH,
          NodePrefetch.LINEAR,
          NodeSearch.SIMD,
          Localities.DEFAULT);

  /** Checks the parts. */
  public PbPlusChoices {
    Objects.requireNonNull(jumpPointers, "jumpPointers");
    Objects.requireNonNull(searchPrefetch, "searchPrefetch");
    Objects.requireNonNull(scanPrefetch, "scanPrefetch");
    Objects.requireNonNull(search, "search");
    Objects.requireNonNull(localities, "localities");
    if (scanPrefetch != NodePrefetch.NONE
        && scanPrefetch != NodePrefetch.LINEAR
        && scanPrefetch != NodePrefetch.HALF_LINEAR) {
      throw new IllegalArgumentException(
          "scanPrefetch is " + scanPrefetch + "; a scan knows NONE, LINEAR and HALF_LINEAR");
    }
  }

  /** The array of pointers to the leaves, in order of keys (thesis 3.6). */
  public sealed interface JumpPointers {
    /** The leaves' parents, chained: no memory of its own, nothing to do when leaves split. */
    JumpPointers INTERNAL = new Internal();

    /** One array: any distance ahead, but a split of a leaf moves half of all pointers. */
    JumpPointers FLAT = new Flat();

    /**
     * Chained chunks of {@code chunkLines} cache lines each, in which pointers lie spread, so that
     * a split of a leaf moves few. A chunk of c lines has room for {@code 16c - 4} leaves.
     *
     * @param chunkLines from 1 to 4
     */
    static JumpPointers chunked(int chunkLines) {
      return new Chunked(chunkLines);
    }

    /** See {@link #INTERNAL}. */
    record Internal() implements JumpPointers {}

    /** See {@link #FLAT}. */
    record Flat() implements JumpPointers {}

    /**
     * See {@link #chunked}.
     *
     * @param chunkLines cache lines per chunk
     */
    record Chunked(int chunkLines) implements JumpPointers {
      /** Checks the width. */
      public Chunked {
        if (chunkLines < 1 || chunkLines > JumpPointerChunk.MAX_WIDTH) {
          throw new IllegalArgumentException(
              "chunkLines is "
                  + chunkLines
                  + "; it must be from 1 to "
                  + JumpPointerChunk.MAX_WIDTH);
        }
      }
    }
  }

  /** Which lines of a node are fetched, and in which order (thesis 5.3). */
  public enum NodePrefetch {
    /** Nothing is prefetched. */
    NONE,

    /** The search's own loads fetch the keys; only the lines of a leaf's values are prefetched. */
    BY_SEARCH,

    /** All lines, from left to right. */
    LINEAR,

    /**
     * The header and the first half of the keys; then, when the header has told how many keys there
     * are, the rest of what is in use, from left to right.
     */
    HALF_LINEAR,

    /**
     * What the header, which is read first, says is in use, in the order in which binary searches
     * come to it: first the keys, then values or children.
     */
    BINARY,

    /**
     * The header and what a half-full node uses; then, when the header is there, the rest of what
     * is in use. Both in the order of BINARY.
     */
    HALF_BINARY
  }

  /** How the keys of a node are searched (thesis 5.4). */
  public enum NodeSearch {
    /** Every key is compared, one by one. */
    LINEAR,

    /** Binary search over the keys in use. */
    BINARY,

    /** Binary search that compares keys byte by byte, as {@code memcmp} does. */
    BINARY_BYTEWISE,

    /**
     * The best kernel here: vectors, or without the vector module one key per line, then a line.
     */
    SIMD
  }

  /**
   * Into which caches lines are fetched, by operation (thesis 5.1).
   *
   * @param query lookups of one key
   * @param insert puts and removals of one key
   * @param scan leaves ahead of a cursor
   */
  public record Localities(Locality query, Locality insert, Locality scan) {
    /** What measured best: docs/measurements/pb-plus-choices.md. */
    public static final Localities DEFAULT = new Localities(Locality.T0, Locality.T0, Locality.T1);

    /** Checks the parts. */
    public Localities {
      Objects.requireNonNull(query, "query");
      Objects.requireNonNull(insert, "insert");
      Objects.requireNonNull(scan, "scan");
    }
  }

  /** Returns these choices with another jump-pointer array. */
  public PbPlusChoices withJumpPointers(JumpPointers other) {
    return new PbPlusChoices(other, searchPrefetch, scanPrefetch, search, localities);
  }

  /** Returns these choices with another way to fetch nodes that are searched. */
  public PbPlusChoices withSearchPrefetch(NodePrefetch other) {
    return new PbPlusChoices(jumpPointers, other, scanPrefetch, search, localities);
  }

  /** Returns these choices with another way to fetch the leaves ahead of a scan. */
  public PbPlusChoices withScanPrefetch(NodePrefetch other) {
    return new PbPlusChoices(jumpPointers, searchPrefetch, other, search, localities);
  }

  /** Returns these choices with another way to search nodes. */
  public PbPlusChoices withSearch(NodeSearch other) {
    return new PbPlusChoices(jumpPointers, searchPrefetch, scanPrefetch, other, localities);
  }

  /** Returns these choices with other localities. */
  public PbPlusChoices withLocalities(Localities other) {
    return new PbPlusChoices(jumpPointers, searchPrefetch, scanPrefetch, search, other);
  }
}
