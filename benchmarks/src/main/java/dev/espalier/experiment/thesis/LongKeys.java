// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.thesis;

import java.util.List;

/**
 * Trees that are alike but for their width.
 *
 * @param bytes of a key
 * @param fill how full nodes are, in percent
 */
record LongKeys(int bytes, int fill) {
  /** The sizes of keys in the thesis: those of its tables 6.1 and 6.2, and the one of 5.3. */
  static final List<Integer> SIZES = List.of(8, 16, 32, 64);

  /** Makes a tree. */
  LongKeyTree tree(int width, int entries) {
    return new LongKeyTree(words(), width, fill / 100.0, entries);
  }

  int words() {
    return bytes / Long.BYTES;
  }

  /** Returns those of some widths in which nodes have room for keys. */
  List<Integer> fitting(List<Integer> widths) {
    return widths.stream().filter(width -> width >= LongKeyTree.leastWidth(words())).toList();
  }

  /** Returns the size in words. */
  String size() {
    return bytes + " bytes";
  }

  /** Returns what the names of checks begin with. */
  String prefix() {
    return "keys of " + size() + ": ";
  }

  @Override
  public String toString() {
    return fill + "%, keys of " + size();
  }
}
