// SPDX-License-Identifier: Apache-2.0

/**
 * The board: YCSB's core workloads and those of {@code db_bench}, on every store that is on the
 * class path. Each store runs in a JVM of its own, and every answer is checked.
 */
@NullMarked
package dev.espalier.benchmarks.board;

import org.jspecify.annotations.NullMarked;
