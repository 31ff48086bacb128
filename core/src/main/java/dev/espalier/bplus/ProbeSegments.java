// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bplus;

import java.lang.foreign.MemorySegment;

/** Checks the segments of a batched lookup. */
final class ProbeSegments {
  private ProbeSegments() {}

  static void check(MemorySegment keys, MemorySegment values) {
    if (keys.byteSize() != values.byteSize() || keys.byteSize() % Long.BYTES != 0) {
      throw new IllegalArgumentException(
          "keys has "
              + keys.byteSize()
              + " bytes and values has "
              + values.byteSize()
              + "; they must be equal and a multiple of 8");
    }
    if (values.isReadOnly()) {
      throw new IllegalArgumentException("values can't be written: " + values);
    }
  }
}
