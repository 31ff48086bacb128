// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;

/**
 * Counts characters, and gives out no more than a limit between two calls of {@link #allowMore}: so
 * a line or a record without an end fills no heap.
 */
final class LimitedReader extends FilterReader {
  private final long most;
  private long read;
  private long limit;

  /** A line or a record is too long. */
  static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1;

    TooLongException(long most) {
      super("there are more than " + most + " characters");
    }
  }

  LimitedReader(Reader reader, long most) {
    super(reader);
    this.most = most;
    this.limit = most;
  }

  @Override
  public int read() throws IOException {
    int character = super.read();
    count(character < 0 ? 0 : 1);
    return character;
  }

  @Override
  public int read(char[] characters, int from, int count) throws IOException {
    int some = super.read(characters, from, count);
    count(Math.max(some, 0));
    return some;
  }

  private void count(int more) throws TooLongException {
    read += more;
    if (read > limit) {
      throw new TooLongException(most);
    }
  }

  /** Returns how many characters were read. */
  long count() {
    return read;
  }

  /** Is told that a line or a record has ended. */
  void allowMore() {
    limit = read + most;
  }
}
