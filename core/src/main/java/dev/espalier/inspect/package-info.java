// SPDX-License-Identifier: Apache-2.0
/** Looking into a tree from outside: a common view of nodes, statistics, printing, verification. */
@NullMarked
package dev.espalier.inspect;

import org.jspecify.annotations.NullMarked;
