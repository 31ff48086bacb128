// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

/**
 * What buffered access has done so far.
 *
 * @param probes probes added
 * @param updates updates added
 * @param waiting probes and updates that are not answered or applied yet
 * @param flushes how often all were answered
 * @param nodes the virtual nodes in use
 * @param bufferBytes bytes of memory that hold probes
 */
public record BufferStatistics(
    long probes, long updates, long waiting, long flushes, VirtualNodes nodes, long bufferBytes) {}
