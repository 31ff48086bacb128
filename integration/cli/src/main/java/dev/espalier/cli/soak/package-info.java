// SPDX-License-Identifier: Apache-2.0

/**
 * Laboratories that compare indexes with what is plainly right, for as long as one likes: long runs
 * of calls against a map, and what crashes leave of a store. They use what any program may use.
 */
@NullMarked
package dev.espalier.cli.soak;

import org.jspecify.annotations.NullMarked;
