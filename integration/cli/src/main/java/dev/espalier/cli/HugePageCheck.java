// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.IndexOptions;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.ffi.VirtualMemory;
import dev.espalier.inspect.IndexStatistics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Finds out what no setting tells for sure: whether an index that has grown lies in huge pages. */
final class HugePageCheck {
  private static final Path MEMORY_OF_PROCESS = Path.of("/proc/self/smaps_rollup");
  private static final Path SETTING = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

  /** An index of about 64 MiB. */
  private static final int ENTRIES = 4_000_000;

  private HugePageCheck() {}

  /** Fills an index and says in one line how much of it is in huge pages, and if little, why. */
  static String report() {
    String setting = read(SETTING).strip();
    String suffix = setting.isEmpty() ? "" : "; transparent_hugepage is " + setting;
    OptionalLong before = hugeBytes();
    try (LongIndex index = PbPlusTree.create(IndexOptions.DEFAULT)) {
      index.bulkload(new Numbers(), 1.0, ENTRIES, ProgressListener.NONE);
      IndexStatistics statistics = index.statistics();
      OptionalLong after = hugeBytes();
      if (!statistics.hugePages()) {
        return "not granted: " + VirtualMemory.status().detail() + suffix;
      }
      if (before.isEmpty() || after.isEmpty()) {
        return "granted, but this system does not tell how many" + suffix;
      }
      return report(after.getAsLong() - before.getAsLong(), statistics.committedBytes()) + suffix;
    }
  }

  private static String report(long hugeBytes, long bytes) {
    long huge = Math.clamp(hugeBytes, 0, bytes);
    String share = "%d of %d MiB of a test index".formatted(huge >> 20, bytes >> 20);
    return huge == 0 ? "none, " + share : share;
  }

  /** The part of the process's memory that is in huge pages. */
  private static OptionalLong hugeBytes() {
    return read(MEMORY_OF_PROCESS)
        .lines()
        .filter(line -> line.startsWith("AnonHugePages:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
        .findFirst();
  }

  /** The text of a file; none where there is no such file. */
  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "";
    }
  }

  /** The first numbers from 0 on. */
  private static final class Numbers implements LongEntrySource {
    private int number = -1;

    @Override
    public boolean next() {
      number++;
      return number < ENTRIES;
    }

    @Override
    public long key() {
      return number;
    }

    @Override
    public long value() {
      return number;
    }
  }
}
