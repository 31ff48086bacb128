// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import dev.espalier.cli.soak.FileRecorder.Acknowledged;
import dev.espalier.cli.soak.FileRecorder.Copied;
import dev.espalier.cli.soak.FileRecorder.Deleted;
import dev.espalier.cli.soak.FileRecorder.Event;
import dev.espalier.cli.soak.FileRecorder.Forced;
import dev.espalier.cli.soak.FileRecorder.Killed;
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
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

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
  private final Map<String, Integer> copies = new TreeMap<>();

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
          names.force(forced.folder(), forced.before());
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
      case Copied copied -> copies.put(copied.name(), copied.step());
      case Killed _ -> {}
    }
  }

  private Image image(int file) {
    return files.computeIfAbsent(file, _ -> new Image());
  }

  /** Returns the last step that the program was told of by now; 0 if there is none. */
  public int acknowledged() {
    return acknowledged;
  }

  /** Returns the copies that the program was told of by now, and the steps that they are of. */
  public Map<String, Integer> copies() {
    return Collections.unmodifiableMap(copies);
  }

  /**
   * Writes the files that a crash leaves now into a folder. Half of the crashes take any part of
   * what is not safe; the others only the first of what waits in one place: the next that would
   * have been forced, or any, which is the likelier the longer it has waited.
   */
  public void writeImage(SplittableRandom random, Path folder) throws IOException {
    Object victim = random.nextBoolean() ? victim(random) : null;
    Names left = victim == null ? names.crash(random) : names.lose(victim == names ? random : null);
    for (Map.Entry<String, Integer> name : left.safe.entrySet()) {
      Path file = folder.resolve(name.getKey());
      Image image = image(name.getValue());
      Files.createDirectories(file.getParent());
      Files.write(
          file, victim == null ? image.crash(random) : image.lose(victim == image ? random : null));
    }
  }

  /** Draws a file, or the names, in which something is not safe; returns null if all is. */
  private @Nullable Object victim(SplittableRandom random) {
    if (moment < events.size() && random.nextInt(4) > 0) {
      Event next = events.get(moment);
      if (next instanceof Forced forced && !image(forced.file()).pending.isEmpty()) {
        return image(forced.file());
      }
      if (next instanceof NamesForced && !names.pending.isEmpty()) {
        return names;
      }
    }
    Weighted<Object> all = new Weighted<>();
    for (Image image : files.values()) {
      if (!image.pending.isEmpty()) {
        all.addAged(image, moment - image.pending.getFirst().number());
      }
    }
    if (!names.pending.isEmpty()) {
      all.addAged(names, moment - names.pending.firstKey());
    }
    return all.isEmpty() ? null : all.draw(random);
  }

  /** Tells whether an event had ended before a moment. */
  static boolean isBefore(int number, Event event, int moment) {
    return event instanceof Write write ? write.end().at() <= moment : number < moment;
  }

  private record Change(int number, Event event) {
    boolean isBefore(int moment) {
      return Playback.isBefore(number, event, moment);
    }
  }

  /** Returns the folder of the name that an event made, changed or deleted; null for others. */
  static @Nullable String folderOf(Event event) {
    return switch (event) {
      case Made made -> FileRecorder.folder(made.name());
      case Renamed renamed -> FileRecorder.folder(renamed.to());
      case Deleted deleted -> FileRecorder.folder(deleted.name());
      default -> null;
    };
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

    /**
     * Returns what the device has if it lacks the first pending changes, or none without random.
     */
    byte[] lose(@Nullable SplittableRandom random) {
      Image left = new Image();
      left.bytes = Arrays.copyOf(bytes, Math.toIntExact(length));
      left.length = length;
      int lost = random == null ? 0 : 1 + random.nextInt(pending.size());
      pending.stream().skip(lost).forEach(change -> left.apply(change.event()));
      return Arrays.copyOf(left.bytes, Math.toIntExact(left.length));
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
    private final TreeMap<Integer, Event> pending = new TreeMap<>();

    void force(String folder, int moment) {
      pending
          .entrySet()
          .removeIf(
              change -> {
                boolean isSafe =
                    change.getKey() < moment && folder.equals(folderOf(change.getValue()));
                if (isSafe) {
                  apply(change.getValue());
                }
                return isSafe;
              });
    }

    private void apply(Event event) {
      if (event instanceof Made made) {
        safe.put(made.name(), made.file());
      } else if (event instanceof Renamed renamed) {
        safe.values().remove(renamed.file());
        safe.put(renamed.to(), renamed.file());
      } else if (event instanceof Deleted deleted) {
        safe.values().remove(deleted.file());
      }
    }

    /** Returns what the device has if it lacks the first changes, or none without random. */
    Names lose(@Nullable SplittableRandom random) {
      Names left = new Names();
      left.safe.putAll(safe);
      int lost = random == null ? 0 : 1 + random.nextInt(pending.size());
      pending.values().stream().skip(lost).forEach(left::apply);
      return left;
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
