// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import dev.espalier.io.Access;
import dev.espalier.io.IoBatch;
import dev.espalier.io.PageFile;
import dev.espalier.io.PageFileException;
import dev.espalier.io.PageFileOpener;
import dev.espalier.io.PageFiles;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An engine that does what Java's channels do, and writes down in order what changes files and
 * names, and what makes changes safe. Files are known by numbers, since their names change. Names
 * are relative to a folder, and may be in folders within it.
 */
public final class FileRecorder implements PageFileOpener {
  /** Something that happened. */
  sealed interface Event {}

  /** A write began, of bytes at a position. */
  record Write(int file, long position, MemorySegment bytes, End end) implements Event {}

  /** A file got another length. */
  record Length(int file, long bytes) implements Event {}

  /**
   * What had ended in a file before a moment is safe.
   *
   * @param before the number of the first event that may have come too late
   */
  record Forced(int file, Force force, int before) implements Event {}

  /** A file was made. */
  record Made(int file, String name) implements Event {}

  /** A file got another name. */
  record Renamed(int file, String to) implements Event {}

  /** A file was deleted. */
  record Deleted(int file, String name) implements Event {}

  /** Names that were made, changed or deleted in a folder before a moment are safe. */
  record NamesForced(String folder, Force force, int before) implements Event {}

  /** The program was told that a step is safe. */
  record Acknowledged(int step) implements Event {}

  /** The program was told that a copy of the store, as it was after a step, is safe. */
  record Copied(String name, int step) implements Event {}

  /** The program was killed, and another one follows. */
  record Killed() implements Event {}

  /** When a write ended: the number of the event that came next. */
  static final class End {
    private volatile int at = Integer.MAX_VALUE;

    int at() {
      return at;
    }
  }

  private final Path root;
  private final List<Event> events = new ArrayList<>();
  private final Map<String, Integer> numbers = new HashMap<>();
  private int files;

  /** The writes that have begun and not ended. */
  private final Set<End> underWay = Collections.newSetFromMap(new IdentityHashMap<>());

  private int acknowledged;

  /** How many programs were killed before the one that is at work. */
  private int life;

  /** So many events there are when the program is killed. */
  private int deathAt = Integer.MAX_VALUE;

  /** The force before which it is killed, and how many of them it still makes. */
  private @Nullable Force deadly;

  private int forcesLeft;

  /** The forces that there were so far, in the order in which they came first. */
  private final Set<Force> forces = new LinkedHashSet<>();

  /** Takes the folder in which, or in whose folders, all files are. */
  public FileRecorder(Path root) {
    this.root = root;
  }

  private synchronized void add(Event event) {
    events.add(event);
  }

  /**
   * Kills the program that uses this engine when so many more events have happened: whatever it
   * wants to do to files from then on fails. What it has written is there, forced or not.
   */
  public synchronized void dieAfter(int more) {
    deathAt = events.size() + more;
  }

  /**
   * Kills the program, as {@link #dieAfter} does, when it is about to make a force the n-th time.
   */
  public synchronized void dieBefore(Force force, int n) {
    deadly = force;
    forcesLeft = n - 1;
  }

  /** Returns the forces that there were so far. */
  public synchronized List<Force> forces() {
    return List.copyOf(forces);
  }

  /** Tells whether the program is dead. */
  public synchronized boolean isDead() {
    return events.size() >= deathAt;
  }

  /**
   * Begins with another program; what the dead one still has open stays dead, and the writes that
   * it had begun have ended: what the new one forces makes them safe too.
   */
  public synchronized void revive() {
    if (isDead()) {
      add(new Killed());
    }
    underWay.forEach(end -> end.at = now());
    underWay.clear();
    life++;
    deathAt = Integer.MAX_VALUE;
    deadly = null;
  }

  /** Fails if the program of a life is dead. */
  private synchronized void checkAlive(int itsLife, Path path) {
    if (itsLife != life || isDead()) {
      throw new PageFileException(path, "the program was killed", PageFileException.NO_ERRNO);
    }
  }

  /** Returns the force that a program is about to make, which may be its death. */
  private Force beginForce(ForceKind kind, int itsLife, Path path) {
    Force force = Force.ofCaller(kind);
    forces.add(force);
    if (force.equals(deadly) && itsLife == life && forcesLeft-- == 0) {
      deathAt = Math.min(deathAt, events.size());
    }
    checkAlive(itsLife, path);
    return force;
  }

  private synchronized int now() {
    return events.size();
  }

  /** Writes down that the program was told that a step is safe, unless it is dead. */
  public synchronized void acknowledge(int step) {
    if (!isDead()) {
      acknowledged = step;
      add(new Acknowledged(step));
    }
  }

  /** Writes down that the program was told that a copy of a step is safe, unless it is dead. */
  public synchronized void acknowledgeCopy(Path copy, int step) {
    if (!isDead()) {
      add(new Copied(name(copy), step));
    }
  }

  /** Returns the last step that a program was told of; 0 if there is none. */
  public synchronized int acknowledged() {
    return acknowledged;
  }

  /** Returns what has happened so far. */
  public synchronized Recording recording() {
    return new Recording(List.copyOf(events));
  }

  @Override
  public synchronized PageFile open(Path path, Access access, int blockBytes) {
    checkAlive(life, path);
    PageFile opened = PageFiles.CHANNEL.open(path, access, blockBytes);
    String name = name(path);
    if (access == Access.CREATE) {
      numbers.put(name, files);
      add(new Made(files, name));
      files++;
    }
    Integer number = numbers.get(name);
    if (number == null) {
      opened.close();
      throw new IllegalStateException(path + " was not made by this recorder");
    }
    Recorded recorded =
        new Recorded(opened, number, name.matches(".*\\.log\\d+"), folder(name).isEmpty());
    recorded.onlyHeader = access != Access.CREATE;
    return recorded;
  }

  @Override
  public synchronized void rename(Path from, Path to) {
    checkAlive(life, from);
    PageFileOpener.super.rename(from, to);
    int number = Objects.requireNonNull(numbers.remove(name(from)));
    numbers.put(name(to), number);
    add(new Renamed(number, name(to)));
  }

  @Override
  public synchronized void delete(Path path) {
    checkAlive(life, path);
    PageFileOpener.super.delete(path);
    Integer number = numbers.remove(name(path));
    if (number != null) {
      add(new Deleted(number, name(path)));
    }
  }

  @Override
  public synchronized void forceNames(Path path) {
    Force force = beginForce(ForceKind.NAMES, life, path);
    add(new NamesForced(folder(name(path)), force, now()));
  }

  private String name(Path path) {
    return root.toAbsolutePath().relativize(path.toAbsolutePath()).toString();
  }

  /** Returns the folder that a name is in. */
  static String folder(String name) {
    return Objects.toString(Path.of(name).getParent(), "");
  }

  /** A file whose changes are written down; what is forced need not reach a device. */
  private final class Recorded extends PageFileAround {
    private final int number;
    private final boolean isLog;
    private final boolean hasHeader;
    private final int itsLife = life;
    private final IdentityHashMap<IoBatch, List<End>> writes = new IdentityHashMap<>();

    /** Whether only the header was written since the last force, or nothing since it was opened. */
    private boolean onlyHeader;

    Recorded(PageFile file, int number, boolean isLog, boolean hasHeader) {
      super(file);
      this.number = number;
      this.isLog = isLog;
      this.hasHeader = hasHeader;
    }

    @Override
    public void write(IoBatch batch) {
      begin(batch);
      file.write(batch);
      end(batch);
    }

    @Override
    public void startWrite(IoBatch batch) {
      begin(batch);
      file.startWrite(batch);
    }

    @Override
    public void finish(IoBatch batch) {
      file.finish(batch);
      end(batch);
    }

    private void begin(IoBatch batch) {
      List<End> ends = new ArrayList<>();
      synchronized (FileRecorder.this) {
        checkAlive(itsLife, path());
        for (int i = 0; i < batch.count(); i++) {
          End end = new End();
          ends.add(end);
          MemorySegment bytes =
              MemorySegment.ofArray(
                  batch
                      .memory()
                      .asSlice(batch.offset(i), batch.length(i))
                      .toArray(ValueLayout.JAVA_BYTE));
          add(new Write(number, batch.position(i), bytes, end));
          onlyHeader &= hasHeader && batch.position(i) < Recording.HEADER_BYTES;
        }
        writes.put(batch, ends);
        underWay.addAll(ends);
      }
    }

    /** Notes that what was written has ended; nothing if the batch has read. */
    private void end(IoBatch batch) {
      synchronized (FileRecorder.this) {
        for (End end : Objects.requireNonNullElse(writes.remove(batch), List.<End>of())) {
          if (underWay.remove(end)) {
            end.at = now();
          }
        }
      }
    }

    @Override
    public void grow(long bytes) {
      synchronized (FileRecorder.this) {
        checkAlive(itsLife, path());
        long before = file.bytes();
        file.grow(bytes);
        if (file.bytes() > before) {
          add(new Length(number, file.bytes()));
        }
      }
    }

    @Override
    public void truncate(long bytes) {
      synchronized (FileRecorder.this) {
        checkAlive(itsLife, path());
        file.truncate(bytes);
        add(new Length(number, file.bytes()));
      }
    }

    @Override
    public void force() {
      synchronized (FileRecorder.this) {
        ForceKind kind = isLog ? ForceKind.LOG : onlyHeader ? ForceKind.HEADER : ForceKind.PAGES;
        Force force = beginForce(kind, itsLife, path());
        onlyHeader = true;
        add(new Forced(number, force, now()));
      }
    }
  }
}
