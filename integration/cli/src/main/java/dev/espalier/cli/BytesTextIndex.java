// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.BytesNavigable;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** An index of byte strings, which are written as text or in hexadecimal. */
final class BytesTextIndex implements TextIndex {
  private final BytesIndex index;
  private final BytesForm form;
  private final CommandSpec spec;

  BytesTextIndex(BytesIndex index, BytesForm form, CommandSpec spec) {
    this.index = index;
    this.form = form;
    this.spec = spec;
  }

  @Override
  public void get(List<String> texts, EntryWriter entries, Consumer<String> missing) {
    List<byte[]> keys = texts.stream().map(text -> key("KEY", text)).toList();
    for (int i = 0; i < keys.size(); i++) {
      byte[] value = index.get(keys.get(i));
      if (value == null) {
        missing.accept(texts.get(i));
      } else {
        BytesForm.checkPrints(keys.get(i), value.length);
        entries.add(form, keys.get(i), value);
      }
    }
  }

  @Override
  public void scan(Range range, EntryWriter entries) {
    BytesNavigable part = part(range);
    BytesCursor cursor = (range.descending() ? part.descendingView() : part).cursor();
    for (long left = range.limit(); left > 0 && cursor.next(); left--) {
      byte[] key = cursor.keyArray();
      BytesForm.checkPrints(key, cursor.valueBytes());
      if (!entries.add(form, key, cursor.valueArray())) {
        return;
      }
    }
  }

  private BytesNavigable part(Range range) {
    if (range.prefix() != null) {
      return index.prefixView(key("--prefix", range.prefix()));
    }
    byte[] from = bound("FROM", range.from());
    byte[] to = bound("TO", range.to());
    if (from == null) {
      return to == null ? index : index.headView(to, true);
    }
    if (to == null) {
      return index.tailView(from, true);
    }
    if (Arrays.compareUnsigned(from, to) > 0) {
      throw wrongArgument(
          "FROM is %s, which comes after TO, %s".formatted(KeyText.of(from), KeyText.of(to)));
    }
    return index.subView(from, true, to, true);
  }

  private byte @Nullable [] bound(String name, @Nullable String text) {
    return text == null ? null : key(name, text);
  }

  private byte[] key(String name, String text) {
    byte[] key;
    try {
      key = form.key(text);
    } catch (IllegalArgumentException e) {
      throw wrongArgument(name + ": " + e.getMessage());
    }
    if (key.length > BytesIndex.MAX_KEY) {
      throw wrongArgument(
          "%s has %d bytes; a key has at most %d".formatted(name, key.length, BytesIndex.MAX_KEY));
    }
    return key;
  }

  private ParameterException wrongArgument(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
