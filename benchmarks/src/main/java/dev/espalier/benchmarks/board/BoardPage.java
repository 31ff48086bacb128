// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import dev.espalier.benchmarks.board.BoardFile.Published;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The page of a board in Markdown. */
final class BoardPage {
  private static final double FEW = 10;
  private static final double SOME = 100;

  /** Like {@link #mark}, what tests of the documentation look for. */
  private static final String NO_FIGURES = "<!-- not measured -->\n";

  private final Published published;
  private final String mark;
  private final List<StoreType> types;

  /**
   * Prepares a page.
   *
   * @param name of the file of figures, without its ending
   * @param types the stores whose settings are told
   */
  BoardPage(Published published, String name, List<StoreType> types) {
    this.published = published;
    this.mark = "<!-- figures of %s -->\n".formatted(name);
    this.types = types;
  }

  /**
   * Returns the page.
   *
   * @param map where the heat map is
   */
  String text(String map) {
    StringBuilder page = new StringBuilder(beginning(map));
    if ("quick".equals(published.machine().get("effort"))) {
      page.append("**A quick run**: its figures show that it works, and no more.\n\n");
    }
    page.append("## The run\n\n").append(NO_FIGURES).append("| | |\n|---|---|\n");
    published.machine().forEach((name, value) -> pair(page, name, value));
    published.settings().forEach((name, value) -> pair(page, name, value));
    page.append("\n## The stores\n\n").append(NO_FIGURES).append("| | set up |\n|---|---|\n");
    Set<String> measured =
        published.board().cells().stream()
            .flatMap(cell -> published.board().stores(cell).stream())
            .collect(Collectors.toSet());
    types.stream()
        .filter(type -> measured.contains(type.name()))
        .forEach(type -> pair(page, type.name(), type.settings()));
    published.board().settings().forEach(setting -> addSetting(page, setting));
    return page.toString();
  }

  private String beginning(String map) {
    return """
    <!-- Written by benchmarks/run ycsb; not to be changed by hand. -->
    # YCSB and db_bench, measured

    The core workloads of YCSB, and those that users of RocksDB quote from `db_bench`, on \
    Espalier and on other stores, by several threads at once:

    ```
    %1$s
    ```

    ![Operations a second, by those of the fastest peer](%2$s)

    ## How it is measured

    * A: half reads, half updates. B: 95%% reads. C: reads only. D: 95%% reads of what is latest, \
    5%% insertions. E: 95%% scans of 1 to 100 entries, 5%% insertions. F: half reads, half \
    read-modify-writes. Zipf's law has the exponent 0.99, and frequent keys are spread over all, \
    as in YCSB. `seekrandom` is a scan of one entry; the writer of `readwhilewriting` is one \
    more thread, whose writes are not counted; `fillseq` and `fillrandom` end when the store is \
    full, or after ten times as long as a round, or 10 µs for each entry if that is longer.
    * Longs are eight bytes with values of eight. Strings have 20 bytes, like YCSB's; their \
    values can't be compressed.
    * **As it comes**, no store is tuned: each is opened as the first example of its \
    documentation does it, without the size of a cache, pool, filter, buffer or page. LMDB is \
    told two things: how large its map may become, as it must be, and not to sync every write, \
    which no other store does in its example.
    * Every store has a JVM of its own, and all of them measure in turn: a round that is not \
    counted, then those of which the medians are told. There is a clock around every operation.
    * **Every answer is checked.** A value carries its key and the number of its write. The \
    program knows which writes of each entry have ended and which have begun, and so what a read \
    may find; a wrong value, a lost update, and a scan that is out of order or ends early take \
    the store off the board. The check is in the measured time of all stores alike, so what is \
    fast looks a little slower than it is.
    * A thread commits its writes in groups where commits are durable; `ConcurrentSkipListMap` \
    has no commits. 1,000 virtual threads yield after every 16 operations.
    * Other stores leave caching to the system, whose cache has no limit of its own: LMDB, MapDB, \
    and MVStore and TuplDB behind their own. Where the file has ten times the pool, the process of \
    each store is in a control group of Linux, if one can be made, which takes root: once the \
    store is loaded, it may have the memory that it has then, with its own cache, and beside that \
    as many bytes of the system's cache as the pool, and 32 MiB. Loading has no limit. Without \
    such a group, only Espalier and RocksDB, which read past that cache, have no more memory than \
    a tenth of the data.
    * The machine is shared with others: what it gives a program changes from one minute to the \
    next, so only ratios of stores that took turns mean anything.

    """
        .formatted(published.command(), map);
  }

  private static void pair(StringBuilder page, String name, String value) {
    page.append("| %s | %s |\n".formatted(name, value.replace("|", "\\|")));
  }

  private void addSetting(StringBuilder page, Setting setting) {
    String label = setting.label();
    page.append(
        "\n## %s%s\n"
            .formatted(label.substring(0, 1).toUpperCase(Locale.ROOT), label.substring(1)));
    for (Crew crew : Crew.values()) {
      List<Cell> cells =
          published.board().cells().stream()
              .filter(cell -> cell.setting().equals(setting) && cell.crew() == crew)
              .toList();
      if (cells.isEmpty()) {
        continue;
      }
      page.append("\n### %s: %s\n".formatted(label, crew.label()));
      List<List<Cell>> tables = new ArrayList<>();
      tables.add(sorted(cells, cell -> cell.work().isCore() && !isUniform(cell)));
      tables.add(sorted(cells, cell -> cell.work().isCore() && isUniform(cell)));
      tables.add(sorted(cells, cell -> !cell.work().isCore()));
      tables.removeIf(List::isEmpty);
      page.append("\nThousands of operations a second:\n");
      tables.forEach(table -> addTable(page, table, figure -> number(figure.rate())));
      addTargets(page, setting, tables.stream().flatMap(List::stream).toList());
      page.append(
          "\n<details><summary>Latencies: 50%, 99% and 99.9% within so many µs</summary>\n");
      tables.forEach(
          table ->
              addTable(
                  page,
                  table,
                  figure ->
                      "%s, %s, %s"
                          .formatted(
                              number(figure.p50()), number(figure.p99()), number(figure.p99_9()))));
      page.append("\n</details>\n");
    }
  }

  private static boolean isUniform(Cell cell) {
    return cell.distribution() == Distribution.UNIFORM;
  }

  private static List<Cell> sorted(List<Cell> cells, Predicate<Cell> which) {
    List<Cell> some = new ArrayList<>(cells.stream().filter(which).toList());
    some.sort((a, b) -> a.work().compareTo(b.work()));
    return some;
  }

  private void addTable(StringBuilder page, List<Cell> cells, Function<Figure, String> text) {
    Board board = published.board();
    page.append("\n").append(mark).append("| |");
    cells.forEach(cell -> page.append(" ").append(name(cell)).append(" |"));
    page.append("\n|---|").append(String.join("", Collections.nCopies(cells.size(), "---:|")));
    page.append("\n");
    Set<String> stores =
        cells.stream()
            .flatMap(cell -> board.stores(cell).stream())
            .collect(Collectors.toCollection(LinkedHashSet::new));
    for (String store : stores) {
      page.append("| ").append(store).append(" |");
      for (Cell cell : cells) {
        Optional<Figure> figure = board.median(cell, store);
        page.append(" ").append(figure.map(text).orElse("–")).append(" |");
      }
      page.append("\n");
    }
  }

  private static String name(Cell cell) {
    String work = cell.work().label();
    return cell.work().isCore() ? work + ", " + cell.distribution().label() : work;
  }

  /** Adds how far Espalier is ahead of the fastest other store, where that has a target. */
  private void addTargets(StringBuilder page, Setting setting, List<Cell> cells) {
    List<Cell> some = cells.stream().filter(cell -> AsItComes.target(cell).isPresent()).toList();
    if (some.isEmpty()) {
      return;
    }
    List<StoreType> shown =
        types.stream().filter(type -> type.ours() && type.isFor().test(setting)).toList();
    page.append("\nHow many times as fast as the fastest other store:\n\n").append(mark);
    page.append("| | target |");
    shown.forEach(type -> page.append(" ").append(type.name()).append(" |"));
    page.append("\n|---|---:|").append("---:|".repeat(shown.size())).append("\n");
    for (Cell cell : some) {
      double target = AsItComes.target(cell).orElseThrow();
      page.append("| %s | %s |".formatted(name(cell), number(target)));
      for (StoreType type : shown) {
        OptionalDouble ratio = published.board().ratio(cell, type.name(), ours(types));
        page.append(" ").append(ratio.isPresent() ? number(ratio.getAsDouble()) : "–").append(" |");
      }
      page.append("\n");
    }
  }

  /** Returns a figure with about three digits. */
  private static String number(double figure) {
    return String.format(
        Locale.ROOT, figure < FEW ? "%.2f" : figure < SOME ? "%.1f" : "%,.0f", figure);
  }

  /** Returns the names of Espalier's stores. */
  static Set<String> ours(List<StoreType> types) {
    return types.stream().filter(StoreType::ours).map(StoreType::name).collect(Collectors.toSet());
  }
}
