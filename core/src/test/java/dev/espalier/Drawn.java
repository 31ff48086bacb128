// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On a parameterized test: whether each run takes its part of the invocations, as of the tests that
 * have a shape as an argument.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Drawn {
  /**
   * False on a test with shapes of which each run has all: they are few, and each reaches code that
   * no other does.
   */
  boolean value() default true;
}
