// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesIndex;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Brings a store and its log together: carries out again what follows the checkpoint, up to the
 * last complete record, and ends with a checkpoint of a new epoch. It may itself be cut off at any
 * point: until the new header is durable, nothing that the old one needs is changed.
 */
final class Recovery {
  private final StoreState state;
  private final Checkpoints checkpoints;
  private final StoreHeader header;
  private final StoreFiles files;
  private final ProgressListener listener;

  private final Map<Long, LogSegment> numbered = new HashMap<>();
  private final List<LogSegment> others = new ArrayList<>();
  private int nextFile;
  private long nextNumber;

  /** The last record that counts. */
  private long sequence;

  private long records;
  private long logBytes;
  private String end = "";

  /**
   * Begins.
   *
   * @param listener told of bytes of the log
   */
  Recovery(StoreState state, Checkpoints checkpoints, ProgressListener listener) {
    this.listener = listener;
    this.state = state;
    this.checkpoints = checkpoints;
    this.header = state.header;
    this.files = state.environment.files();
    this.sequence = header.sequence();
  }

  RecoveryReport recover() {
    List<LogSegment> needed = new ArrayList<>();
    try {
      checkpoints.reserve();
      openSegments();
      Replay replay = new Replay(this::longs, this::byteStrings, state.pool.bytes());
      // Trees that recovery opens write their pages, but no log.
      replay(replay, needed);
      replay.finish();
      begin(needed);
      if (needed.isEmpty()) {
        prepareLog(); // Before the file of the pages grows and takes what room there is.
      }
      if (keeps(Rule.RECOVERY_ENDS_IN_A_CHECKPOINT)) {
        checkpoints.make(false);
      }
      prepareLog();
      closeTrees();
      return new RecoveryReport(
          header.clean(), header.checkpoint(), records, replay.writes(), logBytes, end);
    } catch (RuntimeException | Error failed) {
      if (state.log == null) {
        LogFiles.close(numbered.values());
        LogFiles.close(others);
      }
      throw failed;
    }
  }

  // ---------------------------------------------------------------- segments

  /** Opens all files of the log, and makes sure that what they show is not in memory only. */
  private void openSegments() {
    nextNumber = header.logSegment() + 1;
    for (Path file : files.beside(state.path)) {
      int number = LogFiles.number(state.path, file);
      if (number < 0) {
        continue;
      }
      nextFile = Math.max(nextFile, number + 1);
      LogSegment segment = LogSegment.open(files, file, Access.WRITE);
      segment.file.force();
      LogSegment.Header first = segment.header();
      if (first == null || first.storeId() != header.storeId()) {
        others.add(segment);
        continue;
      }
      segment.number = first.number();
      nextNumber = Math.max(nextNumber, first.number() + 1);
      LogSegment same = numbered.put(first.number(), segment);
      if (same != null) {
        others.add(same);
      }
    }
  }

  /** Begins a new segment; those that were read stay until the checkpoint is durable. */
  private void begin(List<LogSegment> needed) {
    List<LogSegment> unused = new ArrayList<>(others);
    numbered.values().stream().filter(segment -> !needed.contains(segment)).forEach(unused::add);
    unused.removeIf(segment -> segment.bytes < state.options.segmentBytes() && discard(segment));
    StoreHeader next = header.nextEpoch();
    state.header = next;
    LogIdentity identity =
        new LogIdentity(
            files,
            state.path,
            header.storeId(),
            next.epoch(),
            header.segmentBytes(),
            state.options.files().flags().contains(FileOption.SECTORS_MAY_TEAR)
                && keeps(Rule.ACKNOWLEDGED_BLOCKS_STAY));
    state.log =
        new Log(
            identity,
            state.condition,
            new LogSegments(identity, needed, unused, nextFile),
            nextNumber,
            sequence,
            header.checkpoint());
  }

  /** Keeps room for the log of the next recovery, which may find the device full. */
  private void prepareLog() {
    try {
      state.log.prepare();
    } catch (PageFileException failed) {
      if (!SlotSpace.isFull(failed)) {
        throw failed;
      }
    }
  }

  private boolean discard(LogSegment segment) {
    segment.file.close();
    files.delete(segment.path());
    return true;
  }

  // ---------------------------------------------------------------- replay

  private void replay(Replay replay, List<LogSegment> needed) {
    long number = header.logSegment();
    long offset = header.logOffset();
    if (header.epoch() == 0) {
      end = "the store is new";
      return;
    }
    LogSegment segment = numbered.get(number);
    if (segment == null && header.clean()) {
      end = "the store was closed"; // and its file alone is all of it
      return;
    }
    if (segment == null) {
      throw damage("segment " + number + " of its log is missing");
    }
    long total = bytesFrom(number);
    long done = 0;
    long most = numbered.values().stream().mapToLong(each -> each.bytes).max().orElseThrow();
    try (LogReader reader = new LogReader(numbered::get, most)) {
      while (segment != null) {
        needed.add(segment);
        replay(replay, segment, reader, offset);
        done += segment.bytes;
        if (!listener.onProgress(done, total)) {
          throw new CancellationException(state.path + ": recovering was cancelled");
        }
        number++;
        offset = LogSegment.HEADER_BYTES;
        segment = follower(number);
      }
    }
    end = "sequence number %d is not in segment %d".formatted(sequence + 1, number - 1);
  }

  /** Returns the bytes of a segment and of those that may follow it. */
  private long bytesFrom(long number) {
    return numbered.values().stream()
        .filter(segment -> segment.number >= number)
        .mapToLong(segment -> segment.bytes)
        .sum();
  }

  /** Returns the segment of a number if its first record is the next one. */
  private @Nullable LogSegment follower(long number) {
    LogSegment segment = numbered.get(number);
    LogSegment.Header first = segment == null ? null : segment.header();
    return first != null && isNext(first.epoch(), first.first()) ? segment : null;
  }

  private boolean isNext(int epoch, long number) {
    return (epoch == header.epoch() || !keeps(Rule.RECORDS_HAVE_AN_EPOCH))
        && (number == sequence + 1 || !keeps(Rule.SEQUENCE_HAS_NO_HOLE));
  }

  private boolean keeps(Rule rule) {
    return state.environment.keeps(rule);
  }

  private void replay(Replay replay, LogSegment segment, LogReader reader, long from) {
    byte[] bytes = reader.open(segment);
    boolean checked = keeps(Rule.RECORDS_HAVE_A_CHECKSUM);
    int at = (int) from;
    while (true) {
      reader.loadRecord(at);
      LogRecord.Header record =
          LogRecord.read(bytes, at, header.storeId(), segment.number, checked);
      if (record == null || !isNext(record.epoch(), record.sequence())) {
        int next = (int) LogRecord.nextBlock(at);
        if (next == at || next >= segment.bytes) {
          return;
        }
        at = next;
        continue;
      }
      if (record.checkpoint() != ((int) header.checkpoint() & 0xffffff)
          && isLater(record.checkpoint())) {
        throw damage(
            "its log tells of checkpoint %d, but the newest header is that of %d"
                .formatted(record.checkpoint(), header.checkpoint()));
      }
      int payload = at + LogRecord.HEADER_BYTES;
      if (record.kind() == LogRecord.NOTE) {
        state.note = Arrays.copyOfRange(bytes, payload + 1, payload + record.length());
      } else {
        replay.add(bytes, payload, record.length());
      }
      sequence++;
      records++;
      int length = LogRecord.logBytes(record.length());
      logBytes += length;
      at += length;
    }
  }

  /** Tells whether the low bits of a checkpoint's number say that it is later than the header's. */
  private boolean isLater(int low) {
    int ahead = low - (int) header.checkpoint() & 0xffffff;
    return ahead < 1 << 23;
  }

  private PageFileException damage(String what) {
    return new PageFileException(
        state.path, what + ": it is damaged, or of another time", PageFileException.NO_ERRNO);
  }

  // ---------------------------------------------------------------- trees

  private LongIndex longs(int id) {
    if (index(id) instanceof StoreIndex index) {
      return index.tree();
    }
    throw damage("its log has longs for index " + id + ", which is one of byte strings");
  }

  private BytesIndex byteStrings(int id) {
    if (index(id) instanceof StoreBytesIndex index) {
      return index.tree();
    }
    throw damage("its log has byte strings for index " + id + ", which is one of longs");
  }

  private OpenIndex index(int id) {
    for (IndexPages index : state.indexes.values()) {
      if (index.id == id) {
        OpenIndex open = state.openAny(index, new StoreWriter(state, checkpoints));
        state.open.put(index.name, open);
        return open;
      }
    }
    throw damage("its log tells of index " + id + ", which it does not have");
  }

  /** Closes the trees, whose pages are written; users open them with whatever variant they like. */
  private void closeTrees() {
    state.open.values().forEach(OpenIndex::closeTree);
    state.open.clear();
  }
}
