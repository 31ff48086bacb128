// SPDX-License-Identifier: Apache-2.0
package dev.espalier.support;

/**
 * What is done to a key, once it arrives in a leaf: the kinds of messages, and how two of one key
 * become one.
 */
public final class Message {
  /** No message. */
  public static final int NONE = 0;

  /** The key has this value. */
  public static final int PUT = 1;

  /** The key has no entry. The message's value is 0, as if there were a sum that is empty. */
  public static final int DELETE = 2;

  /** The value is added to the key's, or to 0 if it has none. */
  public static final int ADD = 3;

  private Message() {}

  /** Tells whether this is the kind of a message. */
  public static boolean isKind(int kind) {
    return kind >= PUT && kind <= ADD;
  }

  /** Returns the kind of a message that does what {@code older} and after it {@code newer} do. */
  public static int combinedKind(int newer, int older) {
    return newer == ADD && (older == PUT || older == DELETE) ? PUT : newer;
  }

  /** Returns the value of a message that does what an older one and after it a newer one do. */
  public static long combinedValue(int newer, long newerValue, long olderValue) {
    return newer == ADD ? olderValue + newerValue : newerValue;
  }
}
