// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import dev.espalier.bytes.BytesIndex;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Applies the log of a damaged store, as far as it has no gap, to what was saved. */
final class SalvageLog {
  private final StoreState state;
  private final StoreHeader header;
  private final List<String> findings;
  private final Map<Long, byte[]> segments = new HashMap<>();
  private long sequence;
  private long records;
  private @Nullable String missing;

  SalvageLog(StoreState state, List<String> findings) {
    this.state = state;
    this.header = state.header;
    this.findings = findings;
    this.sequence = header.sequence();
  }

  /** Returns how many records were carried out. */
  long records() {
    return records;
  }

  /**
   * Carries out what the log tells.
   *
   * @param longs returns an index of longs by its id, null if it is not known
   * @param byteStrings the same of byte strings
   * @return why later writes may be missing, null if they are not
   */
  @Nullable String replay(
      IntFunction<@Nullable LongIndex> longs, IntFunction<@Nullable BytesIndex> byteStrings) {
    open();
    if (header.epoch() == 0 || (header.clean() && !segments.containsKey(header.logSegment()))) {
      return missing; // The store was closed, or is new.
    }
    if (!segments.containsKey(header.logSegment())) {
      return "segment %d of the log is missing".formatted(header.logSegment());
    }
    Replay replay =
        new Replay(
            id -> known(longs.apply(id), id),
            id -> known(byteStrings.apply(id), id),
            state.pool.bytes());
    try {
      long number = header.logSegment();
      for (int at = (int) header.logOffset(); at >= 0; number++) {
        replay(replay, number, at);
        at = beginsNext(number + 1) ? LogSegment.HEADER_BYTES : -1;
      }
      replay.finish();
    } catch (IllegalStateException | IllegalArgumentException unknown) {
      missing = "its log can't be carried out: " + unknown.getMessage();
    }
    if (missing == null && goesOn()) {
      missing = "the log is damaged after record %d".formatted(sequence);
    }
    return missing;
  }

  private static <T> T known(@Nullable T index, int id) {
    if (index == null) {
      throw new IllegalStateException("the log tells of index " + id);
    }
    return index;
  }

  /** Reads all segments of the store. */
  private void open() {
    StoreFiles files = state.environment.files();
    files.beside(state.path).stream()
        .filter(file -> LogFiles.number(state.path, file) >= 0)
        .forEach(
            file -> {
              try {
                LogSegment segment = LogSegment.open(files, file, Access.READ);
                try (PageFile _ = segment.file) {
                  LogSegment.Header first = segment.header();
                  if (first != null && first.storeId() == header.storeId()) {
                    segments.put(first.number(), segment.contents());
                  } else if (first == null && !isZeros(segment.contents())) {
                    findings.add(file + ": its first block is damaged");
                  }
                }
              } catch (PageFileException failed) {
                findings.add(failed.getMessage());
              }
            });
  }

  private static boolean isZeros(byte[] bytes) {
    for (byte each : bytes) {
      if (each != 0) {
        return false;
      }
    }
    return true;
  }

  private boolean beginsNext(long number) {
    byte[] segment = segments.get(number);
    LogSegment.Header first = segment == null ? null : LogSegment.Header.read(block(segment));
    return first != null && first.epoch() == header.epoch() && first.first() == sequence + 1;
  }

  private static byte[] block(byte[] segment) {
    return Arrays.copyOf(segment, LogSegment.HEADER_BYTES);
  }

  private void replay(Replay replay, long number, int from) {
    byte[] bytes = Objects.requireNonNull(segments.get(number));
    int at = from;
    while (true) {
      LogRecord.Header record = LogRecord.read(bytes, at, header.storeId(), number);
      boolean isNext =
          record != null && record.epoch() == header.epoch() && record.sequence() == sequence + 1;
      if (record == null || !isNext) {
        int next = (int) LogRecord.nextBlock(at);
        if (next == at) {
          return;
        }
        at = next;
        continue;
      }
      if (isOfLaterHeader(record)) {
        return;
      }
      int payload = at + LogRecord.HEADER_BYTES;
      if (record.kind() == LogRecord.NOTE) {
        state.note = Arrays.copyOfRange(bytes, payload + 1, payload + record.length());
      } else {
        replay.add(bytes, payload, record.length());
      }
      sequence++;
      records++;
      at += LogRecord.logBytes(record.length());
    }
  }

  private boolean isOfLaterHeader(LogRecord.Header record) {
    int ahead = record.checkpoint() - (int) header.checkpoint() & 0xffffff;
    if (ahead == 0 || ahead >= 1 << 23) {
      return false;
    }
    missing =
        "the log tells of checkpoint %d, but the newest header is that of %d"
            .formatted(record.checkpoint(), header.checkpoint());
    return true;
  }

  /** Tells whether there is a record after the last one that was carried out. */
  private boolean goesOn() {
    for (Map.Entry<Long, byte[]> segment : segments.entrySet()) {
      byte[] bytes = segment.getValue();
      for (int at = LogSegment.HEADER_BYTES; at < bytes.length; at += LogRecord.ALIGNMENT) {
        LogRecord.Header record = LogRecord.read(bytes, at, header.storeId(), segment.getKey());
        if (record != null && record.epoch() == header.epoch() && record.sequence() > sequence) {
          return true;
        }
      }
    }
    return false;
  }
}
