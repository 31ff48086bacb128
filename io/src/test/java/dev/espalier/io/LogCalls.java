// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Files of a store on a {@link SimulatedDisk}: what is asked of them, in its order, and what a test
 * does before the next call of a kind, which may be to throw. Those of the log are called by their
 * numbers.
 */
final class LogCalls extends StoreFilesAround {
  /** Paths of all stores that a test makes. */
  static final Path STORE = SimulatedDisk.path("store");

  /** What can be asked of a file; a write is a start and a finish. */
  enum Kind {
    OPEN,
    GROW,
    READ,
    WRITE,
    FINISH,
    FORCE,
    CLOSE,
    DELETE,
    RENAME,
    FORCE_NAMES
  }

  private final SimulatedDisk disk;
  private final List<String> calls = new ArrayList<>();
  private final Map<Kind, Deque<Runnable>> before = new EnumMap<>(Kind.class);

  LogCalls(SimulatedDisk disk) {
    super(disk);
    this.disk = disk;
  }

  /** Returns the calls since this was asked last, such as {@code WRITE log1 0 4096}. */
  synchronized List<String> calls() {
    List<String> all = List.copyOf(calls);
    calls.clear();
    return all;
  }

  /** Does something before the next call of a kind that has nothing to be done before it yet. */
  synchronized void before(Kind kind, Runnable action) {
    before.computeIfAbsent(kind, _ -> new ArrayDeque<>()).add(action);
  }

  /** Lets the next call of a kind fail with an error number. */
  void fail(Kind kind, int errno) {
    before(
        kind,
        () -> {
          throw new PageFileException(STORE, kind + " failed as ordered", errno);
        });
  }

  /** Lets the next call of a kind end with an error. */
  void fail(Kind kind, Error error) {
    before(
        kind,
        () -> {
          throw error;
        });
  }

  /** Returns the bytes of a file of the log, as processes see them. */
  byte[] contents(int number) {
    return disk.contents(LogFiles.path(STORE, number));
  }

  /** Returns the record at an offset of a file of the log, null if there is none. */
  LogRecord.Header record(int file, long storeId, long segment, int offset) {
    return LogRecord.read(contents(file), offset, new LogRecord.Place(storeId, segment));
  }

  private void note(Kind kind, Path path, String what) {
    noted(kind, path, what).run();
  }

  /** Notes a call, and returns what is to be done. */
  private synchronized Runnable noted(Kind kind, Path path, String what) {
    String name = path.getFileName().toString().replace("store.", "");
    calls.add((kind + " " + name + " " + what).strip());
    Deque<Runnable> actions = before.get(kind);
    Runnable action = actions == null ? null : actions.poll();
    return action == null ? () -> {} : action;
  }

  @Override
  public PageFile openPages(Path path, Access access, int blockBytes) {
    note(Kind.OPEN, path, access.toString());
    return new Noted(super.openPages(path, access, blockBytes));
  }

  @Override
  public PageFile openLog(Path path, Access access, int blockBytes) {
    note(Kind.OPEN, path, access.toString());
    return new Noted(super.openLog(path, access, blockBytes));
  }

  @Override
  public void rename(Path from, Path to) {
    note(Kind.RENAME, from, to.getFileName().toString());
    super.rename(from, to);
  }

  @Override
  public void delete(Path path) {
    note(Kind.DELETE, path, "");
    super.delete(path);
  }

  @Override
  public void forceNames(Path path) {
    note(Kind.FORCE_NAMES, path, "");
    super.forceNames(path);
  }

  /** A file whose calls are noted. */
  private final class Noted extends PageFileAround {
    Noted(PageFile file) {
      super(file);
    }

    @Override
    public void startRead(IoBatch batch) {
      note(Kind.READ, path(), batch.position(0) + " " + batch.length(0));
      super.startRead(batch);
    }

    @Override
    public void startWrite(IoBatch batch) {
      note(Kind.WRITE, path(), batch.position(0) + " " + batch.length(0));
      super.startWrite(batch);
    }

    /** Fails at the end only, as what was started ends whatever becomes of it. */
    @Override
    public void finish(IoBatch batch) {
      Runnable action = noted(Kind.FINISH, path(), "");
      super.finish(batch);
      action.run();
    }

    @Override
    public void grow(long bytes) {
      note(Kind.GROW, path(), String.valueOf(bytes));
      super.grow(bytes);
    }

    @Override
    public void force() {
      note(Kind.FORCE, path(), "");
      super.force();
    }

    @Override
    public void close() {
      note(Kind.CLOSE, path(), "");
      super.close();
    }
  }
}
