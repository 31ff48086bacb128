// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** How keys and values are written. */
final class FormArguments {

  @Option(
      names = "--keys",
      paramLabel = "FORM",
      description =
          "How keys are written: int64, decimal numbers, for an index of longs; text, in UTF-8, or"
              + " hex, two digits for each byte, for one of byte strings. Default: what the index"
              + " in FILE has, int64 or text.")
  private @Nullable Form keys;

  @Option(
      names = "--values",
      paramLabel = "FORM",
      description = "How values are written: text or hex, of byte strings. Default: as keys.")
  private @Nullable Form values;

  /** Returns whether one of the forms is that of byte strings. */
  boolean hasByteStrings() {
    return isOfStrings(keys) || isOfStrings(values);
  }

  private boolean hasLongs() {
    return keys == Form.INT64 || values == Form.INT64;
  }

  private static boolean isOfStrings(@Nullable Form form) {
    return form == Form.TEXT || form == Form.HEX;
  }

  /** Returns the forms for an index of byte strings. */
  BytesForm ofBytes() {
    Form ofKeys = keys == null ? Form.TEXT : keys;
    return new BytesForm(ofKeys, values == null ? ofKeys : values);
  }

  /**
   * Checks that the forms go together.
   *
   * @throws ParameterException if they don't
   */
  void check(CommandSpec spec) {
    if (hasByteStrings() && hasLongs()) {
      throw new ParameterException(
          spec.commandLine(),
          "--keys is %s and --values is %s: both are int64, or neither".formatted(keys, values));
    }
  }

  /**
   * Checks that the forms are those of an index.
   *
   * @throws CommandFailure if they are for the other kind
   */
  void check(IndexSummary index) {
    if (index.hasByteStrings() ? hasLongs() : hasByteStrings()) {
      throw new CommandFailure(
          "%s: index '%s' has %s"
              .formatted(
                  index.path(),
                  index.index().name(),
                  index.hasByteStrings()
                      ? "byte strings; --keys text or --keys hex is for them"
                      : "longs; --keys and --values are for byte strings"));
    }
  }
}
