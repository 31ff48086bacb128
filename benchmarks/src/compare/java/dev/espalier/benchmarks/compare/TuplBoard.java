// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.compare;

import dev.espalier.benchmarks.TemporaryFolder;
import dev.espalier.benchmarks.board.BoardSession;
import dev.espalier.benchmarks.board.BoardStore;
import dev.espalier.benchmarks.board.Coding;
import dev.espalier.benchmarks.board.Setting;
import dev.espalier.benchmarks.board.Word;
import it.unimi.dsi.fastutil.ints.IntArrays;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import org.cojen.tupl.Cursor;
import org.cojen.tupl.Database;
import org.cojen.tupl.DatabaseConfig;
import org.cojen.tupl.DurabilityMode;
import org.cojen.tupl.Index;
import org.cojen.tupl.Transaction;
import org.jspecify.annotations.Nullable;

/** TuplDB under a crew of threads. */
final class TuplBoard implements BoardStore {
  private final TemporaryFolder folder = new TemporaryFolder("tupl");
  private final Coding coding;
  private final DurabilityMode durability;
  private final Database store;
  private final Index index;

  TuplBoard(Setting setting) {
    coding = new Coding(setting.kind());
    durability = setting.isDurable() ? DurabilityMode.SYNC : DurabilityMode.NO_FLUSH;
    DatabaseConfig config = new DatabaseConfig().durabilityMode(DurabilityMode.NO_FLUSH);
    if (!setting.isAsItComes()) {
      config
          .minCacheSize(setting.poolBytes())
          .maxCacheSize(setting.poolBytes())
          .directPageAccess(true);
    }
    if (setting.data() != Setting.Data.MEMORY) {
      config.baseFile(folder.path().resolve("store").toFile());
    }
    try {
      store = Database.open(config);
      index = store.openIndex("entries");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public BoardSession session(int threads) {
    return new Session();
  }

  @Override
  public void close() {
    try {
      store.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    folder.delete();
  }

  /** A session has no state: buffers are arrays that the store keeps or returns. */
  private final class Session implements BoardSession {

    private long word(byte @Nullable [] value) {
      return value == null ? Word.ABSENT : coding.word(MemorySegment.ofArray(value));
    }

    @Override
    public long read(long entry) {
      try {
        return word(index.load(null, coding.keyArray(entry)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void write(long entry, long word) {
      try {
        index.store(null, coding.keyArray(entry), coding.valueArray(word));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void remove(long entry) {
      try {
        index.delete(null, coding.keyArray(entry));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void scan(long entry, int count, Visitor visitor) {
      Cursor cursor = index.newCursor(null);
      try {
        cursor.findGe(coding.keyArray(entry));
        for (int left = count; left > 0 && cursor.key() != null; left--) {
          visitor.visit(coding.key(MemorySegment.ofArray(cursor.key())), word(cursor.value()));
          cursor.next();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } finally {
        cursor.reset();
      }
    }

    @Override
    public void writeTogether(long[] entries, long[] words, int count) {
      inOrder(
          entries,
          count,
          (txn, i) -> index.store(txn, coding.keyArray(entries[i]), coding.valueArray(words[i])));
    }

    @Override
    public void removeTogether(long[] entries, int count) {
      inOrder(entries, count, (txn, i) -> index.delete(txn, coding.keyArray(entries[i])));
    }

    private void inOrder(long[] entries, int count, Step step) {
      int[] order = IntStream.range(0, count).toArray();
      // Stable: of two writes of an entry the later one counts.
      IntArrays.mergeSort(
          order, (a, b) -> Long.compare(Setting.key(entries[a]), Setting.key(entries[b])));
      Transaction txn = store.newTransaction(durability);
      try {
        for (int i : order) {
          step.take(txn, i);
        }
        txn.commit();
        txn.reset();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** One write of several. */
  @FunctionalInterface
  private interface Step {
    void take(Transaction txn, int i) throws IOException;
  }
}
