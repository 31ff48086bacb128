// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.math.BigDecimal;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** TPC-H's scale factor as an argument of commands. */
final class TpchScale {
  private TpchScale() {}

  /**
   * Checks a scale.
   *
   * @param option by which it was given
   * @throws ParameterException if there are no tables of that scale
   */
  static void check(CommandSpec spec, String option, double scale) {
    if (!(scale >= TpchTables.MIN_SCALE && scale <= TpchTables.MAX_SCALE)) {
      throw new ParameterException(
          spec.commandLine(),
          "%s is %s; it must be from %s to %s"
              .formatted(
                  option, text(scale), text(TpchTables.MIN_SCALE), text(TpchTables.MAX_SCALE)));
    }
  }

  /** As a person writes it: 1, not 1.0; 0.00001, not 1.0E-5. */
  static String text(double scale) {
    return Double.isFinite(scale)
        ? new BigDecimal(Double.toString(scale)).stripTrailingZeros().toPlainString()
        : Double.toString(scale);
  }
}
