// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import java.lang.StackWalker.StackFrame;
import java.util.Set;

/**
 * A force that some code does.
 *
 * @param kind what it makes safe
 * @param place the class and method that do it
 */
public record Force(ForceKind kind, String place) {
  private static final StackWalker STACK = StackWalker.getInstance();
  private static final String HERE = Force.class.getPackageName();

  /** Classes that only pass a force on. */
  private static final Set<String> PASSING_ON = Set.of("SystemFiles", "StripedPageFile", "ForEach");

  /** Returns the force that a recorder was called for just now. */
  static Force ofCaller(ForceKind kind) {
    String place =
        STACK.walk(
            frames ->
                frames
                    .filter(frame -> !frame.getClassName().startsWith(HERE))
                    .filter(frame -> !PASSING_ON.contains(simpleName(frame)))
                    .map(Force::name)
                    .findFirst()
                    .orElseThrow());
    return new Force(kind, place);
  }

  private static String name(StackFrame frame) {
    return simpleName(frame) + "." + frame.getMethodName();
  }

  private static String simpleName(StackFrame frame) {
    String name = frame.getClassName();
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
