// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/**
 * How large a store is, and what was done to it.
 *
 * @param checkpoint number of the last durable checkpoint
 * @param fileBytes bytes of the file
 * @param usedBytes bytes of the file that are in use, by the indexes as they are now and as of the
 *     last checkpoint
 * @param logSegments files of the log, including those without contents
 * @param pageBytesWritten bytes of the trees' pages written since the store was opened
 * @param mapBytesWritten bytes of maps and catalogues, which say where those pages are, written
 *     since then
 * @param loggedBytes bytes of the records added to the log since then
 * @param forces how often a commit waited for the device since then
 * @param pool the pool that has the pages, which other files may share
 */
public record StoreStatistics(
    long checkpoint,
    long fileBytes,
    long usedBytes,
    int logSegments,
    long pageBytesWritten,
    long mapBytesWritten,
    long loggedBytes,
    long forces,
    PoolStatistics pool) {

  /** Returns those of an open store. */
  static StoreStatistics of(StoreState state, Checkpoints checkpoints) {
    return new StoreStatistics(
        state.header.checkpoint(),
        (long) state.space.room() * state.pageBytes(),
        (long) state.space.busyCount() * state.pageBytes(),
        state.log == null ? 0 : state.log.segments(),
        state.space.writtenCount() * state.pageBytes(),
        checkpoints.mapBytesWritten(),
        state.log == null ? 0 : state.log.appendedBytes(),
        state.log == null ? 0 : state.log.forces(),
        state.pool.statistics());
  }
}
