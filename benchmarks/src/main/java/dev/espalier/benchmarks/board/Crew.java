// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

/** The threads that work at once. */
public enum Crew {
  ONE(1, false, "1 thread"),
  TWO(2, false, "2 threads"),
  SIXTEEN(16, false, "16 threads"),
  VIRTUAL(1000, true, "1,000 virtual threads");

  private final int threads;
  private final boolean isVirtual;
  private final String label;

  Crew(int threads, boolean isVirtual, String label) {
    this.threads = threads;
    this.isVirtual = isVirtual;
    this.label = label;
  }

  int threads() {
    return threads;
  }

  boolean isVirtual() {
    return isVirtual;
  }

  /** Returns what it is called on the page. */
  public String label() {
    return label;
  }
}
