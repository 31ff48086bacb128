// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.io.PrintWriter;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Which index file a command prints entries of, and how. */
final class EntryArguments {

  @Mixin private final ReaderArguments reader = new ReaderArguments();

  @Mixin private final FormArguments form = new FormArguments();

  @Option(
      names = "--json-lines",
      description =
          "Print each entry as a JSON object in a line of its own, {\"key\":...,\"value\":...};"
              + " with hexadecimal digits, keyHex and valueHex.")
  private boolean jsonLines;

  ReaderArguments reader() {
    return reader;
  }

  BytesForm form() {
    return form.ofBytes();
  }

  /** Checks that what was given goes together, and suits the file. */
  void check(CommandSpec spec) {
    form.check(spec);
    form.check(reader.describe());
  }

  /** Opens the index, works with its text and closes it. */
  int read(CommandSpec spec, ToIntFunction<TextIndex> work) {
    check(spec);
    return reader.read(
        longs -> work.applyAsInt(new LongTextIndex(longs, spec)),
        strings -> work.applyAsInt(new BytesTextIndex(strings, form(), spec)));
  }

  /** Returns what prints entries. */
  EntryWriter writer(PrintWriter out) {
    return new EntryWriter(out, jsonLines);
  }
}
