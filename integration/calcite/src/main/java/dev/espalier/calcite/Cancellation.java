// SPDX-License-Identifier: Apache-2.0
package dev.espalier.calcite;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.calcite.DataContext;
import org.apache.calcite.runtime.CalciteException;
import org.jspecify.annotations.Nullable;

/** Whether a statement was cancelled. */
final class Cancellation {
  private final @Nullable AtomicBoolean flag;

  Cancellation(DataContext context) {
    this.flag =
        context.get(DataContext.Variable.CANCEL_FLAG.camelName) instanceof AtomicBoolean given
            ? given
            : null;
  }

  /** Throws if the statement was cancelled. */
  void check() {
    if (flag != null && flag.getOpaque()) {
      throw new CalciteException("the statement was cancelled", null);
    }
  }
}
