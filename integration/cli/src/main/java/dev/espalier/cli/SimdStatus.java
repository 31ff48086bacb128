// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.memory.Trace;
import dev.espalier.node.Keys;
import jdk.incubator.vector.LongVector;

/** Says whether nodes are searched by SIMD, and if not, why. */
final class SimdStatus {
  private SimdStatus() {}

  static String report() {
    if (ModuleLayer.boot().findModule("jdk.incubator.vector").isEmpty()) {
      return "off: the program was started without the Vector API; "
          + "add the JVM option --add-modules jdk.incubator.vector";
    }
    String vectors = "vectors of " + Lanes.count() + " longs";
    if (Keys.SIMD) {
      return "on, " + vectors;
    }
    if ("off".equals(System.getProperty("espalier.simd"))) {
      return "off: the system property espalier.simd is off; leave it out";
    }
    return Trace.ON ? "off: accesses are traced" : "off: too short to be worthwhile, " + vectors;
  }

  /** Apart, because it can only be loaded where the module is. */
  private static final class Lanes {
    static int count() {
      return LongVector.SPECIES_PREFERRED.length();
    }
  }
}
