// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A page file that copies to and from a mapping of the file, without a call of the system for each
 * transfer: for tests of many small stores in a {@link MemoryFolder} that are not about engines.
 * What goes beyond the file is left to the engine.
 */
final class MappedPageFile extends PageFileAround {
  /** Opens files by mapping them, and does the rest by a channel. */
  static final PageFileOpener OPENER =
      (path, access, blockBytes) ->
          new MappedPageFile(PageFiles.CHANNEL.open(path, access, blockBytes), access);

  /** No file of a test needs more; one that does would fill the memory of the machine. */
  private static final long MOST_BYTES = 256L << 20;

  private final boolean isWritable;
  private final Set<IoBatch> ofEngine = ConcurrentHashMap.newKeySet();
  private @Nullable Arena arena;
  private MemorySegment mapped = MemorySegment.NULL;

  private MappedPageFile(PageFile file, Access access) {
    super(file);
    this.isWritable = access != Access.READ;
  }

  /** Returns the mapping if a batch lies in the file, else an empty one. */
  private MemorySegment mapped(IoBatch batch) {
    long end = 0;
    for (int i = 0; i < batch.count(); i++) {
      end = Math.max(end, batch.position(i) + batch.length(i));
    }
    if (end > mapped.byteSize() && end <= file.bytes()) {
      unmap();
      map();
    }
    return end <= mapped.byteSize() ? mapped : MemorySegment.NULL;
  }

  private void map() {
    StandardOpenOption[] options =
        isWritable
            ? new StandardOpenOption[] {StandardOpenOption.READ, StandardOpenOption.WRITE}
            : new StandardOpenOption[] {StandardOpenOption.READ};
    FileChannel.MapMode mode =
        isWritable ? FileChannel.MapMode.READ_WRITE : FileChannel.MapMode.READ_ONLY;
    Arena lasting = Arena.ofShared();
    arena = lasting;
    try (FileChannel channel = FileChannel.open(path(), options)) {
      mapped = channel.map(mode, 0, channel.size(), lasting);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A mapping that were left would keep the memory of a file that is deleted. */
  private void unmap() {
    mapped = MemorySegment.NULL;
    if (arena != null) {
      arena.close();
      arena = null;
    }
  }

  @Override
  public synchronized void startRead(IoBatch batch) {
    MemorySegment there = mapped(batch);
    if (there.byteSize() == 0) {
      ofEngine.add(batch);
      file.startRead(batch);
      return;
    }
    for (int i = 0; i < batch.count(); i++) {
      MemorySegment.copy(
          there, batch.position(i), batch.memory(), batch.offset(i), batch.length(i));
    }
  }

  @Override
  public synchronized void startWrite(IoBatch batch) {
    MemorySegment there = mapped(batch);
    if (there.byteSize() == 0 || !isWritable) {
      ofEngine.add(batch);
      file.startWrite(batch);
      return;
    }
    for (int i = 0; i < batch.count(); i++) {
      MemorySegment.copy(
          batch.memory(), batch.offset(i), there, batch.position(i), batch.length(i));
    }
  }

  @Override
  public boolean isDone(IoBatch batch) {
    return !ofEngine.contains(batch) || file.isDone(batch);
  }

  @Override
  public void finish(IoBatch batch) {
    if (ofEngine.remove(batch)) {
      file.finish(batch);
    }
  }

  @Override
  public void grow(long bytes) {
    if (bytes > MOST_BYTES) {
      throw new PageFileException(path(), "growing to " + bytes + " bytes failed", Errno.ENOSPC);
    }
    file.grow(bytes);
  }

  @Override
  public synchronized void truncate(long bytes) {
    unmap();
    file.truncate(bytes);
  }

  @Override
  public synchronized void close() {
    unmap();
    file.close();
  }
}
