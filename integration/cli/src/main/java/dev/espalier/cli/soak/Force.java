// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import java.lang.StackWalker.StackFrame;

/**
 * A force that some code does.
 *
 * @param kind what it makes safe
 * @param place the class and method that do it
 */
public record Force(ForceKind kind, String place) {
  private static final StackWalker STACK = StackWalker.getInstance();
  private static final String HERE = Force.class.getPackageName();

  /** Returns the force that a recorder was called for just now. */
  static Force ofCaller(ForceKind kind) {
    String place =
        STACK.walk(
            frames ->
                frames
                    .filter(frame -> !frame.getClassName().startsWith(HERE))
                    .filter(frame -> !frame.getClassName().endsWith("SystemFiles"))
                    .map(Force::name)
                    .findFirst()
                    .orElseThrow());
    return new Force(kind, place);
  }

  private static String name(StackFrame frame) {
    String name = frame.getClassName();
    return name.substring(name.lastIndexOf('.') + 1) + "." + frame.getMethodName();
  }
}
