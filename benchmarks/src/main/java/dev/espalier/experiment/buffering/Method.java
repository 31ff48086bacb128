// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

/** How probes are made. */
enum Method {
  UNBUFFERED("unbuffered"),

  /** Buffers of 4 KB, 256 probes, the size of a node. */
  FIXED("fixed-size"),

  VARIABLE("variable-size"),

  /** Buffers of variable size, answers in the order of the probes. */
  IN_ORDER("order-preserving"),

  /** Whichever method the library takes. */
  CHOSEN("chosen");

  private final String label;

  Method(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}
