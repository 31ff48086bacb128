// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sql;

import org.apache.calcite.runtime.CalciteContextException;
import org.apache.calcite.sql.parser.SqlParseException;

/**
 * Why a query could not be answered, in one line.
 *
 * @param message begins with the place in the query, where it is known
 * @param isWrongSql whether the query itself is wrong
 */
record SqlFailure(String message, boolean isWrongSql) {

  static SqlFailure of(Throwable failure) {
    Throwable last = failure;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SqlParseException parse) {
        return wrong(parse.getPos().getLineNum(), parse.getPos().getColumnNum(), firstLine(parse));
      }
      if (cause instanceof CalciteContextException wrong) {
        Throwable reason = wrong.getCause() == null ? wrong : wrong.getCause();
        return wrong(wrong.getPosLine(), wrong.getPosColumn(), firstLine(reason));
      }
      last = cause;
    }
    return new SqlFailure("the query failed: " + firstLine(last), false);
  }

  private static SqlFailure wrong(int line, int column, String message) {
    // Calcite's parser says the place once more.
    String what = message.replaceFirst(" at line \\d+, column \\d+\\.?", "");
    return new SqlFailure("line %d, column %d: %s".formatted(line, column, what), true);
  }

  private static String firstLine(Throwable failure) {
    String message = failure.getMessage();
    return message == null
        ? failure.getClass().getSimpleName()
        : message.lines().findFirst().orElse("").strip();
  }
}
