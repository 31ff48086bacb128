// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

/** The parts of the table of targets that can be chosen. */
enum Work {
  /** Single lookups, against every map on the Java heap. */
  GET,
  /** Batched lookups, against single ones and {@code TreeMap}. */
  GET_ALL,
  /** Full scans, against a sequential read. */
  SCAN,
  /** Puts in random order, against {@code TreeMap}. */
  PUT,
  /** Memory per entry. */
  BYTES,
  /** A JVM that has run all variants, against one that has not. */
  POLLUTED,
  /** Native access and Vector API off, against {@code TreeMap}. */
  FALLBACK
}
