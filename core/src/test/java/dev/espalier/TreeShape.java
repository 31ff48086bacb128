// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import dev.espalier.bepsilon.BEpsilonTree;
import dev.espalier.bepsilon.BufferedRepositoryTree;
import dev.espalier.bftl.BftlTree;
import dev.espalier.blink.BLinkTree;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.bplus.BPlusTree;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.bplus.PbPlusTree.Geometry;
import dev.espalier.cachefirst.CacheFirstFpbPlusTree;
import dev.espalier.cola.Cola;
import dev.espalier.cola.DeamortizedCola;
import dev.espalier.concurrent.ConcurrentPbPlusTree;
import dev.espalier.csbplus.CsbPlusTree;
import dev.espalier.css.CssTree;
import dev.espalier.css.CssTree.Form;
import dev.espalier.css.DigestCssTree;
import dev.espalier.family.Family;
import dev.espalier.fdtree.FdTree;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.model.MemoryTimes;
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
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A tree of the catalogue with certain proportions: what the contracts of all trees iterate over.
 */
public record TreeShape(
    String name, Function<IndexOptions, LongIndex> factory, long leastMemoryLimit) {

  /** A tree that lives with every memory limit. */
  public TreeShape(String name, Function<IndexOptions, LongIndex> factory) {
    this(name, factory, IndexOptions.MIN_MEMORY_LIMIT);
  }

  /** Tiny pages, and those that users have but for the default one. */
  private static final int[] PAGE_BYTES = {512, 4 << 10, 8 << 10, 32 << 10, 64 << 10};

  /** Makes an empty index. */
  public LongIndex create(IndexOptions options) {
    return factory.apply(options);
  }

  /** The shapes that another module runs the contracts over, instead of all those below. */
  private static final Optional<ShapeSource> OTHERS =
      ServiceLoader.load(ShapeSource.class).findFirst();

  /** Returns every tree of the catalogue as users get it. */
  public static List<TreeShape> defaults() {
    return OTHERS.map(ShapeSource::defaults).orElseGet(TreeShape::defaultsInMemory);
  }

  private static List<TreeShape> defaultsInMemory() {
    return Family.all().stream()
        .map(variant -> new TreeShape(variant.name(), variant::create, leastMemoryLimit(variant)))
        .toList();
  }

  /** Where leaves and their parents are in different pages, there have to be two for any growth. */
  private static long leastMemoryLimit(TreeVariant variant) {
    return variant == CacheFirstFpbPlusTree.VARIANT
        ? 2 * IndexOptions.MIN_MEMORY_LIMIT
        : IndexOptions.MIN_MEMORY_LIMIT;
  }

  /**
   * Returns trees that use their memory each in a way of its own, and every tree in a thorough run.
   */
  public static List<TreeShape> kinds() {
    Set<String> kinds =
        Set.of(
            "PbPlusTree",
            "CsbPlusTree",
            "CssTree",
            "PackedMemoryArray",
            "ShuttleTree",
            "DiskFirstFpbPlusTree",
            "ConcurrentPbPlusTree");
    return defaults().stream()
        .filter(shape -> TestSize.isThorough() || kinds.contains(shape.name()))
        .toList();
  }

  /** Returns nodes so small that a few dozen entries make a tree of several levels. */
  public static List<TreeShape> smallest() {
    return OTHERS.map(ShapeSource::smallest).orElseGet(TreeShape::smallestInMemory);
  }

  private static List<TreeShape> smallestInMemory() {
    return List.of(
        bPlus(1),
        pbPlus(1, 1, 0),
        pbPlus(1, 2, 3),
        pbPlus(2, 1, 1),
        tTree(1),
        css(Form.FULL, 1),
        css(Form.LEVEL, 1),
        digestCss(),
        csbPlus(1, 1, 1, 0),
        csbPlus(1, 1, 2, 1),
        csbPlus(1, 1, 3, 3),
        diskOptimized(256),
        microIndex(256, 1),
        diskFirst(256, 1, 1),
        diskFirst(1024, 1, 1),
        cacheFirst(256, 1),
        cola(1024, 2, 1, 2),
        packed(4),
        cacheOblivious(4),
        bEpsilon(256, 4),
        bufferedRepository(256),
        shuttle(2),
        deamortizedCola(1024, 2),
        pio(256, 1, 1),
        pio(256, 3, 8),
        fd(1, 2),
        blink(256),
        fpbLink(256, 1, 1),
        fpbLink(1024, 1, 1),
        bftl(256, 1, 1),
        concurrent(1, 1),
        concurrent(1, 2),
        concurrent(2, 1));
  }

  /** Returns {@link #defaults} and {@link #smallest}. */
  public static List<TreeShape> defaultsAndSmallest() {
    return OTHERS
        .map(ShapeSource::shapes)
        .orElseGet(() -> Stream.concat(defaults().stream(), smallest().stream()).toList());
  }

  /** Returns {@link #defaults}, and in a thorough run {@link #smallest} as well. */
  public static List<TreeShape> defaultsAndSmallestIfThorough() {
    return TestSize.isThorough() ? defaultsAndSmallest() : defaults();
  }

  /** Returns every tree as by default and smallest, and in a thorough run wider ones as well. */
  public static List<TreeShape> all() {
    return OTHERS.map(ShapeSource::shapes).orElseGet(TreeShape::allInMemory);
  }

  private static List<TreeShape> allInMemory() {
    List<TreeShape> shapes = new ArrayList<>(defaultsAndSmallest());
    if (TestSize.isThorough()) {
      addWider(shapes);
    }
    return shapes;
  }

  private static void addWider(List<TreeShape> shapes) {
    for (int width : new int[] {2, 3, 8}) {
      shapes.add(bPlus(width));
      shapes.add(pbPlus(width, width, width));
    }
    shapes.add(css(Form.FULL, 2));
    shapes.add(css(Form.LEVEL, 3));
    shapes.add(css(Form.FULL, 64));
    shapes.add(pbPlus(1, 8, 64));
    shapes.add(pbPlus(8, 1, 2));
    shapes.add(pbPlus(64, 64, 1));
    for (int width : new int[] {2, 8, 64}) {
      shapes.add(tTree(width));
    }
    shapes.add(csbPlus(1, 2, 1, 4));
    shapes.add(csbPlus(2, 4, 5, 16));
    shapes.add(csbPlus(4, 3, 2, 1));
    shapes.add(csbPlus(4, 4, 1, 16));
    shapes.add(csbPlus(8, 8, 1, 64));
    shapes.add(csbPlus(8, 1, 7, 2));
    shapes.add(csbPlus(64, 64, 3, 1));
    for (int pageBytes : PAGE_BYTES) {
      shapes.add(diskOptimized(pageBytes));
      shapes.add(diskFirst(pageBytes));
    }
    shapes.add(microIndex(512, 1));
    shapes.add(microIndex(1024, 3));
    shapes.add(microIndex(4 << 10, 1));
    shapes.add(microIndex(8 << 10, 4));
    shapes.add(microIndex(64 << 10, 32));
    shapes.add(diskFirst(512, 2, 3));
    shapes.add(diskFirst(2048, 1, 31));
    shapes.add(diskFirst(4096, 1, 1));
    shapes.add(diskFirst(4096, 32, 3));
    shapes.add(cacheFirst(512, 1));
    shapes.add(cacheFirst(1024, 2));
    shapes.add(cacheFirst(4 << 10, 1));
    shapes.add(cacheFirst(4 << 10, 9));
    shapes.add(cacheFirst(8 << 10, 14));
    shapes.add(cacheFirst(32 << 10, 10));
    shapes.add(cacheFirst(64 << 10, 32));
    shapes.add(cola(16 << 10, 8, 0.05, 40));
    shapes.add(shuttle(7));
    shapes.add(pio(512, 2, 4));
    shapes.add(pio(4 << 10, 16, 1));
    shapes.add(pio(16 << 10, 4, 64));
    shapes.add(fd(3, 4));
    shapes.add(blink(4 << 10));
    shapes.add(blink(64 << 10));
    shapes.add(fpbLink(512, 2, 3));
    shapes.add(fpbLink(2048, 1, 31));
    shapes.add(fpbLink(4096, 1, 1));
    shapes.add(fpbLink(4096, 32, 3));
    shapes.add(fpbLink(64 << 10, 3, 14));
    shapes.add(bftl(1024, 2, 4));
    shapes.add(concurrent(3, 8));
    shapes.add(concurrent(64, 64));
  }

  /** Returns what many threads may use at once: trees, an index behind a lock, and one in parts. */
  public static List<TreeShape> forThreads() {
    return List.of(
        concurrent(1, 1),
        concurrent(1, 2),
        new TreeShape("ConcurrentPbPlusTree", ConcurrentPbPlusTree::create),
        blink(256),
        new TreeShape("BLinkTree", BLinkTree::create),
        fpbLink(256, 1, 1),
        new TreeShape("FpbLinkTree", FpbLinkTree::create),
        pio(256, 1, 1),
        pio(256, 3, 8),
        new TreeShape("PioBTree", PioBTree::create),
        new TreeShape(
            "PbPlusTree 1 1 0 behind a lock",
            options -> PbPlusTree.create(options, new Geometry(1, 1, 0)).withReadWriteLock()),
        partitioned(3, 4));
  }

  /**
   * Returns every tree on pages over a store that finds faults in how the tree uses them. Indexes
   * over it are for one thread at a time.
   */
  public static List<TreeShape> onCheckedPages() {
    return Stream.concat(
            PagedShape.smallest().stream(),
            Stream.of(PagedShape.cola(), PagedShape.pio(), PagedShape.fd(), PagedShape.bftl()))
        .map(TreeShape::onCheckedPages)
        .toList();
  }

  private static TreeShape onCheckedPages(PagedShape shape) {
    return new TreeShape(
        shape + " on checked pages",
        options ->
            shape
                .opener()
                .apply(
                    options,
                    new CheckedPageStore(shape.newStore(options), CheckedPageStore.MIN_PINS)),
        shape.leastPages() * (long) shape.pageBytes());
  }

  /** Returns {@link #smallest} and {@link #onCheckedPages}. */
  public static List<TreeShape> smallestAndOnCheckedPages() {
    return OTHERS
        .map(ShapeSource::smallest)
        .orElseGet(() -> Stream.concat(smallest().stream(), onCheckedPages().stream()).toList());
  }

  /** Returns {@link #all} and {@link #onCheckedPages}. */
  public static List<TreeShape> allAndOnCheckedPages() {
    return OTHERS
        .map(ShapeSource::shapes)
        .orElseGet(() -> Stream.concat(all().stream(), onCheckedPages().stream()).toList());
  }

  static TreeShape bPlus(int width) {
    return new TreeShape("BPlusTree " + width, options -> BPlusTree.create(options, width));
  }

  static TreeShape pbPlus(int innerWidth, int leafWidth, int prefetchDistance) {
    Geometry geometry = new Geometry(innerWidth, leafWidth, prefetchDistance);
    return new TreeShape(
        "PbPlusTree " + innerWidth + " " + leafWidth + " " + prefetchDistance,
        options -> PbPlusTree.create(options, geometry));
  }

  static TreeShape css(Form form, int width) {
    return new TreeShape(
        "CssTree " + form + " " + width,
        options -> CssTree.create(options, new CssTree.Geometry(form, width)));
  }

  /** As by default: 112 entries below a leaf. */
  static TreeShape digestCss() {
    return new TreeShape("DigestCssTree 112", DigestCssTree::create);
  }

  static TreeShape tTree(int width) {
    return new TreeShape("TTree " + width, options -> TTree.create(options, width));
  }

  static TreeShape csbPlus(int innerWidth, int leafWidth, int segments, int prefetchDistance) {
    CsbPlusTree.Geometry geometry =
        new CsbPlusTree.Geometry(innerWidth, leafWidth, segments, prefetchDistance);
    return new TreeShape(
        "CsbPlusTree " + innerWidth + " " + leafWidth + " " + segments + " " + prefetchDistance,
        options -> CsbPlusTree.create(options, geometry));
  }

  static TreeShape diskOptimized(int pageBytes) {
    return new TreeShape(
        "DiskOptimizedBPlusTree " + pageBytes,
        options -> DiskOptimizedBPlusTree.open(options, options.pagesInMemory(pageBytes)),
        pageBytes);
  }

  static TreeShape microIndex(int pageBytes, int subArrayLines) {
    return new TreeShape(
        "MicroIndexBPlusTree " + pageBytes + " " + subArrayLines,
        options ->
            MicroIndexBPlusTree.open(options, options.pagesInMemory(pageBytes), subArrayLines),
        pageBytes);
  }

  /** Returns a tree with the geometry for typical memory. */
  private static TreeShape diskFirst(int pageBytes) {
    DiskFirstFpbPlusTree.Geometry geometry =
        DiskFirstFpbPlusTree.Geometry.forPages(pageBytes, MemoryTimes.TYPICAL);
    return diskFirst(pageBytes, geometry.innerWidth(), geometry.leafWidth());
  }

  static TreeShape diskFirst(int pageBytes, int innerWidth, int leafWidth) {
    DiskFirstFpbPlusTree.Geometry geometry =
        new DiskFirstFpbPlusTree.Geometry(innerWidth, leafWidth);
    return new TreeShape(
        "DiskFirstFpbPlusTree " + pageBytes + " " + innerWidth + " " + leafWidth,
        options -> DiskFirstFpbPlusTree.open(options, options.pagesInMemory(pageBytes), geometry),
        pageBytes);
  }

  static TreeShape cacheFirst(int pageBytes, int width) {
    CacheFirstFpbPlusTree.Geometry geometry = new CacheFirstFpbPlusTree.Geometry(width);
    return new TreeShape(
        "CacheFirstFpbPlusTree " + pageBytes + " " + width,
        options -> CacheFirstFpbPlusTree.open(options, options.pagesInMemory(pageBytes), geometry),
        2L * pageBytes);
  }

  static TreeShape cola(int pageBytes, int growth, double pointerDensity, int batch) {
    Cola.Geometry geometry = new Cola.Geometry(growth, pointerDensity, batch);
    return new TreeShape(
        "Cola " + pageBytes + " " + growth + " " + pointerDensity + " " + batch,
        options -> Cola.open(options, options.pagesInMemory(pageBytes), geometry),
        8L * pageBytes);
  }

  static TreeShape packed(int segmentSlots) {
    PackedMemoryArray.Geometry geometry = segments(segmentSlots);
    return new TreeShape(
        "PackedMemoryArray " + segmentSlots,
        options -> PackedMemoryArray.create(options, geometry));
  }

  static TreeShape cacheOblivious(int segmentSlots) {
    PackedMemoryArray.Geometry geometry = segments(segmentSlots);
    return new TreeShape(
        "CacheObliviousBTree " + segmentSlots,
        options -> CacheObliviousBTree.create(options, geometry));
  }

  private static PackedMemoryArray.Geometry segments(int slots) {
    return new PackedMemoryArray.Geometry(slots, Densities.UPDATE_ORIENTED);
  }

  static TreeShape bEpsilon(int pageBytes, int fanout) {
    BEpsilonTree.Geometry geometry = new BEpsilonTree.Geometry(fanout);
    return new TreeShape(
        "BEpsilonTree " + pageBytes + " " + fanout,
        options -> BEpsilonTree.open(options, options.pagesInMemory(pageBytes), geometry),
        pageBytes);
  }

  static TreeShape bufferedRepository(int pageBytes) {
    return new TreeShape(
        "BufferedRepositoryTree " + pageBytes,
        options -> BufferedRepositoryTree.open(options, options.pagesInMemory(pageBytes)),
        pageBytes);
  }

  static TreeShape shuttle(int leafEntries) {
    ShuttleTree.Geometry geometry =
        new ShuttleTree.Geometry(ShuttleTree.Schedule.SHIFTED, 4, leafEntries);
    return new TreeShape(
        "ShuttleTree " + leafEntries, options -> ShuttleTree.create(options, geometry));
  }

  static TreeShape pio(int pageBytes, int leafSegments, int queuePages) {
    PioBTree.Geometry geometry = new PioBTree.Geometry(leafSegments, queuePages, 64, 100, 1000);
    return new TreeShape(
        "PioBTree " + pageBytes + " " + leafSegments + " " + queuePages,
        options -> PioBTree.open(options, options.pagesInMemory(pageBytes), geometry),
        4L * pageBytes);
  }

  static TreeShape fd(int headPages, int ratio) {
    FdTree.Geometry geometry = new FdTree.Geometry(ratio, headPages);
    return new TreeShape(
        "FdTree " + headPages + " " + ratio,
        options -> FdTree.open(options, options.pagesInMemory(1024), geometry));
  }

  static TreeShape blink(int pageBytes) {
    return new TreeShape(
        "BLinkTree " + pageBytes,
        options -> BLinkTree.open(options, options.pagesInMemory(pageBytes)),
        pageBytes);
  }

  static TreeShape fpbLink(int pageBytes, int innerWidth, int leafWidth) {
    DiskFirstFpbPlusTree.Geometry geometry =
        new DiskFirstFpbPlusTree.Geometry(innerWidth, leafWidth);
    return new TreeShape(
        "FpbLinkTree " + pageBytes + " " + innerWidth + " " + leafWidth,
        options -> FpbLinkTree.open(options, options.pagesInMemory(pageBytes), geometry),
        pageBytes);
  }

  static TreeShape bftl(int pageBytes, int bufferPages, int listBound) {
    BftlTree.Geometry geometry = new BftlTree.Geometry(bufferPages, listBound);
    return new TreeShape(
        "BftlTree " + pageBytes + " " + bufferPages + " " + listBound,
        options -> BftlTree.open(options, options.pagesInMemory(pageBytes), geometry),
        24L * pageBytes);
  }

  static TreeShape concurrent(int innerWidth, int leafWidth) {
    ConcurrentPbPlusTree.Geometry geometry =
        new ConcurrentPbPlusTree.Geometry(innerWidth, leafWidth);
    return new TreeShape(
        "ConcurrentPbPlusTree " + innerWidth + " " + leafWidth,
        options -> ConcurrentPbPlusTree.create(options, geometry));
  }

  /** Parts that are evened out by pieces of so few entries that hardly a write goes by without. */
  static TreeShape partitioned(int parts, int piece) {
    TreeVariant smallest =
        TreeVariant.inMemory(
            "PbPlusTree 1 1 0", "", options -> PbPlusTree.create(options, new Geometry(1, 1, 0)));
    long[] lows = new long[parts];
    Arrays.setAll(lows, i -> i == 0 ? Long.MIN_VALUE : 20L * i);
    return new TreeShape(
        "PartitionedIndex " + parts + " " + piece,
        options -> PartitionedIndex.create(smallest, options, lows, piece),
        parts * IndexOptions.MIN_MEMORY_LIMIT);
  }

  static TreeShape deamortizedCola(int pageBytes, int batch) {
    DeamortizedCola.Geometry geometry = new DeamortizedCola.Geometry(batch);
    return new TreeShape(
        "DeamortizedCola " + pageBytes + " " + batch,
        options -> DeamortizedCola.open(options, options.pagesInMemory(pageBytes), geometry),
        16L * pageBytes);
  }

  @Override
  public String toString() {
    return name;
  }
}
