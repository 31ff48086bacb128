// SPDX-License-Identifier: Apache-2.0
/**
 * The prefetching B+-tree for many threads at once, by optimistic lock coupling ({@link
 * dev.espalier.concurrent.ConcurrentPbPlusTree}), and an index that is replaced while others read
 * it ({@link dev.espalier.concurrent.SwappableIndex}).
 */
@NullMarked
package dev.espalier.concurrent;

import org.jspecify.annotations.NullMarked;
