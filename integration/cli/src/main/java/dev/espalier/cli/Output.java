// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a command writes to. It remembers why it could not be written, which a {@link PrintWriter}
 * forgets, and wipes out a progress bar first.
 */
final class Output extends PrintWriter {
  private final Watched watched;

  Output(Writer target) {
    this(new Watched(target));
  }

  private Output(Watched watched) {
    super(watched, true);
    this.watched = watched;
  }

  /** Returns why something could not be written, or null if all was. */
  @Nullable IOException failure() {
    flush();
    return watched.failure;
  }

  /** Tells whether the reader closed the pipe, as {@code head} does: it wants no more. */
  static boolean isClosedPipe(IOException failure) {
    return String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT).contains("broken pipe");
  }

  private static final class Watched extends FilterWriter {
    private @Nullable IOException failure;

    Watched(Writer target) {
      super(target);
    }

    @FunctionalInterface
    private interface Writing {
      void run() throws IOException;
    }

    private void watch(Writing writing) throws IOException {
      ProgressBar.wipe();
      try {
        writing.run();
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        }
        throw e;
      }
    }

    @Override
    public void write(int character) throws IOException {
      watch(() -> out.write(character));
    }

    @Override
    public void write(char[] characters, int from, int count) throws IOException {
      watch(() -> out.write(characters, from, count));
    }

    @Override
    public void write(String text, int from, int count) throws IOException {
      watch(() -> out.write(text, from, count));
    }

    @Override
    public void flush() throws IOException {
      watch(out::flush);
    }
  }
}
