// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.node.Bits;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** An index of longs, whose keys are written as decimal numbers. */
final class LongTextIndex implements TextIndex {
  private final LongIndex index;
  private final CommandSpec spec;

  LongTextIndex(LongIndex index, CommandSpec spec) {
    this.index = index;
    this.spec = spec;
  }

  @Override
  public void get(List<String> texts, EntryWriter entries, Consumer<String> missing) {
    long[] keys = texts.stream().mapToLong(text -> key("KEY", text)).toArray();
    long[] values = new long[keys.length];
    long[] found = new long[Bits.words(keys.length)];
    index.getAll(keys, 0, values, 0, keys.length, found);
    for (int i = 0; i < keys.length; i++) {
      if (Bits.has(found, i)) {
        entries.add(keys[i], values[i]);
      } else {
        missing.accept(String.valueOf(keys[i]));
      }
    }
  }

  @Override
  public void scan(Range range, EntryWriter entries) {
    if (range.prefix() != null) {
      throw wrongArgument("--prefix is for byte strings, and this index has longs");
    }
    long from = bound("FROM", range.from(), Long.MIN_VALUE);
    long to = bound("TO", range.to(), Long.MAX_VALUE);
    if (from > to) {
      throw wrongArgument("FROM is " + from + ", which is larger than TO, " + to);
    }
    LongCursor cursor = index.cursor();
    boolean found;
    if (range.descending()) {
      found = cursor.floor(to);
    } else {
      cursor.scanTo(to);
      found = cursor.ceiling(from);
    }
    long left = range.limit();
    while (found && left > 0 && cursor.key() >= from && cursor.key() <= to) {
      if (!entries.add(cursor.key(), cursor.value())) {
        break;
      }
      left--;
      found = left > 0 && (range.descending() ? cursor.previous() : cursor.next());
    }
  }

  private long bound(String name, @Nullable String text, long otherwise) {
    return text == null ? otherwise : key(name, text);
  }

  private long key(String name, String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException _) {
      throw wrongArgument(
          "%s is '%s'; it must be a decimal number from -2^63 to 2^63-1".formatted(name, text));
    }
  }

  private ParameterException wrongArgument(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
