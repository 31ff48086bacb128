// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

/** How the entries of operations are drawn. */
public enum Distribution {
  UNIFORM("uniform"),
  ZIPF("Zipf"),
  LATEST("latest");

  private final String label;

  Distribution(String label) {
    this.label = label;
  }

  /** Returns what it is called on the page. */
  public String label() {
    return label;
  }
}
