// SPDX-License-Identifier: Apache-2.0
/**
 * Inspection of trees: a common view of nodes, statistics, a printer, and the exception thrown by
 * verification.
 */
@NullMarked
package dev.espalier.inspect;

import org.jspecify.annotations.NullMarked;
