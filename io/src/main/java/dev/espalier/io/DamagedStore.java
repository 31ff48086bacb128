// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.MemoryPageStore;
import dev.espalier.paged.StoredTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A damaged store: as much of its catalogue and its maps as can be read, or found. */
final class DamagedStore implements AutoCloseable {
  /* Overview
   *
   * Where header, catalogue and maps are whole they say where each page is, with its checksum, and
   * so nothing older is taken for it. Where a page of a map is damaged, its pages are searched for
   * in all slots by their seals. The newest version that was found is the right one if
   *
   *   1. nothing else is damaged: every slot that the checkpoint may refer to is sound, but for
   *      those of maps and catalogue, none holds what another one holds, and all pages that are
   *      known are in their slots. So the version that was written last is among those found; and
   *   2. a page that is sound refers to it: so it was not given back since.
   *
   * The tree sees to 2. If 1 does not hold, what is found may be old.
   *
   * Where the catalogue is damaged, names and trees come from an earlier one, for they never change,
   * and the top of each map is searched for as pages are. What a catalogue says of the root is lost
   * then; trees whose nodes are pages do without.
   */

  /** Stands for the number of a checkpoint after any other. */
  private static final long LAST_CHECKPOINT = (1L << 48) - 1;

  /** As many pages as a map may tell of, where it is not known how many. */
  private static final int MOST_PAGES = Integer.MAX_VALUE / 2;

  /** A page of a map that would tell of all pages that there can be. */
  private static final int ALL_OF_A_MAP = PageMap.top(PageMap.MOST_LEVELS - 1);

  private final DamagedFiles files;
  private final List<String> findings;
  private final BufferPool pool;
  private @Nullable SlotScan scan;

  final StoreState state;

  /** Whether any copy of the header is whole. */
  final boolean hasHeader;

  /** Why all of the store may be old, null if it is not. */
  @Nullable String mayBeOld;

  final List<DamagedIndex> indexes = new ArrayList<>();

  /** The ids of indexes whose names no catalogue tells any more. */
  final List<Integer> nameless = new ArrayList<>();

  /**
   * An index of a damaged store.
   *
   * @param entry what the catalogue says of it
   * @param map of its pages
   * @param sure the map without what may be old; the same if nothing may be
   * @param found pages that were searched for
   * @param isDecided whether none was left out because two versions of it were as new
   * @param isWhole whether the map tells of all pages of the index
   * @param hasRoot whether it is known where the tree begins
   */
  record DamagedIndex(
      Catalogue.Entry entry,
      PageMap map,
      PageMap sure,
      BitSet found,
      boolean isDecided,
      boolean isWhole,
      boolean hasRoot) {}

  /**
   * Opens a damaged store.
   *
   * @param findings takes what is wrong
   * @throws PageFileException if there is no file, or no catalogue was found
   */
  DamagedStore(Path path, FileOptions options, List<String> findings) {
    this.findings = findings;
    this.files = new DamagedFiles(path, options, findings);
    BufferPool made = null;
    try {
      StoreHeader header = files.newestHeader();
      this.hasHeader = header != null;
      if (header == null) {
        header = withoutHeader(path);
      }
      PageFile file = files.over(header.pageBytes());
      checkHeaders(path, file, header);
      made = BufferPool.own(options.poolBytes(), header.pageBytes());
      this.pool = made;
      FileOptions reading =
          options.withFlags(FileOption.LAST_CHECKPOINT, FileOption.WITHOUT_READ_AHEAD);
      this.state =
          new StoreState(
              path,
              StoreOptions.DEFAULT.withFiles(reading),
              StoreEnvironment.of(options),
              file,
              pool,
              header);
      readCatalogue();
    } catch (RuntimeException | Error failed) {
      files.close();
      if (made != null) {
        made.close();
      }
      throw failed;
    }
  }

  // ---------------------------------------------------------------- headers

  private void checkHeaders(Path path, PageFile file, StoreHeader header) {
    if (!hasHeader) {
      mayBeOld = "all copies of the header are damaged";
      return;
    }
    if (header.stripes() != files.count()) {
      throw new PageFileException(
          path,
          "the store is spread over %d files, not %d; name also those that are missing"
              .formatted(header.stripes(), files.count()),
          PageFileException.NO_ERRNO);
    }
    int other = (int) ((header.checkpoint() + 1) % 2);
    for (int copy = 0; copy < StoreHeader.COPIES; copy++) {
      boolean isWritten = copy % 2 != other || header.checkpoint() > 0;
      if (isWritten && files.header(copy, header.pageBytes()) == null) {
        findings.add("copy %d of the header is damaged".formatted(copy));
      }
    }
    if (header.checkpoint() > 0
        && files.header(other, header.pageBytes()) == null
        && files.header(other + 2, header.pageBytes()) == null) {
      mayBeOld =
          "two copies of the header are damaged, which may have been those of a checkpoint after"
              + " checkpoint "
              + header.checkpoint();
    }
    long needed = (long) header.slots() * header.pageBytes();
    if (file.bytes() < needed) {
      findings.add("the file has %d bytes of %d".formatted(file.bytes(), needed));
      file.grow(needed);
    }
  }

  /**
   * Makes up a header that tells the size of pages, which is the one with which a catalogue is
   * found.
   */
  private StoreHeader withoutHeader(Path path) {
    findings.add("all copies of the header are damaged");
    for (int bytes = MemoryPageStore.MAX_PAGE_BYTES;
        bytes >= MemoryPageStore.MIN_PAGE_BYTES;
        bytes /= 2) {
      PageFile file = files.over(bytes);
      int end = (int) Math.min(file.bytes() / bytes, Integer.MAX_VALUE - 8);
      int first = (int) (StoreHeader.areaBytes(bytes) / bytes);
      SlotScan attempt = new SlotScan(file, bytes, first, Math.max(first, end), LAST_CHECKPOINT);
      if (attempt.versions(Catalogue.ID, 0).length > 0) {
        scan = attempt;
        return new StoreHeader(
            0, LAST_CHECKPOINT, 0, 0, 0, 0, 0, 0, bytes, 0, end, files.count(), true);
      }
    }
    throw noCatalogue(path);
  }

  private static PageFileException noCatalogue(Path path) {
    return new PageFileException(
        path,
        "has no catalogue that is whole, so nothing tells which trees its pages belong to",
        PageFileException.NO_ERRNO);
  }

  // ---------------------------------------------------------------- catalogue and maps

  private SlotScan scan() {
    if (scan == null) {
      StoreHeader header = state.header;
      scan =
          new SlotScan(
              state.file,
              header.pageBytes(),
              state.space.first(),
              Math.max(state.space.first(), header.slots()),
              header.checkpoint());
    }
    return scan;
  }

  private void readCatalogue() {
    StoreHeader header = state.header;
    if (hasHeader) {
      try {
        Catalogue.Place place =
            new Catalogue.Place(header.catalogueSlot(), header.catalogueChecksum());
        readMaps(readCatalogue(place), true);
        return;
      } catch (RuntimeException damaged) {
        findings.add("the catalogue is damaged: " + damaged.getMessage());
      }
    }
    int[] candidates =
        IntStream.of(scan().versions(Catalogue.ID, 0))
            .boxed()
            .sorted(Comparator.comparingLong(scan()::checkpoint).reversed())
            .mapToInt(Integer::intValue)
            .toArray();
    for (int slot : candidates) {
      Catalogue catalogue;
      try {
        catalogue = readCatalogue(new Catalogue.Place(slot, scan().checksum(slot)));
      } catch (RuntimeException damaged) {
        continue; // An earlier one may be whole.
      }
      findings.add(
          "the indexes are those of the catalogue of checkpoint " + scan().checkpoint(slot));
      readMaps(catalogue, !hasHeader);
      return;
    }
    throw noCatalogue(state.path);
  }

  private Catalogue readCatalogue(Catalogue.Place place) {
    try (PageReader reader = new PageReader(state.file, state.pageBytes())) {
      // Slots that are referred to twice are no reason to refuse it.
      SlotSpace own = new SlotSpace(state.file, state.pageBytes(), null);
      List<Integer> slots = new ArrayList<>();
      Catalogue catalogue = Catalogue.read(place, own, reader, slots);
      slots.forEach(state.space::noteLoaded);
      return catalogue;
    }
  }

  /**
   * Reads the maps of a catalogue.
   *
   * @param isCurrent whether what it says of roots and maps is right, and not only of names
   */
  private void readMaps(Catalogue catalogue, boolean isCurrent) {
    state.note = catalogue.note();
    int slot = state.header.catalogueSlot();
    if (!isCurrent && slot >= state.space.first() && slot < state.space.room()) {
      state.space.noteLoaded(slot); // where the damaged one is
    }
    List<Catalogue.Entry> entries = new ArrayList<>();
    List<PageMap> maps = new ArrayList<>();
    List<List<Integer>> lost = new ArrayList<>();
    try (SalvageReader reader = new SalvageReader(state.file, state.pageBytes())) {
      for (Catalogue.Entry stated : catalogue.entries()) {
        Catalogue.Entry entry = isCurrent ? stated : withTopOfMap(stated);
        entries.add(entry);
        try {
          maps.add(PageMap.read(entry.map(), entry.top(), state.space, reader, entry.id()));
          lost.add(reader.takeLost());
        } catch (CorruptPageException deltas) {
          // Without a delta, any entry of the map may be of long ago.
          findings.add("index '%s': %s".formatted(entry.name(), deltas.getMessage()));
          reader.takeLost();
          maps.add(new PageMap(state.pageBytes()));
          lost.add(List.of(ALL_OF_A_MAP));
        }
      }
    }
    boolean isSearched = !isCurrent || lost.stream().anyMatch(pages -> !pages.isEmpty());
    boolean isProven = !isSearched || (hasHeader && isAllElseSound(entries, maps));
    for (int i = 0; i < entries.size(); i++) {
      indexes.add(damaged(entries.get(i), maps.get(i), lost.get(i), isCurrent, isProven));
    }
    if (!isCurrent) {
      Set<Integer> unnamed = scan().indexes();
      entries.forEach(entry -> unnamed.remove(entry.id()));
      nameless.addAll(unnamed);
      if (mayBeOld == null && !isProven) {
        mayBeOld = "maps were searched for, and later ones may be damaged";
      }
    }
  }

  private boolean isAllElseSound(List<Catalogue.Entry> entries, List<PageMap> maps) {
    for (int i = 0; i < maps.size(); i++) {
      if (!scan().agrees(maps.get(i), entries.get(i).id())) {
        return false;
      }
    }
    return scan().isWhole(state.space);
  }

  /** Returns an index with the newest map that there is. */
  private Catalogue.Entry withTopOfMap(Catalogue.Entry stated) {
    int top = scan().topOfMap(stated.id());
    int delta = scan().newestDelta(stated.id());
    boolean hasDeltas =
        delta != 0 && (top == 0 || scan().checkpoint(delta) > scan().checkpoint(top));
    PageMap.Root root =
        new PageMap.Root(
            top,
            top == 0 ? 0 : scan().checksum(top),
            top == 0 ? 0 : PageMap.level(scan().page(top)) + 1,
            hasDeltas ? new MapDeltas.Place(delta, scan().checksum(delta)) : MapDeltas.Place.NONE,
            hasDeltas ? PageMap.number(scan().page(delta)) + 1 : 0);
    return new Catalogue.Entry(
        stated.id(),
        stated.name(),
        stated.kind(),
        stated.codecs(),
        stated.meta(),
        MOST_PAGES,
        root);
  }

  /** Searches for the pages that the map does not tell of. */
  private DamagedIndex damaged(
      Catalogue.Entry entry, PageMap map, List<Integer> lost, boolean hasRoot, boolean isProven) {
    BitSet found = new BitSet();
    boolean isDecided = true;
    PageMap sure = lost.isEmpty() || isProven ? map : copy(map);
    for (int mapPage : lost) {
      findings.add(
          "index '%s': page %d of level %d of its map is damaged"
              .formatted(entry.name(), PageMap.number(mapPage), PageMap.level(mapPage)));
      long count = PageMap.pagesBelow(mapPage, state.pageBytes());
      long first = Math.max(1, PageMap.number(mapPage) * count);
      long last = Math.min(PageMap.number(mapPage) * count + count - 1, entry.top());
      isDecided &= scan().isDecided(entry.id(), first, last);
      scan()
          .forEachNewest(
              entry.id(),
              first,
              last,
              (page, slot) -> {
                if (map.slot(page) == 0) { // A delta may tell of it.
                  map.set(page, slot, scan().checksum(slot));
                  found.set(page);
                }
              });
    }
    int top = Math.min(entry.top(), map.end() - 1);
    while (top > 0 && map.slot(top) == 0) {
      top--;
    }
    Catalogue.Entry shown =
        new Catalogue.Entry(
            entry.id(),
            entry.name(),
            entry.kind(),
            entry.codecs(),
            StoredTree.metaToRead(entry.kind(), entry.meta()),
            top,
            PageMap.Root.NONE);
    PageMap.Root root = entry.map();
    boolean isWhole = lost.isEmpty() && (hasRoot || root.levels() > 0 || root.deltas() > 0);
    return new DamagedIndex(shown, map, sure, found, isDecided, isWhole, hasRoot);
  }

  private PageMap copy(PageMap map) {
    PageMap copy = new PageMap(state.pageBytes());
    for (int page = 1; page < map.end(); page++) {
      if (map.slot(page) != 0) {
        copy.set(page, map.slot(page), map.checksum(page));
      }
    }
    return copy;
  }

  /** Returns the index without what may be old. */
  static DamagedIndex sure(DamagedIndex index) {
    return new DamagedIndex(
        index.entry,
        index.sure,
        index.sure,
        index.found,
        index.isDecided,
        index.isWhole,
        index.hasRoot);
  }

  @Override
  public void close() {
    try (files) {
      pool.close();
    }
  }
}
