// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import dev.espalier.cli.soak.FileRecorder.Acknowledged;
import dev.espalier.cli.soak.FileRecorder.Deleted;
import dev.espalier.cli.soak.FileRecorder.Event;
import dev.espalier.cli.soak.FileRecorder.Forced;
import dev.espalier.cli.soak.FileRecorder.Length;
import dev.espalier.cli.soak.FileRecorder.Made;
import dev.espalier.cli.soak.FileRecorder.NamesForced;
import dev.espalier.cli.soak.FileRecorder.Renamed;
import dev.espalier.cli.soak.FileRecorder.Write;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Goes through a recording from one moment to a later one, and makes images of what a crash then
 * may leave: all that was forced, and of the rest any part, torn at sectors. All images of a
 * recording take one pass over it.
 */
public final class Playback {
  private static final int SECTOR = 512;

  private final List<Event> events;
  private final Predicate<Force> isLeftOut;
  private final Map<Integer, Image> files = new HashMap<>();
  private final Names names = new Names();
  private int moment;
  private int acknowledged;

  Playback(List<Event> events, Predicate<Force> isLeftOut) {
    this.events = events;
    this.isLeftOut = isLeftOut;
  }

  /**
   * Goes on to a moment.
   *
   * @throws IllegalArgumentException if it is before the present one
   */
  public void advanceTo(int later) {
    if (later < moment) {
      throw new IllegalArgumentException("moment is " + later + ", after " + moment);
    }
    for (; moment < later; moment++) {
      happen(moment, events.get(moment));
    }
  }

  private void happen(int number, Event event) {
    switch (event) {
      case Made made -> {
        files.put(made.file(), new Image());
        names.pending.put(number, made);
      }
      case Renamed renamed -> names.pending.put(number, renamed);
      case Deleted deleted -> names.pending.put(number, deleted);
      case NamesForced forced -> {
        if (!isLeftOut.test(forced.force())) {
          names.force(forced.before());
        }
      }
      case Write write -> image(write.file()).pending.add(new Change(number, write));
      case Length length -> image(length.file()).pending.add(new Change(number, length));
      case Forced forced -> {
        if (!isLeftOut.test(forced.force())) {
          image(forced.file()).force(forced.before());
        }
      }
      case Acknowledged told -> acknowledged = told.step();
    }
  }

  private Image image(int file) {
    return files.computeIfAbsent(file, _ -> new Image());
  }

  /** Returns the last step that the program was told of by now; 0 if there is none. */
  public int acknowledged() {
    return acknowledged;
  }

  /** Writes the files that a crash leaves now into a folder. */
  public void writeImage(SplittableRandom random, Path folder) throws IOException {
    for (Map.Entry<String, Integer> name : names.crash(random).safe.entrySet()) {
      Files.write(folder.resolve(name.getKey()), image(name.getValue()).crash(random));
    }
  }

  private record Change(int number, Event event) {
    /** Tells whether it had ended before a moment. */
    boolean isBefore(int moment) {
      return event instanceof Write write ? write.end().at() <= moment : number < moment;
    }
  }

  /** A file: what is safe of it, and what is not yet. */
  private static final class Image {
    private byte[] bytes = new byte[0];
    private long length;
    private final List<Change> pending = new ArrayList<>();

    void force(int moment) {
      for (Change change : pending) {
        if (change.isBefore(moment)) {
          apply(change.event());
        }
      }
      pending.removeIf(change -> change.isBefore(moment));
    }

    private void apply(Event event) {
      if (event instanceof Length changed) {
        setLength(changed.bytes());
      } else if (event instanceof Write write) {
        write(write, 0, Math.toIntExact(write.bytes().byteSize()));
      }
    }

    private void write(Write write, int from, int count) {
      long at = write.position() + from;
      if (at + count > length) {
        setLength(at + count);
      }
      MemorySegment.copy(write.bytes(), from, MemorySegment.ofArray(bytes), at, count);
    }

    private void setLength(long changed) {
      if (changed < length) {
        Arrays.fill(bytes, Math.toIntExact(changed), Math.toIntExact(length), (byte) 0);
      } else if (changed > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.toIntExact(2 * changed));
      }
      length = changed;
    }

    /** Returns what the device happens to have: nothing that is pending, all, or some sectors. */
    byte[] crash(SplittableRandom random) {
      Image left = new Image();
      left.bytes = Arrays.copyOf(bytes, Math.toIntExact(length));
      left.length = length;
      double share = random.nextInt(3) == 0 ? random.nextInt(2) : random.nextDouble();
      for (Change change : pending) {
        if (change.event() instanceof Write write) {
          int bytes = Math.toIntExact(write.bytes().byteSize());
          for (int from = 0; from < bytes; ) {
            int count = Math.min(bytes - from, SECTOR - (int) ((write.position() + from) % SECTOR));
            if (random.nextDouble() < share) {
              left.write(write, from, count);
            }
            from += count;
          }
        } else if (random.nextDouble() < share) {
          left.apply(change.event());
        }
      }
      return Arrays.copyOf(left.bytes, Math.toIntExact(left.length));
    }
  }

  /** The names of files: those that are safe, and what has become of them since. */
  private static final class Names {
    private final Map<String, Integer> safe = new TreeMap<>();
    private final Map<Integer, Event> pending = new TreeMap<>();

    void force(int moment) {
      pending.forEach(
          (number, event) -> {
            if (number < moment) {
              apply(event);
            }
          });
      pending.keySet().removeIf(number -> number < moment);
    }

    private void apply(Event event) {
      if (event instanceof Made made) {
        safe.put(made.name(), made.file());
      } else if (event instanceof Renamed renamed) {
        Integer file = safe.remove(renamed.from());
        if (file != null) {
          safe.put(renamed.to(), file);
        }
      } else if (event instanceof Deleted deleted) {
        safe.remove(deleted.name());
      }
    }

    /** Changes of names become safe in order, as in file systems with a journal, or any of them. */
    Names crash(SplittableRandom random) {
      Names left = new Names();
      left.safe.putAll(safe);
      boolean isInOrder = random.nextBoolean();
      int first = pending.isEmpty() ? 0 : random.nextInt(pending.size() + 1);
      int i = 0;
      for (Event event : pending.values()) {
        if (isInOrder ? i < first : random.nextBoolean()) {
          left.apply(event);
        }
        i++;
      }
      return left;
    }
  }
}
