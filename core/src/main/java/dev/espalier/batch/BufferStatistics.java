// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

/**
 * What a buffered access has done so far.
 *
 * @param probes number of probes added
 * @param updates number of updates added
 * @param waiting number of probes and updates not yet answered or applied
 * @param flushes number of times that everything waiting was answered
 * @param nodes the virtual nodes in use
 * @param bufferBytes memory that holds waiting probes, in bytes
 */
public record BufferStatistics(
    long probes, long updates, long waiting, long flushes, VirtualNodes nodes, long bufferBytes) {}
