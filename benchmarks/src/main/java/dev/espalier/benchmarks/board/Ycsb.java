// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import dev.espalier.benchmarks.DataSize;
import dev.espalier.benchmarks.Header;
import dev.espalier.benchmarks.Machine;
import dev.espalier.benchmarks.NativeRequirement;
import dev.espalier.benchmarks.Publication;
import dev.espalier.benchmarks.WorkerJvm;
import dev.espalier.benchmarks.ratios.Ratios;
import dev.espalier.cli.AsciiDigits;
import dev.espalier.cli.CommandFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The workloads of YCSB and of {@code db_bench} on every store. What was measured is written after
 * each cell of the board, and is not measured again by a later call.
 */
@Command(
    name = "ycsb",
    mixinStandardHelpOptions = true,
    description = {
      "YCSB's workloads and those of db_bench, on Espalier and every other store.",
      "Measures what the file of figures lacks, and writes a page and a heat map."
    },
    sortOptions = false)
public final class Ycsb implements Runnable {
  private static final String NAME = "ycsb";

  private static final int ENTRIES = 1_000_000;

  /** Of all keys and values, where they are ten times the pool. */
  private static final int BYTES_BEYOND = 500_000_000;

  /** A quick run loads one in so many of the entries. */
  private static final int QUICK_PART = 20;

  private static final int QUICK_MILLIS = 100;

  /** A day: longer than any store takes. */
  private static final int WHOLE_FILL_MILLIS = 24 * 60 * 60 * 1000;

  private static final Duration QUICK = Duration.ofMinutes(9);

  private static final long HEAP_BYTES = 512L << 20;

  /** A skip list's own objects for an entry, and room for the collector. */
  private static final long HEAP_BYTES_PER_ENTRY = 400;

  /** What the program itself knows of an entry, and room for twice as many. */
  private static final long STATE_BYTES_PER_ENTRY = 24;

  @Option(
      names = "--entries",
      paramLabel = "N",
      description =
          "Entries that are loaded, like 1000000 or 1M (default: 1M, as it comes 8M longs, ten"
              + " times the pool 500 MB; quick: a twentieth).")
  private @Nullable String entries;

  @Option(
      names = "--kinds",
      split = ",",
      description =
          "Keys and values: ${COMPLETION-CANDIDATES} (default: all; as it comes: LONGS,"
              + " STRINGS_100).")
  private Set<Setting.Kind> kinds = EnumSet.noneOf(Setting.Kind.class);

  @Option(
      names = "--data",
      split = ",",
      description =
          "Where the entries are: ${COMPLETION-CANDIDATES} (default: all). AS_IT_COMES opens a"
              + " store with nothing set, which is NOTHING for --sync.")
  private Set<Setting.Data> data = EnumSet.noneOf(Setting.Data.class);

  @Option(
      names = "--sync",
      split = ",",
      description = "When writes are safe: ${COMPLETION-CANDIDATES} (default: both).")
  private Set<Setting.Sync> syncs = EnumSet.noneOf(Setting.Sync.class);

  @Option(
      names = "--crews",
      split = ",",
      description = "Threads: ${COMPLETION-CANDIDATES} (default: all).")
  private Set<Crew> crews = EnumSet.noneOf(Crew.class);

  @Option(
      names = "--works",
      split = ",",
      description =
          "What the threads do: ${COMPLETION-CANDIDATES} (default: all; as it comes: FILL_RANDOM,"
              + " A, C, E).")
  private Set<Work> works = EnumSet.noneOf(Work.class);

  @Option(
      names = "--distributions",
      split = ",",
      description = "How YCSB's keys are drawn: ${COMPLETION-CANDIDATES} (default: all).")
  private Set<Distribution> distributions = EnumSet.noneOf(Distribution.class);

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "STORE",
      description = "The stores that are measured (default: all).")
  private Set<String> only = Set.of();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds, after one for warm-up (default: 3, quick: 1).")
  private @Nullable Integer rounds;

  @Option(
      names = "--millis",
      paramLabel = "N",
      description = "Milliseconds of a round (default: 1000, quick: 100).")
  private @Nullable Integer millis;

  @Option(
      names = "--to-the-end",
      description = {
        "Fill each store to the end, however long that takes, and without a warm-up.",
        "By default a fill ends after 10 microseconds for each entry."
      })
  private boolean toTheEnd;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "Begin no further measurement after so long; the next call goes on.")
  private @Nullable Integer minutes;

  @Option(
      names = "--quick",
      description = "Little data, short rounds, one or two threads: ends in ten minutes.")
  private boolean quick;

  @Option(
      names = "--page",
      description = "Measure nothing, and write page and map of what has been measured.")
  private boolean pageOnly;

  @Option(
      names = "--docs",
      paramLabel = "DIR",
      defaultValue = "benchmarks/target/ycsb",
      description = "The folder to which measurements and images go (default: ${DEFAULT-VALUE}).")
  private Path docs = Path.of("");

  @Spec private @Nullable CommandSpec command;

  private final List<String> failures = new ArrayList<>();

  /** Measures; the exit status is not 0 if that failed or an answer was wrong. */
  public static void main(String[] args) {
    System.exit(AsciiDigits.execute(Ratios.commandLine(new Ycsb()), args));
  }

  @Override
  public void run() {
    if (!pageOnly) {
      measure();
    }
    writePage();
    if (!failures.isEmpty()) {
      throw new CommandFailure("left out:\n" + String.join("\n", failures));
    }
  }

  private Path figures() {
    return docs.resolve("measurements").resolve("runs").resolve(NAME + ".json");
  }

  // ---------------------------------------------------------------- measuring

  private void measure() {
    Header.lines().forEach(System.out::println);
    NativeRequirement.check();
    only.forEach(Stores::named);
    makeFolder(figures());
    BoardFile file = new BoardFile(figures(), facts());
    long deadline = System.nanoTime() + budget().toNanos();
    for (Plan plan : plans()) {
      for (Setting setting : plan.settings()) {
        measure(setting, plan.cells(setting), file, deadline);
      }
    }
  }

  /** Returns what is measured, in order: first stores as they come, which users meet first. */
  List<Plan> plans() {
    Set<Setting.Data> tuned =
        chosen(
            data,
            Setting.Data.class,
            EnumSet.of(Setting.Data.AS_IT_COMES, Setting.Data.MEMORY, Setting.Data.POOL));
    List<Plan> plans = new ArrayList<>();
    if (tuned.remove(Setting.Data.AS_IT_COMES)) {
      for (Setting.Kind kind : typedOr(kinds, AsItComes.KINDS)) {
        plans.add(
            plan(
                EnumSet.of(kind),
                EnumSet.of(Setting.Data.AS_IT_COMES),
                typedOr(works, AsItComes.WORKS),
                count(AsItComes.entries(kind))));
      }
    }
    Set<Setting.Kind> someKinds =
        chosen(kinds, Setting.Kind.class, EnumSet.of(Setting.Kind.LONGS, Setting.Kind.STRINGS_100));
    Set<Work> someWorks = chosen(works, Work.class, EnumSet.allOf(Work.class));
    boolean isBeyond = tuned.remove(Setting.Data.TENFOLD);
    plans.add(plan(someKinds, tuned, someWorks, count(ENTRIES)));
    if (isBeyond) {
      for (Setting.Kind kind : someKinds) {
        plans.add(
            plan(
                EnumSet.of(kind),
                EnumSet.of(Setting.Data.TENFOLD),
                someWorks,
                count(entriesBeyond(kind))));
      }
    }
    return plans;
  }

  /** Returns how many entries have more bytes than a process has memory besides. */
  private static int entriesBeyond(Setting.Kind kind) {
    return BYTES_BEYOND / (kind.keyBytes() + kind.valueBytes());
  }

  private Plan plan(
      Set<Setting.Kind> someKinds, Set<Setting.Data> someData, Set<Work> someWorks, int loaded) {
    return new Plan(
        someKinds,
        someData,
        chosen(syncs, Setting.Sync.class, EnumSet.allOf(Setting.Sync.class)),
        chosen(crews, Crew.class, EnumSet.of(Crew.ONE, Crew.TWO)),
        someWorks,
        chosen(distributions, Distribution.class, EnumSet.of(Distribution.ZIPF)),
        loaded);
  }

  private <T extends Enum<T>> Set<T> chosen(Set<T> typed, Class<T> type, Set<T> ifQuick) {
    return typedOr(typed, quick ? ifQuick : EnumSet.allOf(type));
  }

  private static <T extends Enum<T>> Set<T> typedOr(Set<T> typed, Set<T> otherwise) {
    return EnumSet.copyOf(typed.isEmpty() ? otherwise : typed);
  }

  private int count(int ifFull) {
    return entries != null
        ? Math.toIntExact(DataSize.entries(entries))
        : quick ? ifFull / QUICK_PART : ifFull;
  }

  private int wantedRounds() {
    return rounds != null ? rounds : quick ? 1 : 3;
  }

  private int wantedMillis() {
    return millis != null ? millis : quick ? QUICK_MILLIS : 1000;
  }

  private Duration budget() {
    if (minutes != null) {
      return Duration.ofMinutes(minutes);
    }
    return quick ? QUICK : Duration.ofDays(365);
  }

  private Map<String, Object> facts() {
    Map<String, Object> facts = Publication.facts(Objects.requireNonNull(command));
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("entries", count(ENTRIES));
    for (Setting.Kind kind : AsItComes.KINDS) {
      settings.put("entries as it comes, " + kind.label(), count(AsItComes.entries(kind)));
    }
    settings.put("milliseconds of a round", wantedMillis());
    for (Setting.Kind kind : Setting.Kind.values()) {
      settings.put("entries, ten times the pool, " + kind.label(), count(entriesBeyond(kind)));
    }
    settings.put("memory, ten times the pool", boundedMemory());
    facts.put("settings", settings);
    return facts;
  }

  /** Returns whether stores can be kept from having more memory than their pool. */
  private static String boundedMemory() {
    Optional<MemoryGroup> group = MemoryGroup.join();
    group.ifPresent(MemoryGroup::close);
    return group.isPresent() ? "bounded by control groups" : "not bounded";
  }

  private void measure(Setting setting, List<Cell> cells, BoardFile file, long deadline) {
    List<StoreType> types =
        Stores.all().stream()
            .filter(type -> type.isFor().test(setting))
            .filter(type -> only.isEmpty() || only.contains(type.name()))
            .filter(type -> cells.stream().anyMatch(cell -> isWanted(cell, type.name(), file)))
            .toList();
    Map<String, WorkerJvm> workers = new LinkedHashMap<>();
    try {
      for (StoreType type : types) {
        if (System.nanoTime() - deadline < 0) {
          attempt(
              type.name(),
              setting.label(),
              workers,
              () -> workers.put(type.name(), start(type.name(), setting)));
        }
      }
      for (Cell cell : cells) {
        if (System.nanoTime() - deadline < 0) {
          measure(cell, workers, file);
        }
      }
    } finally {
      workers.values().forEach(WorkerJvm::close);
    }
  }

  private boolean isWanted(Cell cell, String store, BoardFile file) {
    return file.board().rounds(cell, store).size() < wantedRounds();
  }

  private void measure(Cell cell, Map<String, WorkerJvm> workers, BoardFile file) {
    Set<String> wanted = new LinkedHashSet<>(workers.keySet());
    wanted.removeIf(store -> !isWanted(cell, store, file));
    boolean isWhole = toTheEnd && cell.work().isFill();
    int time = isWhole ? WHOLE_FILL_MILLIS : wantedMillis();
    for (int round = isWhole ? 1 : 0; round <= wantedRounds(); round++) {
      for (String store : wanted) {
        boolean isWarmUp = round == 0;
        WorkerJvm worker = workers.get(store);
        if (worker != null && (isWarmUp || isWanted(cell, store, file))) {
          attempt(
              store,
              cell.toString(),
              workers,
              () -> {
                Figure figure = Figure.parse(worker.ask(cell.request(time)));
                if (!isWarmUp) {
                  file.board().add(cell, store, figure);
                  System.out.printf(
                      Locale.ROOT, "%s: %s, %.1f thousand/s%n", cell, store, figure.rate());
                }
              });
        }
      }
    }
    if (!wanted.isEmpty()) {
      file.write();
    }
  }

  /** Does something with a store, and goes on without the store if that fails. */
  private void attempt(
      String store, String what, Map<String, WorkerJvm> workers, Runnable something) {
    try {
      something.run();
    } catch (IllegalStateException | IllegalArgumentException | UncheckedIOException e) {
      failures.add(store + ", " + what + ": " + e.getMessage());
      System.err.println(failures.getLast());
      WorkerJvm failed = workers.remove(store);
      if (failed != null) {
        failed.close();
      }
    }
  }

  private static WorkerJvm start(String store, Setting setting) {
    long wanted =
        setting.isBounded()
            ? HEAP_BYTES + 2 * setting.poolBytes() + setting.entries() * STATE_BYTES_PER_ENTRY
            : HEAP_BYTES + 2 * setting.dataBytes() + setting.entries() * HEAP_BYTES_PER_ENTRY;
    long heap = Math.min(wanted, Machine.availableMemoryBytes().orElse(wanted) / 2);
    List<String> flags = new ArrayList<>(WorkerJvm.FAST);
    flags.addAll(WorkerJvm.BESIDE_OTHERS);
    flags.add("-Xmx" + (heap >> 20) + "m");
    if (setting.isBounded()) {
      // The heap has all its memory when the store is loaded, so that what is left is for the file.
      flags.add("-Xms" + (heap >> 20) + "m");
      flags.add("-XX:+AlwaysPreTouch");
    }
    flags.add("-XX:MaxDirectMemorySize=" + (heap >> 19) + "m");
    // TuplDB and MapDB reach for memory by sun.misc.Unsafe.
    flags.add("--sun-misc-unsafe-memory-access=allow");
    flags.add(
        "-D%s=%s"
            .formatted(
                NativeRequirement.PROPERTY,
                System.getProperty(NativeRequirement.PROPERTY, "required")));
    return new WorkerJvm(
        store,
        flags,
        BoardWorker.class,
        List.of(
            store,
            setting.kind().name(),
            setting.data().name(),
            setting.sync().name(),
            Integer.toString(setting.entries())),
        BoardWorker.READY);
  }

  // ---------------------------------------------------------------- writing

  private void writePage() {
    BoardFile.Published published = BoardFile.published(figures());
    List<StoreType> types = Stores.all();
    Path map = docs.resolve("images").resolve(NAME + ".svg");
    Path page = docs.resolve("measurements").resolve(NAME + ".md");
    write(map, new HeatMap(published.board(), BoardPage.ours(types)).svg());
    write(page, new BoardPage(published, NAME, types).text("../images/" + NAME + ".svg"));
    System.out.println("written:     " + page + ", " + map);
    System.out.println("load:        " + Machine.loadAverage());
  }

  private static void makeFolder(Path file) {
    try {
      Files.createDirectories(Objects.requireNonNull(file.getParent()));
    } catch (IOException e) {
      throw new CommandFailure("can't write " + file + ": " + e, e);
    }
  }

  private static void write(Path file, String text) {
    makeFolder(file);
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new CommandFailure("can't write " + file + ": " + e, e);
    }
  }
}
