// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On a parameterized test: each run takes its part of the invocations, as of the tests that have a
 * shape as an argument.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Drawn {}
