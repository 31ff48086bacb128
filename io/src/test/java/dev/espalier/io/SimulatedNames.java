// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The names in the folder of a {@link SimulatedDisk}: those that processes see, and what of them is
 * forced.
 *
 * <p>At a power loss each creation, renaming and deletion since the last force is kept or lost on
 * its own. A renaming is one change: the file has the old name or the new one, and a file that had
 * the new name has it as long as the renaming is lost. A file that has a forced name and was not
 * deleted or replaced never ends up without a name: where a kept change takes the name of a file
 * that had left it before, its leaving is kept too. No file has two names.
 */
final class SimulatedNames {

  /**
   * One change since the last force.
   *
   * @param name that the file has from then on, null if it is deleted
   * @param replaced the file that had the name until then
   */
  private record Change(
      SimulatedFile file, @Nullable String name, @Nullable SimulatedFile replaced) {}

  private final Map<String, SimulatedFile> forced = new LinkedHashMap<>();
  private final Map<String, SimulatedFile> seen = new LinkedHashMap<>();
  private final List<Change> changes = new ArrayList<>();

  /** Returns the file of a name, null if there is none. */
  @Nullable SimulatedFile find(String name) {
    return seen.get(name);
  }

  /** Returns the names there are. */
  Set<String> names() {
    return new LinkedHashSet<>(seen.keySet());
  }

  /** Returns all files that are there or may be there after a power loss. */
  Set<SimulatedFile> files() {
    Set<SimulatedFile> files = new LinkedHashSet<>(forced.values());
    changes.forEach(change -> files.add(change.file));
    return files;
  }

  /** Gives a file a name: its first, or another one instead. */
  void name(SimulatedFile file, String name) {
    if (seen.get(name) != file) {
      change(new Change(file, name, seen.get(name)));
    }
  }

  /** Deletes a file. */
  void delete(SimulatedFile file) {
    change(new Change(file, null, null));
  }

  private void change(Change change) {
    changes.add(change);
    apply(change, seen);
  }

  private static void apply(Change change, Map<String, SimulatedFile> names) {
    names.values().removeIf(file -> file == change.file || file == change.replaced);
    if (change.name != null) {
      names.put(change.name, change.file);
    }
  }

  /** Makes all names safe. */
  void force() {
    changes.clear();
    forced.clear();
    forced.putAll(seen);
  }

  /** Leaves what survives a power loss. */
  void losePower(RandomGenerator random) {
    Survival survival = new Survival(random);
    for (int i = 0; i < changes.size(); i++) {
      if (survival.keeps()) {
        keep(i);
      }
    }
    changes.clear();
    seen.clear();
    seen.putAll(forced);
  }

  private void keep(int number) {
    Change change = changes.get(number);
    SimulatedFile there = change.name == null ? null : forced.get(change.name);
    int left = there == null || there == change.replaced ? -1 : lastOf(there, number);
    if (left >= 0) {
      keep(left);
    }
    apply(change, forced);
  }

  /** Returns the last change of a file before another change, -1 if there is none. */
  private int lastOf(SimulatedFile file, int before) {
    int number = before - 1;
    while (number >= 0 && changes.get(number).file != file) {
      number--;
    }
    return number;
  }
}
