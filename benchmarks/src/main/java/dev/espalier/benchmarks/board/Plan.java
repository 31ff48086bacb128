// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * What is to be measured.
 *
 * @param kinds keys and values
 * @param data where the entries are
 * @param syncs when writes are safe
 * @param crews the threads
 * @param works what they do
 * @param distributions how entries are drawn, where a work leaves the choice
 * @param entries how many are loaded
 */
record Plan(
    Set<Setting.Kind> kinds,
    Set<Setting.Data> data,
    Set<Setting.Sync> syncs,
    Set<Crew> crews,
    Set<Work> works,
    Set<Distribution> distributions,
    int entries) {

  /** Works in the order in which they are measured: a store that was filled is then read. */
  private static final List<Work> ORDER =
      List.of(
          Work.FILL_SEQ,
          Work.FILL_RANDOM,
          Work.A,
          Work.B,
          Work.C,
          Work.F,
          Work.D,
          Work.E,
          Work.OVERWRITE,
          Work.READ_RANDOM,
          Work.READ_WHILE_WRITING,
          Work.SEEK_RANDOM,
          Work.DELETE_RANDOM);

  /** Returns the settings, of which there is one process for each store. */
  List<Setting> settings() {
    List<Setting> all = new ArrayList<>();
    for (Setting.Sync sync : syncs) {
      for (Setting.Data some : data) {
        for (Setting.Kind kind : kinds) {
          all.add(new Setting(kind, some, sync, entries));
        }
      }
    }
    return all.stream().filter(Setting::exists).toList();
  }

  /** Returns the cells of a setting. */
  List<Cell> cells(Setting setting) {
    List<Cell> cells = new ArrayList<>();
    for (Crew crew : crews) {
      for (Work work : ORDER) {
        if (works.contains(work)) {
          wanted(work).forEach(some -> cells.add(new Cell(setting, crew, work, some)));
        }
      }
    }
    return cells;
  }

  private Collection<Distribution> wanted(Work work) {
    List<Distribution> all = work.distributions();
    return all.size() == 1 ? all : all.stream().filter(distributions::contains).toList();
  }
}
