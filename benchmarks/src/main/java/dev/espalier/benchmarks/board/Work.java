// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What threads do: the core workloads of YCSB, and those of {@code db_bench}. */
public enum Work {
  A("A", 50, Operation.UPDATE),
  B("B", 95, Operation.UPDATE),
  C("C", 100, Operation.READ),
  D("D", 95, Operation.INSERT),
  E("E", 95, Operation.INSERT),
  F("F", 50, Operation.READ_MODIFY_WRITE),
  FILL_SEQ("fillseq", 0, Operation.INSERT),
  FILL_RANDOM("fillrandom", 0, Operation.INSERT),
  OVERWRITE("overwrite", 0, Operation.UPDATE),
  READ_RANDOM("readrandom", 100, Operation.READ),
  READ_WHILE_WRITING("readwhilewriting", 100, Operation.READ),
  SEEK_RANDOM("seekrandom", 100, Operation.READ),
  DELETE_RANDOM("deleterandom", 0, Operation.REMOVE);

  /** One call, or two for a read-modify-write. */
  enum Operation {
    READ,
    UPDATE,
    INSERT,
    SCAN,
    READ_MODIFY_WRITE,
    REMOVE
  }

  private static final int MOST_SCANNED = 100;
  private static final Set<Work> CORE = EnumSet.range(A, F);
  private static final Set<Work> FILLS = EnumSet.of(FILL_SEQ, FILL_RANDOM);

  private final String label;
  private final int reads;
  private final Operation other;

  Work(String label, int reads, Operation other) {
    this.label = label;
    this.reads = reads;
    this.other = other;
  }

  /** Returns what it is called on the page. */
  public String label() {
    return label;
  }

  /** Returns whether it is one of YCSB's. */
  boolean isCore() {
    return CORE.contains(this);
  }

  /** Returns whether it begins with an empty store, and ends when that is full. */
  boolean isFill() {
    return FILLS.contains(this);
  }

  /** Returns the most entries that a scan of it is to show. */
  int mostScanned() {
    return this == E ? MOST_SCANNED : 1;
  }

  /** Returns how keys are drawn for it, the usual way first. */
  List<Distribution> distributions() {
    if (this == D) {
      return List.of(Distribution.LATEST);
    }
    return isCore()
        ? List.of(Distribution.ZIPF, Distribution.UNIFORM)
        : List.of(Distribution.UNIFORM);
  }

  /**
   * Returns the operation of a number that was drawn.
   *
   * @param percent from 0 to 99
   */
  Operation operation(int percent) {
    if (percent >= reads) {
      return other;
    }
    return this == E || this == SEEK_RANDOM ? Operation.SCAN : Operation.READ;
  }
}
