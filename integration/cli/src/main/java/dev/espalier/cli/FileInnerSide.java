// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongIndex;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.io.BufferPool;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.PoolCounters;
import dev.espalier.join.JoinOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** An index in a file, probed by the join operator through a buffer pool. */
final class FileInnerSide implements InnerSide<LongJoinInput> {
  private final LongIndex index;
  private final IndexInnerSide probed;
  private final BufferPool pool;
  private final long bytes;

  private FileInnerSide(IndexSummary file, BufferPool pool, int threads) {
    this.index =
        IndexFiles.open(
            file.path(), FileOptions.DEFAULT.withPool(pool).withFlags(FileOption.READ_ONLY));
    this.probed = new IndexInnerSide(index, threads);
    this.pool = pool;
    this.bytes = (long) file.pages() * file.pageBytes();
  }

  /**
   * Makes sure that a file holds the inner side's keys: loads them if there is no file. If the
   * process is told to end, a file that was made is deleted, until {@link Interruption#keep}.
   *
   * @param options for a new file
   * @throws CommandFailure if the file holds other entries
   */
  static IndexSummary load(Path path, FileOptions options, long[] keys, ProgressBar progress) {
    if (!Files.exists(path)) {
      IndexFiles.checkNew(path, options);
      IndexFiles.make(
          path,
          options,
          Espalier.NAME,
          LongInput.ofTable(keys),
          1.0,
          progress.listener("writing " + path));
      Interruption.deleteAtEnd(List.of(path));
    }
    try (LongIndex index = IndexFiles.open(path, options.withFlags(FileOption.READ_ONLY))) {
      int last = keys.length - 1;
      if (index.size() != keys.length || index.get(keys[0]) != 0 || index.get(keys[last]) != last) {
        throw new CommandFailure(
            "%s has %d entries, which are not the %d rows of orders at this scale"
                .formatted(path, index.size(), keys.length));
      }
    }
    return IndexFiles.describe(path, options);
  }

  /**
   * Returns the kind of a file that holds the inner side's keys already: to build it is to open it.
   * Without a sample to warm up, since the file has but one content; a pass comes first anyway.
   */
  static Kind<LongJoinInput> kind(
      IndexSummary file, BufferPool pool, List<ProbeMethod> methods, int threads) {
    return new Kind<>(
        file.kind(), methods, _ -> new FileInnerSide(file, pool, threads), 0, threads, false);
  }

  @Override
  public long bytes(long heapGrowth) {
    return bytes;
  }

  @Override
  public JoinDigest join(LongJoinInput input, JoinOptions options) {
    return probed.join(input, options);
  }

  @Override
  public Optional<PoolCounters> pool() {
    return Optional.of(pool.counters());
  }

  @Override
  public void close() {
    index.close();
  }
}
