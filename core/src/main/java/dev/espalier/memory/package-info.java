// SPDX-License-Identifier: Apache-2.0
/**
 * The native memory that holds nodes and pages, and the accessors by which all trees read and write
 * it. For those who build trees; users of indexes need {@link dev.espalier.memory.HugePages} and
 * {@link dev.espalier.memory.MemoryLimitException} only.
 */
@NullMarked
package dev.espalier.memory;

import org.jspecify.annotations.NullMarked;
