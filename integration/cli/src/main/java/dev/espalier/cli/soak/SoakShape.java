// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import dev.espalier.ConcurrentLongIndex;
import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Medium;
import dev.espalier.bepsilon.BEpsilonTree;
import dev.espalier.bepsilon.BufferedRepositoryTree;
import dev.espalier.bftl.BftlTree;
import dev.espalier.blink.BLinkTree;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.bplus.BPlusTree;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.cachefirst.CacheFirstFpbPlusTree;
import dev.espalier.cola.Cola;
import dev.espalier.cola.DeamortizedCola;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import dev.espalier.csbplus.CsbPlusTree;
import dev.espalier.css.CssTree;
import dev.espalier.css.CssTree.Form;
import dev.espalier.family.Family;
import dev.espalier.fdtree.FdTree;
import dev.espalier.io.FileOptions;
import dev.espalier.memory.PageStore;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import dev.espalier.paged.MicroIndexBPlusTree;
import dev.espalier.pio.PioBTree;
import dev.espalier.pma.CacheObliviousBTree;
import dev.espalier.pma.Densities;
import dev.espalier.pma.PackedMemoryArray;
import dev.espalier.shuttle.ShuttleTree;
import dev.espalier.ttree.TTree;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A tree with certain proportions, in memory or in a file.
 *
 * @param name what users call it by
 * @param tree makes and opens it
 * @param pageBytes bytes of its pages; 0 for a tree without pages, or as by default
 * @param isInFile whether it is in a store, over a pool of a few pages
 */
public record SoakShape(String name, TreeVariant tree, int pageBytes, boolean isInFile) {
  private static final int MOST_ENTRIES = 300_000;

  /** Returns every tree, in memory and in a file, as by default, with small nodes and with wide. */
  public static List<SoakShape> all() {
    List<SoakShape> shapes = new ArrayList<>();
    for (TreeVariant tree : Family.all()) {
      shapes.add(new SoakShape(tree.name(), tree, 0, false));
      if (tree.medium() == Medium.PAGES) {
        shapes.add(new SoakShape(tree.name() + " file", tree, 0, true));
      }
    }
    inMemory().forEach(shapes::add);
    for (SoakShape paged : inPages()) {
      shapes.add(paged);
      shapes.add(new SoakShape(paged.name + " file", paged.tree, paged.pageBytes, true));
    }
    return List.copyOf(shapes);
  }

  /**
   * Tells whether cursors keep what they have read when they moved: those of an index that a store
   * has behind a lock.
   */
  boolean cursorsCopy() {
    if (!isInFile) {
      return false;
    }
    try (LongIndex inMemory = tree.create(IndexOptions.DEFAULT)) {
      return !(inMemory instanceof ConcurrentLongIndex);
    }
  }

  /**
   * Returns to how many entries it is worth growing. In a file, small pages have all the levels of
   * a large index with a third of its entries, and a BFTL reads a node together from many pages.
   */
  int mostEntries() {
    if (!isInFile) {
      return MOST_ENTRIES;
    }
    if (tree.name().equals(BftlTree.VARIANT.name())) {
      return MOST_ENTRIES / 30;
    }
    return pageBytes != 0 && pageBytes < FileOptions.DEFAULT_PAGE_BYTES
        ? MOST_ENTRIES / 3
        : MOST_ENTRIES;
  }

  /**
   * Returns the shape with a name, in any case.
   *
   * @throws IllegalArgumentException if there is none; the message lists all names
   */
  public static SoakShape named(String name) {
    return all().stream()
        .filter(shape -> shape.name.equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no shape is named '" + name + "'; there are " + all()));
  }

  private static Stream<SoakShape> inMemory() {
    return Stream.of(
        memory(BPlusTree.VARIANT, "1", options -> BPlusTree.create(options, 1)),
        memory(BPlusTree.VARIANT, "64", options -> BPlusTree.create(options, 64)),
        pbPlus(1, 1, 0),
        pbPlus(1, 2, 3),
        pbPlus(64, 64, 64),
        concurrent(1, 1),
        concurrent(64, 64),
        memory(TTree.VARIANT, "1", options -> TTree.create(options, 1)),
        memory(TTree.VARIANT, "64", options -> TTree.create(options, 64)),
        css(Form.FULL, 1),
        css(Form.LEVEL, 1),
        css(Form.FULL, 64),
        csbPlus(1, 1, 1, 0),
        csbPlus(1, 1, 3, 3),
        csbPlus(64, 64, 3, 64),
        memory(
            PackedMemoryArray.VARIANT,
            "4",
            options -> PackedMemoryArray.create(options, segments(4))),
        memory(
            PackedMemoryArray.VARIANT,
            "512",
            options -> PackedMemoryArray.create(options, segments(512))),
        memory(
            CacheObliviousBTree.VARIANT,
            "4",
            options -> CacheObliviousBTree.create(options, segments(4))),
        memory(
            CacheObliviousBTree.VARIANT,
            "512",
            options -> CacheObliviousBTree.create(options, segments(512))),
        shuttle(2),
        shuttle(512));
  }

  private static List<SoakShape> inPages() {
    List<SoakShape> shapes = new ArrayList<>();
    for (int bytes : new int[] {256, 1 << 10, 64 << 10}) {
      shapes.add(paged(DiskOptimizedBPlusTree.VARIANT, bytes, "", DiskOptimizedBPlusTree::open));
      shapes.add(paged(BLinkTree.VARIANT, bytes, "", BLinkTree::open));
      shapes.add(paged(BufferedRepositoryTree.VARIANT, bytes, "", BufferedRepositoryTree::open));
    }
    shapes.add(microIndex(256, 1));
    shapes.add(microIndex(64 << 10, 32));
    shapes.add(diskFirst(256, 1, 1));
    shapes.add(diskFirst(1 << 10, 1, 1));
    shapes.add(diskFirst(4 << 10, 32, 3));
    shapes.add(fpbLink(256, 1, 1));
    shapes.add(fpbLink(4 << 10, 2, 5));
    shapes.add(cacheFirst(256, 1));
    shapes.add(cacheFirst(64 << 10, 32));
    shapes.add(cola(1 << 10, 2, 1, 2));
    shapes.add(cola(16 << 10, 8, 0.05, 40));
    shapes.add(deamortizedCola(1 << 10, 2));
    shapes.add(deamortizedCola(16 << 10, 300));
    shapes.add(bEpsilon(256, BEpsilonTree.Geometry.MIN_FANOUT));
    shapes.add(bEpsilon(4 << 10, 16));
    shapes.add(pio(256, 1, 1));
    shapes.add(pio(1 << 10, 2, 16));
    shapes.add(pio(4 << 10, 16, 1));
    shapes.add(pio(16 << 10, 4, 64));
    shapes.add(fd(1, 2));
    shapes.add(fd(3, 4));
    shapes.add(bftl(256, 1, 1));
    shapes.add(bftl(1 << 10, 2, 4));
    shapes.add(bftl(4 << 10, 64, 64));
    return shapes;
  }

  private static SoakShape memory(
      TreeVariant tree, String proportions, Function<IndexOptions, LongIndex> factory) {
    return new SoakShape(
        tree.name() + " " + proportions,
        TreeVariant.inMemory(tree.name(), tree.paper(), factory),
        0,
        false);
  }

  private static SoakShape paged(
      TreeVariant tree,
      int pageBytes,
      String proportions,
      BiFunction<IndexOptions, PageStore, LongIndex> opener) {
    TreeVariant proportioned =
        TreeVariant.inPages(
            tree.name(),
            tree.paper(),
            options -> opener.apply(options, options.pagesInMemory(pageBytes)),
            opener);
    String name = (tree.name() + " " + pageBytes + " " + proportions).strip();
    return new SoakShape(name, proportioned, pageBytes, false);
  }

  private static SoakShape pbPlus(int innerWidth, int leafWidth, int distance) {
    PbPlusTree.Geometry geometry = new PbPlusTree.Geometry(innerWidth, leafWidth, distance);
    return memory(
        PbPlusTree.VARIANT,
        innerWidth + " " + leafWidth + " " + distance,
        options -> PbPlusTree.create(options, geometry));
  }

  private static SoakShape concurrent(int innerWidth, int leafWidth) {
    ConcurrentPbPlusTree.Geometry geometry =
        new ConcurrentPbPlusTree.Geometry(innerWidth, leafWidth);
    return memory(
        ConcurrentPbPlusTree.VARIANT,
        innerWidth + " " + leafWidth,
        options -> ConcurrentPbPlusTree.create(options, geometry));
  }

  private static SoakShape css(Form form, int width) {
    CssTree.Geometry geometry = new CssTree.Geometry(form, width);
    return memory(
        CssTree.VARIANT, form + " " + width, options -> CssTree.create(options, geometry));
  }

  private static SoakShape csbPlus(int innerWidth, int leafWidth, int segments, int distance) {
    CsbPlusTree.Geometry geometry =
        new CsbPlusTree.Geometry(innerWidth, leafWidth, segments, distance);
    return memory(
        CsbPlusTree.VARIANT,
        innerWidth + " " + leafWidth + " " + segments + " " + distance,
        options -> CsbPlusTree.create(options, geometry));
  }

  private static PackedMemoryArray.Geometry segments(int slots) {
    return new PackedMemoryArray.Geometry(slots, Densities.UPDATE_ORIENTED);
  }

  private static SoakShape shuttle(int leafEntries) {
    ShuttleTree.Geometry geometry =
        new ShuttleTree.Geometry(ShuttleTree.Schedule.SHIFTED, 4, leafEntries);
    return memory(
        ShuttleTree.VARIANT,
        String.valueOf(leafEntries),
        options -> ShuttleTree.create(options, geometry));
  }

  private static SoakShape microIndex(int pageBytes, int subArrayLines) {
    return paged(
        MicroIndexBPlusTree.VARIANT,
        pageBytes,
        String.valueOf(subArrayLines),
        (options, store) -> MicroIndexBPlusTree.open(options, store, subArrayLines));
  }

  private static SoakShape diskFirst(int pageBytes, int innerWidth, int leafWidth) {
    DiskFirstFpbPlusTree.Geometry geometry =
        new DiskFirstFpbPlusTree.Geometry(innerWidth, leafWidth);
    return paged(
        DiskFirstFpbPlusTree.VARIANT,
        pageBytes,
        innerWidth + " " + leafWidth,
        (options, store) -> DiskFirstFpbPlusTree.open(options, store, geometry));
  }

  private static SoakShape fpbLink(int pageBytes, int innerWidth, int leafWidth) {
    DiskFirstFpbPlusTree.Geometry geometry =
        new DiskFirstFpbPlusTree.Geometry(innerWidth, leafWidth);
    return paged(
        FpbLinkTree.VARIANT,
        pageBytes,
        innerWidth + " " + leafWidth,
        (options, store) -> FpbLinkTree.open(options, store, geometry));
  }

  private static SoakShape cacheFirst(int pageBytes, int width) {
    CacheFirstFpbPlusTree.Geometry geometry = new CacheFirstFpbPlusTree.Geometry(width);
    return paged(
        CacheFirstFpbPlusTree.VARIANT,
        pageBytes,
        String.valueOf(width),
        (options, store) -> CacheFirstFpbPlusTree.open(options, store, geometry));
  }

  private static SoakShape cola(int pageBytes, int growth, double pointerDensity, int batch) {
    Cola.Geometry geometry = new Cola.Geometry(growth, pointerDensity, batch);
    return paged(
        Cola.VARIANT,
        pageBytes,
        growth + " " + pointerDensity + " " + batch,
        (options, store) -> Cola.open(options, store, geometry));
  }

  private static SoakShape deamortizedCola(int pageBytes, int batch) {
    DeamortizedCola.Geometry geometry = new DeamortizedCola.Geometry(batch);
    return paged(
        DeamortizedCola.VARIANT,
        pageBytes,
        String.valueOf(batch),
        (options, store) -> DeamortizedCola.open(options, store, geometry));
  }

  private static SoakShape bEpsilon(int pageBytes, int fanout) {
    BEpsilonTree.Geometry geometry = new BEpsilonTree.Geometry(fanout);
    return paged(
        BEpsilonTree.VARIANT,
        pageBytes,
        String.valueOf(fanout),
        (options, store) -> BEpsilonTree.open(options, store, geometry));
  }

  private static SoakShape pio(int pageBytes, int leafSegments, int queuePages) {
    PioBTree.Geometry geometry = new PioBTree.Geometry(leafSegments, queuePages, 64, 100, 1000);
    return paged(
        PioBTree.VARIANT,
        pageBytes,
        leafSegments + " " + queuePages,
        (options, store) -> PioBTree.open(options, store, geometry));
  }

  private static SoakShape fd(int headPages, int ratio) {
    FdTree.Geometry geometry = new FdTree.Geometry(ratio, headPages);
    return paged(
        FdTree.VARIANT,
        1 << 10,
        headPages + " " + ratio,
        (options, store) -> FdTree.open(options, store, geometry));
  }

  private static SoakShape bftl(int pageBytes, int bufferPages, int listBound) {
    BftlTree.Geometry geometry = new BftlTree.Geometry(bufferPages, listBound);
    return paged(
        BftlTree.VARIANT,
        pageBytes,
        bufferPages + " " + listBound,
        (options, store) -> BftlTree.open(options, store, geometry));
  }

  @Override
  public String toString() {
    return name;
  }
}
