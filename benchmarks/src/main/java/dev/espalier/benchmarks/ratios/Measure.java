// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

/** What a worker can be asked to do and measure. */
enum Measure {
  /** Fills a new structure by puts in random order; ns per entry. */
  PUT("ns"),
  /** As {@link #PUT}, by writes that do not look at what was there; ns per entry. */
  SET("ns"),
  /** Random lookups, one after the other; ns per key. */
  GET("ns"),
  /** As {@link #GET}, but each key is known only after the answer before; ns per key. */
  GET_CHAINED("ns"),
  /** Random lookups in groups of 256; ns per key. */
  GET_ALL("ns"),
  /** As {@link #GET_ALL}, in groups of 128; ns per key. */
  GET_ALL_128("ns"),
  /** Scans of 100 entries from random keys on, in what was filled last; ns per entry. */
  RANGE("ns"),
  /** Full scan by runs of a tree filled by {@link #PUT}; GB/s of keys and values. */
  SCAN_AFTER_PUT("GB/s"),
  /** Fills a second structure with all nodes full; ns per entry. */
  BULKLOAD("ns"),
  /** Full scan by runs of a tree filled by {@link #BULKLOAD}; GB/s of keys and values. */
  SCAN("GB/s"),
  /** Sequential read of as many bytes as {@link #SCAN} reads; GB/s. */
  BANDWIDTH("GB/s"),
  /** As {@link #PUT}, but trees are filled by a bulkload of sorted entries, all nodes full. */
  LOAD("ns"),
  /** Fills a second tree from the first by a bulkload, all nodes half full; ns per entry. */
  LOAD_HALF("ns"),
  /** Full scan by runs of a tree filled by {@link #LOAD}; GB/s of keys and values. */
  SCAN_LOADED("GB/s"),
  /** Full scan by runs of a tree filled by {@link #LOAD_HALF}; GB/s of keys and values. */
  SCAN_HALF("GB/s"),
  /** Entries per slot of the leaves after {@link #LOAD_HALF}. */
  FILL_HALF(""),
  /**
   * Puts of new random keys, a twentieth of the entries, into a second tree that a bulkload filled
   * to 70% from the first; ns per entry.
   */
  INSERT_70("ns"),
  /** As {@link #INSERT_70}, by {@code putAll} in groups of 256; ns per entry. */
  INSERT_ALL_70("ns"),
  /** Lines prefetched in groups of 128 at random places of as many bytes as entries; ns a line. */
  LINE("ns"),
  /** Bytes per entry after {@link #BULKLOAD}. */
  BYTES_FULL("bytes"),
  /** Bytes per entry of what was filled last; a map on the Java heap is empty afterwards. */
  BYTES_AFTER_PUT("bytes");

  private final String unit;

  Measure(String unit) {
    this.unit = unit;
  }

  /** Returns the unit of the figures. */
  String unit() {
    return unit;
  }
}
