// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/**
 * What a buffer pool has done so far. Counts are of pages unless said otherwise. Every pin is a hit
 * or a miss, whichever thread makes it.
 *
 * @param hits pins that found their page
 * @param misses pins that had to read their page, or to wait for a read that had already begun
 * @param readAheads pages that were asked for ahead and were not in the pool
 * @param readAheadsWasted pages read ahead that made room for others before they were pinned
 * @param written pages written to files
 * @param writeRequests requests by which pages were written; neighbours share one
 * @param evictions pages that had to make room for others
 * @param readWaves batches of reads that were handed to a device at once
 * @param mostInFlight most reads that were under way at once: the depth of the queue
 */
public record PoolCounters(
    long hits,
    long misses,
    long readAheads,
    long readAheadsWasted,
    long written,
    long writeRequests,
    long evictions,
    long readWaves,
    int mostInFlight) {}
