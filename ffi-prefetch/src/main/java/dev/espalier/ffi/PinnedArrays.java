// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import java.lang.Runtime.Version;

/**
 * Whether arrays on the heap stay where they are while native code reads them.
 *
 * <p>In JDK 25 before 25.0.3, the collector G1 may move a pinned array (JDK-8377811).
 */
public final class PinnedArrays {
  private static final int FEATURE = 25;
  private static final int FIXED_UPDATE = 3;

  private PinnedArrays() {}

  /**
   * Returns whether pinned arrays stay where they are.
   *
   * @param version of the JDK
   * @param isG1 whether its collector is G1, or may be
   */
  public static boolean stay(Version version, boolean isG1) {
    boolean mayMove =
        version.feature() == FEATURE && version.interim() == 0 && version.update() < FIXED_UPDATE;
    return !(isG1 && mayMove);
  }
}
