// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tuple;

/** The first byte of each part, which tells its type. */
final class TupleCode {
  /* Overview
   *
   * Codes below 40 and what follows them are those of FoundationDB's tuple layer; 40 to 4F it leaves
   * to its users. Parts of different types are ordered as their codes are.
   *
   *   00        null; 00 FF in a nested tuple
   *   01        bytes, each 00 as 00 FF; end
   *   02        string in UTF-8, each 00 as 00 FF; end
   *   05        nested tuple: its parts; end
   *   0B        negative integer of more than 8 bytes: its length, inverted, and body
   *   0C .. 13  negative integer of 8 .. 1 bytes; the body of one of n bytes is value + 2^(8n) - 1
   *   14        0
   *   15 .. 1C  positive integer of 1 .. 8 bytes
   *   1D        positive integer of more than 8 bytes: its length and body
   *   20, 21    float, double: the bits, all inverted if it is negative, else the sign alone
   *   26, 27    false, true
   *   30        UUID: 16 bytes
   *   40        decimal: 1, 2 or 3 if it is negative, 0 or positive; then, but for 0, its exponent as
   *             an integer, its digits in pairs, each as pair + 1, and 00. Of a negative one, the
   *             exponent has the other sign, and the bytes after it are inverted
   *   41        date: days since 1970-01-01 as an integer
   *   42        time of day: nanoseconds as an integer
   *   43        instant: seconds since 1970-01-01T00:00Z, and nanoseconds, as integers
   *   44        date and time of day, as after 41 and 42
   *   45        instant with a time zone: as after 43; the zone's name, as after 02
   *   4D        descending part: all bytes of the part, inverted
   *
   * An end is 00, and nothing but FF would make an escaped zero of it: no code is FF. But it makes
   * "a" the beginning of "a\0", so inverting both would leave them in ascending order. Within a
   * descending part an end is 00 00 before it is inverted.
   */

  static final int NULL = 0x00;
  static final int BYTES = 0x01;
  static final int STRING = 0x02;
  static final int TUPLE = 0x05;
  static final int BIG_NEGATIVE = 0x0B;
  static final int ZERO = 0x14;
  static final int BIG_POSITIVE = 0x1D;
  static final int FLOAT = 0x20;
  static final int DOUBLE = 0x21;
  static final int FALSE = 0x26;
  static final int TRUE = 0x27;
  static final int UUID = 0x30;
  static final int DECIMAL = 0x40;
  static final int DATE = 0x41;
  static final int TIME = 0x42;
  static final int INSTANT = 0x43;
  static final int DATE_TIME = 0x44;
  static final int ZONED = 0x45;
  static final int DESCENDING = 0x4D;

  /** Follows a zero that is not an end. */
  static final int ESCAPE = 0xFF;

  static final int NEGATIVE_DECIMAL = 1;
  static final int ZERO_DECIMAL = 2;
  static final int POSITIVE_DECIMAL = 3;

  /** The maximum number of bytes of an integer. */
  static final int MOST_INTEGER_BYTES = 255;

  /** How deep tuples may be nested. */
  static final int MOST_DEPTH = 64;

  private TupleCode() {}
}
