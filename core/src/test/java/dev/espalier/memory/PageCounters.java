// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/**
 * What a {@link CountingPageStore} has counted.
 *
 * @param pins pages pinned; one pinned twice counts twice
 * @param reads pages that a buffer pool would have read, because they were pinned or asked for
 *     ahead and not in it
 * @param readAheads pages asked for ahead, in the pool or not
 * @param allocated pages given out
 * @param freed pages taken back one by one
 */
public record PageCounters(long pins, long reads, long readAheads, long allocated, long freed) {}
