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
import org.jspecify.annotations.Nullable;

/**
 * What happened to files, from which images are made of what a crash may leave: all that was
 * forced, and of the rest any part, torn at sectors.
 *
 * @param events what happened, in order
 */
public record Recording(List<FileRecorder.Event> events) {
  /**
   * The four copies of the header of a store in pages of up to 4 KiB are within its first bytes.
   */
  static final int HEADER_BYTES = 4 * 4096;

  private static final int SECTOR = 512;

  /** Returns how many moments there are to crash at. */
  public int moments() {
    return events.size();
  }

  /** Returns the last step that the program was told of before a moment; 0 if there is none. */
  public int acknowledged(int moment) {
    int last = 0;
    for (Event event : events.subList(0, moment)) {
      if (event instanceof Acknowledged acknowledged) {
        last = acknowledged.step();
      }
    }
    return last;
  }

  /**
   * Writes the files that a crash at a moment leaves into a folder.
   *
   * @param leftOut a kind of force that is held not to have happened; null if there is none
   */
  public void writeImage(
      int moment, SplittableRandom random, @Nullable ForceKind leftOut, Path folder)
      throws IOException {
    Map<Integer, Image> files = new HashMap<>();
    Names names = new Names();
    for (int i = 0; i < moment; i++) {
      switch (events.get(i)) {
        case Made made -> {
          files.put(made.file(), new Image());
          names.pending.put(i, made);
        }
        case Renamed renamed -> names.pending.put(i, renamed);
        case Deleted deleted -> names.pending.put(i, deleted);
        case NamesForced forced -> {
          if (leftOut != ForceKind.NAMES) {
            names.force(forced.before());
          }
        }
        case Write write -> image(files, write.file()).pending.add(new Change(i, write));
        case Length length -> image(files, length.file()).pending.add(new Change(i, length));
        case Forced forced -> {
          if (leftOut != forced.kind()) {
            image(files, forced.file()).force(forced.before());
          }
        }
        case Acknowledged _ -> {}
      }
    }
    names.crash(random);
    for (Map.Entry<String, Integer> name : names.safe.entrySet()) {
      Image image = image(files, name.getValue());
      image.crash(random);
      Files.write(
          folder.resolve(name.getKey()), Arrays.copyOf(image.bytes, Math.toIntExact(image.length)));
    }
  }

  private static Image image(Map<Integer, Image> files, int file) {
    return files.computeIfAbsent(file, _ -> new Image());
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

    /** Applies what the device happened to have done: nothing, everything, or some sectors. */
    void crash(SplittableRandom random) {
      double share = random.nextInt(3) == 0 ? random.nextInt(2) : random.nextDouble();
      for (Change change : pending) {
        if (change.event() instanceof Write write) {
          int bytes = Math.toIntExact(write.bytes().byteSize());
          for (int from = 0; from < bytes; ) {
            int count = Math.min(bytes - from, SECTOR - (int) ((write.position() + from) % SECTOR));
            if (random.nextDouble() < share) {
              write(write, from, count);
            }
            from += count;
          }
        } else if (random.nextDouble() < share) {
          apply(change.event());
        }
      }
    }
  }

  /** The names of files: those that are safe, and what has become of them since. */
  private static final class Names {
    private final Map<String, Integer> safe = new HashMap<>();
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
    void crash(SplittableRandom random) {
      boolean isInOrder = random.nextBoolean();
      int first = pending.isEmpty() ? 0 : random.nextInt(pending.size() + 1);
      int i = 0;
      for (Event event : pending.values()) {
        if (isInOrder ? i < first : random.nextBoolean()) {
          apply(event);
        }
        i++;
      }
    }
  }
}
