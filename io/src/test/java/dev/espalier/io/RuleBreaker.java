// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Files of one life of a store after the other, that leave out what one rule demands. */
final class RuleBreaker extends StoreFilesAround {
  private final DiskRule broken;

  /** Whether the store was opened, and has not written a header since. */
  private boolean recovering;

  /** Whether the pages of a checkpoint were forced, and its header was not written yet. */
  private boolean beforeHeader;

  private boolean named;
  private boolean created;
  private @Nullable PageFile lastWritten;

  RuleBreaker(StoreFiles files, DiskRule broken) {
    super(files);
    this.broken = broken;
  }

  private void force(PageFile file, DiskRule rule) {
    if (rule == broken) {
      return;
    }
    if (broken != DiskRule.A_FAILED_FORCE_IS_NOT_TRIED_AGAIN) {
      file.force();
      return;
    }
    try {
      file.force();
    } catch (PageFileException failed) {
      file.force();
    }
  }

  @Override
  public PageFile openPages(Path path, Access access, int blockBytes) {
    recovering = true;
    beforeHeader = false;
    return new Pages(super.openPages(path, access, blockBytes), blockBytes);
  }

  @Override
  public PageFile openLog(Path path, Access access, int blockBytes) {
    created |= access == Access.CREATE;
    return new Segment(super.openLog(path, access, blockBytes), access == Access.CREATE);
  }

  @Override
  public void rename(Path from, Path to) {
    super.rename(from, to);
    named = true;
  }

  @Override
  public void forceNames(Path path) {
    DiskRule rule =
        named
            ? DiskRule.FORCE_THE_NAME_OF_A_NEW_STORE
            : created ? DiskRule.FORCE_THE_NAME_OF_A_SEGMENT : DiskRule.RECOVERY_FORCES_NAMES;
    named = false;
    created = false;
    if (rule != broken) {
      super.forceNames(path);
    }
  }

  // ---------------------------------------------------------------- pages

  private final class Pages extends PageFileAround {
    private final long headerBlock;
    private boolean isWritten;
    private boolean hasHeader;

    Pages(PageFile file, int pageBytes) {
      super(file);
      this.headerBlock = StoreHeader.areaBytes(pageBytes) / StoreHeader.COPIES;
    }

    private boolean isHeader(IoBatch batch) {
      return batch.count() > 0 && batch.position(0) < StoreHeader.COPIES * headerBlock;
    }

    @Override
    public void write(IoBatch batch) {
      isWritten = true;
      if (!isHeader(batch)) {
        super.write(batch);
        return;
      }
      hasHeader = true;
      beforeHeader = false;
      recovering = false;
      super.write(broken == DiskRule.HEADERS_HAVE_TWO_PLACES ? inOnePlace(batch) : batch);
    }

    private IoBatch inOnePlace(IoBatch batch) {
      IoBatch moved = new IoBatch(batch.memory(), batch.count());
      for (int i = 0; i < batch.count(); i++) {
        long block = batch.position(i) / headerBlock & -2;
        moved.add(block * headerBlock, batch.offset(i), batch.length(i));
      }
      return moved;
    }

    @Override
    public void startWrite(IoBatch batch) {
      isWritten = true;
      super.startWrite(batch);
    }

    @Override
    public void read(IoBatch batch) {
      super.read(batch);
      if (broken == DiskRule.HEADERS_HAVE_A_CHECKSUM && isHeader(batch)) {
        mend(batch.memory());
      }
    }

    /** Makes the checksum of a header fit. */
    private static void mend(MemorySegment header) {
      byte[] bytes = header.asSlice(0, StoreHeader.BYTES).toArray(JAVA_BYTE);
      CRC32C crc = new CRC32C();
      crc.update(bytes, 0, 12);
      crc.update(bytes, 16, bytes.length - 16);
      header.set(LittleEndian.INT, 12, (int) crc.getValue());
    }

    @Override
    public void force() {
      DiskRule rule =
          path().toString().endsWith(".new")
              ? DiskRule.FORCE_A_NEW_STORE_BEFORE_ITS_NAME
              : !isWritten
                  ? DiskRule.RECOVERY_FORCES_PAGES
                  : hasHeader ? DiskRule.FORCE_THE_HEADER : DiskRule.FORCE_PAGES_BEFORE_THE_HEADER;
      RuleBreaker.this.force(file, rule);
      beforeHeader = rule == DiskRule.FORCE_PAGES_BEFORE_THE_HEADER;
      hasHeader = false;
    }
  }

  // ---------------------------------------------------------------- log

  private final class Segment extends PageFileAround {
    private boolean isNew;
    private boolean isWritten;

    Segment(PageFile file, boolean isNew) {
      super(file);
      this.isNew = isNew;
    }

    @Override
    public void startWrite(IoBatch batch) {
      isWritten = true;
      lastWritten = this;
      super.startWrite(batch);
    }

    @Override
    public void force() {
      DiskRule rule;
      if (isNew) {
        rule = DiskRule.FORCE_THE_ZEROS_OF_A_SEGMENT;
      } else if (!isWritten) {
        rule = DiskRule.RECOVERY_FORCES_THE_LOG;
      } else if (beforeHeader) {
        rule = DiskRule.FORCE_THE_LOG_BEFORE_THE_HEADER;
      } else if (recovering) {
        rule = DiskRule.FORCE_THE_FIRST_BLOCK_OF_A_NEW_LOG;
      } else if (lastWritten != this) {
        rule = DiskRule.FORCE_ALL_SEGMENTS;
      } else {
        rule = DiskRule.FORCE_BEFORE_ACKNOWLEDGING;
      }
      isNew = false;
      RuleBreaker.this.force(file, rule);
    }
  }
}
