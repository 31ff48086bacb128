// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** How numbers are stored in index files. */
final class LittleEndian {
  static final ValueLayout.OfInt INT = JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong LONG = JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private LittleEndian() {}
}
