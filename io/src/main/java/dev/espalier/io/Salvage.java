// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.IndexOptions;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.TreeVariant;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.paged.StoredTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Saves what can still be read of a damaged store, whether its headers, its catalogue, its maps,
 * its pages or its log are damaged, or one of several files is missing. The damaged files are only
 * read.
 *
 * <p>What is saved goes to a new store, with indexes of the same names and trees. What is not saved
 * is reported as ranges of keys. A page is taken for the one that was written last only if its
 * checksum in a map, or the seals of all pages, show that it is.
 */
public final class Salvage {
  /** Appended to the name of the new store until it is complete. */
  private static final String BEING_SAVED = ".salvage";

  private static final String NO_ROOT = "the catalogue that tells where its tree begins is damaged";

  private static final String PAGES_MAY_BE_MISSING =
      "its map is damaged, and its tree can't tell whether pages are missing, or were given back";

  /** Entries between two reports of progress. */
  private static final int REPORT_ENTRIES = 4096;

  private final List<String> findings = new ArrayList<>();
  private final DamagedStore damaged;
  private final IndexStore target;
  private final ProgressListener listener;
  private final Map<Integer, LongIndex> saved = new HashMap<>();
  private final Map<Integer, BytesIndex> savedStrings = new HashMap<>();
  private final List<SalvageReport.Index> reports = new ArrayList<>();
  private long entries;

  private Salvage(DamagedStore damaged, IndexStore target, ProgressListener listener) {
    this.damaged = damaged;
    this.target = target;
    this.listener = listener;
  }

  /**
   * Saves what can be read of a damaged store into a new one. O(pages + entries).
   *
   * @param path the path of the damaged store, which nobody may have open for writing
   * @param options the options, of which engine, stripes, variant and size of the pool matter; name
   *     all stripes, including those that are missing
   * @param target a file that does not exist. If this throws an exception, it does not exist
   *     afterwards either, unless someone else has made it
   * @param listener told how many entries were saved; may cancel
   * @throws PageFileException if the store can't be opened, one of its files belongs to another
   *     store, no catalogue was found, or the new store can't be made
   * @throws CancellationException if the listener cancels
   */
  public static SalvageReport salvage(
      Path path, FileOptions options, Path target, ProgressListener listener) {
    List<Path> files = new ArrayList<>(List.of(path));
    files.addAll(options.stripes());
    Path unfinished = target.resolveSibling(target.getFileName() + BEING_SAVED);
    SystemFiles system = new SystemFiles(options.engine(), options.engine());
    UnfinishedFile made = new UnfinishedFile(system, target, unfinished);
    made.checkAbsent();
    files.removeIf(file -> !Files.exists(file));
    try (OpenFiles.Claim claim = OpenFiles.claim(files)) {
      claim.lock(true);
      SalvageReport report = write(path, options, unfinished, listener);
      made.finish();
      return report;
    } finally {
      IndexStore.files(unfinished).forEach(file -> file.toFile().delete());
    }
  }

  private static SalvageReport write(
      Path path, FileOptions options, Path unfinished, ProgressListener listener) {
    IndexStore.files(unfinished).forEach(file -> file.toFile().delete());
    List<String> findings = new ArrayList<>();
    try (DamagedStore damaged = new DamagedStore(path, options, findings)) {
      FileOptions fresh =
          FileOptions.DEFAULT
              .withPageBytes(damaged.state.pageBytes())
              .withPoolBytes(options.poolBytes())
              .withEngine(options.engine())
              .withFlags(FileOption.MUST_BE_NEW);
      StoreOptions all = StoreOptions.DEFAULT.withFiles(fresh);
      try (IndexStore target = IndexStore.open(unfinished, all)) {
        Salvage salvage = new Salvage(damaged, target, listener);
        salvage.findings.addAll(findings);
        return salvage.run();
      }
    }
  }

  private SalvageReport run() {
    List<Losses> losses = new ArrayList<>();
    for (DamagedStore.DamagedIndex index : damaged.indexes) {
      losses.add(
          StoredCodecs.areByteStrings(index.entry().codecs())
              ? saveStrings(index)
              : new Losses(save(index), new ArrayList<>()));
    }
    SalvageLog log = new SalvageLog(damaged.state, target, saved, savedStrings, findings);
    String later = damaged.hasHeader ? log.replay() : null;
    for (int i = 0; i < losses.size(); i++) {
      reports.add(report(damaged.indexes.get(i).entry(), losses.get(i), later));
    }
    for (Catalogue.Entry entry : log.made()) {
      reports.add(report(entry, new Losses(new ArrayList<>(), new ArrayList<>()), later));
    }
    Set<Integer> nameless = new TreeSet<>(damaged.nameless);
    nameless.addAll(log.unknown());
    damaged.indexes.forEach(index -> nameless.remove(index.entry().id())); // They are reported.
    for (int id : nameless) {
      SalvageReport.Range all = lost("the catalogue that names it is damaged");
      reports.add(
          new SalvageReport.Index("(index " + id + ")", "unknown", 0, List.of(all), List.of()));
    }
    if (damaged.state.note.length > 0) {
      target.commit(damaged.state.note);
    }
    return new SalvageReport(List.copyOf(findings), log.records(), List.copyOf(reports));
  }

  /** What was not saved of an index, of longs or of byte strings. */
  private record Losses(List<SalvageReport.Range> ranges, List<SalvageReport.KeyRange> keyRanges) {}

  private SalvageReport.Index report(Catalogue.Entry entry, Losses losses, @Nullable String later) {
    BytesIndex strings = savedStrings.get(entry.id());
    if (strings != null) {
      addIfOldStrings(losses.keyRanges, damaged.mayBeOld);
      addIfOldStrings(losses.keyRanges, later);
      return new SalvageReport.Index(
          entry.name(),
          entry.kind(),
          strings.size(),
          List.of(),
          losses.keyRanges.stream()
              .sorted(Comparator.comparing(SalvageReport.KeyRange::first, Arrays::compareUnsigned))
              .toList());
    }
    addIfOld(losses.ranges, damaged.mayBeOld);
    addIfOld(losses.ranges, later);
    LongIndex index = saved.get(entry.id());
    return new SalvageReport.Index(
        entry.name(),
        entry.kind(),
        index == null ? 0 : index.size(),
        losses.ranges.stream()
            .sorted(Comparator.comparingLong(SalvageReport.Range::first))
            .toList(),
        List.of());
  }

  private static void addIfOldStrings(List<SalvageReport.KeyRange> ranges, @Nullable String why) {
    if (why != null) {
      ranges.add(new SalvageReport.KeyRange(new byte[0], null, true, why));
    }
  }

  private static SalvageReport.Range lost(String why) {
    return new SalvageReport.Range(Long.MIN_VALUE, Long.MAX_VALUE, false, why);
  }

  private static void addIfOld(List<SalvageReport.Range> ranges, @Nullable String why) {
    if (why != null) {
      ranges.add(new SalvageReport.Range(Long.MIN_VALUE, Long.MAX_VALUE, true, why));
    }
  }

  // ---------------------------------------------------------------- one index

  private Losses saveStrings(DamagedStore.DamagedIndex index) {
    BytesIndex into =
        target
            .indexes()
            .bytesIndex(index.entry().name(), StoredCodecs.marks(index.entry().codecs()));
    savedStrings.put(index.entry().id(), into);
    long before = entries;
    SalvageStrings strings = new SalvageStrings(damaged.state, index, into);
    List<SalvageReport.KeyRange> lost =
        strings.save((done, total) -> listener.onProgress(before + done, total));
    entries += into.size();
    return new Losses(List.of(), lost);
  }

  /** Saves an index, and returns what was not saved. */
  private List<SalvageReport.Range> save(DamagedStore.DamagedIndex index) {
    Catalogue.Entry entry = index.entry();
    List<SalvageReport.Range> ranges = new ArrayList<>();
    TreeVariant variant;
    try {
      variant = damaged.state.variant(entry.kind());
    } catch (IllegalArgumentException unknown) {
      ranges.add(lost(String.valueOf(unknown.getMessage())));
      return ranges;
    }
    LongIndex into =
        target.indexes().index(entry.name(), variant, StoredCodecs.marks(entry.codecs()));
    saved.put(entry.id(), into);
    boolean isGuess = !index.isWhole() && StoredTree.readsAllPagesInUse(entry.kind());
    if (isGuess || index.sure() == index.map()) {
      try (Opened opened = new Opened(damaged.state, index, variant)) {
        load(into, opened.walk);
        opened.walk.lost().forEach(lost -> ranges.add(lost.asRange(false, "")));
      }
      addIfOld(ranges, isGuess ? PAGES_MAY_BE_MISSING : null);
      return ranges;
    }
    List<SalvageWalk.Lost> unsure = walkOverSure(index, variant);
    try (Opened sure = new Opened(damaged.state, DamagedStore.sure(index), variant);
        Opened all = new Opened(damaged.state, index, variant)) {
      load(into, new SalvageMerge(sure.walk, all.walk, unsure));
    }
    unsure.forEach(
        lost -> ranges.add(lost.asRange(true, "found in pages without a map, which may be old: ")));
    return ranges;
  }

  /** Returns the ranges for which pages that may be old are needed. */
  private List<SalvageWalk.Lost> walkOverSure(
      DamagedStore.DamagedIndex index, TreeVariant variant) {
    try (Opened sure = new Opened(damaged.state, DamagedStore.sure(index), variant)) {
      for (long done = 1; sure.walk.next(); done++) {
        if (done % REPORT_ENTRIES == 0 && !listener.onProgress(entries, -1)) {
          throw new CancellationException("cancelled");
        }
      }
      return sure.walk.lost();
    }
  }

  private void load(LongIndex into, LongEntrySource source) {
    into.bulkload(source, 1, -1, (done, _) -> listener.onProgress(entries + done, -1));
    entries += into.size();
  }

  /** A walk over a damaged index, and what it reads. */
  private static final class Opened implements AutoCloseable {
    private final SlotPageStore pages;
    private final Leaves leaves;
    final SalvageWalk walk;

    Opened(StoreState state, DamagedStore.DamagedIndex index, TreeVariant variant) {
      pages = state.pages(new IndexPages(index.entry(), index.map()));
      leaves = new Leaves(state, index);
      try {
        walk = index.hasRoot() ? walkOverTree(variant) : SalvageWalk.withoutTree(NO_ROOT, leaves);
      } catch (RuntimeException | Error failed) {
        close();
        throw failed;
      }
    }

    private SalvageWalk walkOverTree(TreeVariant variant) {
      LongIndex tree;
      try {
        tree = variant.open(IndexOptions.DEFAULT, pages);
      } catch (RuntimeException refused) {
        return SalvageWalk.withoutTree(String.valueOf(refused.getMessage()), () -> null);
      }
      return SalvageWalk.over(tree, leaves);
    }

    @Override
    public void close() {
      try (leaves) {
        pages.close();
      }
    }
  }

  /** The leaf pages of an index, found when they are first asked for. */
  private static final class Leaves implements Supplier<@Nullable OrphanLeaves>, AutoCloseable {
    private final StoreState state;
    private final DamagedStore.DamagedIndex index;
    private @Nullable OrphanLeaves found;

    Leaves(StoreState state, DamagedStore.DamagedIndex index) {
      this.state = state;
      this.index = index;
    }

    @Override
    public @Nullable OrphanLeaves get() {
      if (found == null && StoredTree.hasPagesAsNodes(index.entry().kind())) {
        found = new OrphanLeaves(state, index);
      }
      return found;
    }

    @Override
    public void close() {
      if (found != null) {
        found.close();
      }
    }
  }
}
