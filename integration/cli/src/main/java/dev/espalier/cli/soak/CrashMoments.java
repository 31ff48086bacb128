// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import dev.espalier.cli.soak.FileRecorder.Event;
import dev.espalier.cli.soak.FileRecorder.Forced;
import dev.espalier.cli.soak.FileRecorder.Killed;
import dev.espalier.cli.soak.FileRecorder.Length;
import dev.espalier.cli.soak.FileRecorder.NamesForced;
import dev.espalier.cli.soak.FileRecorder.Write;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Draws moments of a recording to crash at. Any moment may be drawn; but most forces are commits,
 * and most of a program's life is the same. So nine in ten moments are
 *
 * <ul>
 *   <li>near a force, where places in the code that force rarely are drawn the more often;
 *   <li>just before a force, which is the likelier the longer what it makes safe has waited;
 *   <li>in the beginning, or after a program was killed, when another one finds what it left;
 *   <li>just before what a program that was killed has left becomes safe, likewise.
 * </ul>
 */
public final class CrashMoments {
  /** Events after a force within which a crash shows what it was for. */
  private static final int NEAR = 5;

  /** Events before a force that may belong to the same step. */
  private static final int SHORTLY_BEFORE = 3;

  /** Events within which another program has opened the store. */
  private static final int OPENING = 100;

  private final int end;
  private final List<List<Integer>> places;
  private final List<Integer> lives = new ArrayList<>(List.of(0));
  private final Weighted<Integer> due = new Weighted<>();

  /** Forces that make safe what a program that was killed has left, by what that is. */
  private final Map<Class<?>, Weighted<Integer>> legacies = new LinkedHashMap<>();

  /**
   * Takes what happened.
   *
   * @param isLeftOut tells which forces are held not to have happened
   */
  public CrashMoments(Recording recording, Predicate<Force> isLeftOut) {
    List<Event> events = recording.events();
    end = events.size();
    Map<Force, List<Integer>> forces = new HashMap<>();
    Waiting waiting = new Waiting();
    for (int i = 0; i < end; i++) {
      Event event = events.get(i);
      Force force = Recording.forceOf(event);
      if (event instanceof Killed) {
        lives.add(i);
      }
      if (force == null) {
        waiting.add(i, event);
        continue;
      }
      forces.computeIfAbsent(force, _ -> new ArrayList<>()).add(i);
      if (!isLeftOut.test(force)) {
        int first = waiting.firstOf(i, event);
        due.addAged(i, i - first);
        if (first < lives.getLast()) {
          legacies
              .computeIfAbsent(events.get(first).getClass(), _ -> new Weighted<>())
              .addAged(i, i - first);
        }
      }
    }
    places =
        forces.entrySet().stream()
            .sorted(Comparator.comparing(place -> place.getKey().toString()))
            .map(Map.Entry::getValue)
            .toList();
  }

  /** Draws a moment. */
  public int next(SplittableRandom random) {
    int moment =
        switch (random.nextInt(10)) {
          case 0 -> random.nextInt(end + 1);
          case 1, 2 -> nearAForce(random);
          case 3 -> shortlyBefore(due.draw(random), random);
          case 4 -> any(lives, random) + logarithmic(OPENING, random);
          default ->
              shortlyBefore(
                  legacies.isEmpty()
                      ? due.draw(random)
                      : any(List.copyOf(legacies.values()), random).draw(random),
                  random);
        };
    return Math.clamp(moment, 0, end);
  }

  private int nearAForce(SplittableRandom random) {
    List<Integer> place = any(places, random);
    List<Integer> other = any(places, random);
    int after = random.nextInt(NEAR / 2 + 1) + random.nextInt(NEAR / 2 + 1);
    return any(place.size() < other.size() ? place : other, random) + 1 + after;
  }

  private static int shortlyBefore(int force, SplittableRandom random) {
    return force + 1 - logarithmic(SHORTLY_BEFORE + 1, random);
  }

  private static <T> T any(List<T> all, SplittableRandom random) {
    return all.get(random.nextInt(all.size()));
  }

  /** Draws a number from 1 to a bound, of each magnitude as often. */
  private static int logarithmic(int bound, SplittableRandom random) {
    return (int) Math.exp(random.nextDouble() * Math.log(bound));
  }

  /** What is not safe yet. */
  private static final class Waiting {
    private record Change(int number, Event event) {}

    /** By file, or by folder for names. */
    private final Map<Object, List<Change>> changes = new HashMap<>();

    void add(int number, Event event) {
      @Nullable Object where =
          switch (event) {
            case Write write -> write.file();
            case Length length -> length.file();
            default -> Playback.folderOf(event);
          };
      if (where != null) {
        changes.computeIfAbsent(where, _ -> new ArrayList<>()).add(new Change(number, event));
      }
    }

    /** Returns the number of the first change that a force makes safe, its own if there is none. */
    int firstOf(int number, Event force) {
      int before;
      Object where;
      if (force instanceof Forced forced) {
        before = forced.before();
        where = forced.file();
      } else {
        NamesForced forced = (NamesForced) force;
        before = forced.before();
        where = forced.folder();
      }
      List<Change> all = changes.getOrDefault(where, new ArrayList<>());
      int first = number;
      for (Change change : all) {
        if (Playback.isBefore(change.number, change.event, before)) {
          first = Math.min(first, change.number);
        }
      }
      all.removeIf(change -> Playback.isBefore(change.number, change.event, before));
      return first;
    }
  }
}
