// SPDX-License-Identifier: Apache-2.0
package dev.espalier.simulation;

import dev.espalier.memory.CacheLine;
import java.util.Objects;

/**
 * A memory hierarchy: two levels of cache, a TLB, and a memory that serves misses in a pipeline.
 * All times are in cycles.
 *
 * @param lineBytes size of a line in both caches: a power of two, 64 at least
 * @param l1 the first-level data cache, whose hits cost nothing beyond {@code busyCycles}
 * @param l2 the last-level cache
 * @param l2HitCycles cycles to bring a line from the second level to the first
 * @param t1 cycles to bring a line from memory, T1
 * @param tnext cycles between two lines that the memory delivers, Tnext; at most T1
 * @param missHandlers lines that can be under way from memory; who asks for one more waits
 * @param busyCycles cycles that each access to a line, and each prefetch of one, keeps the
 *     processor busy
 * @param tlb the TLB
 */
public record HierarchyShape(
    int lineBytes,
    CacheShape l1,
    CacheShape l2,
    int l2HitCycles,
    int t1,
    int tnext,
    int missHandlers,
    int busyCycles,
    TlbShape tlb) {

  /** Checks the parts. */
  public HierarchyShape {
    Shapes.checkPowerOfTwo("lineBytes", lineBytes);
    Objects.requireNonNull(l1, "l1");
    Objects.requireNonNull(l2, "l2");
    Shapes.checkNotNegative("l2HitCycles", l2HitCycles);
    Shapes.checkPositive("t1", t1);
    Shapes.checkPositive("tnext", tnext);
    Shapes.checkPositive("missHandlers", missHandlers);
    Shapes.checkNotNegative("busyCycles", busyCycles);
    Objects.requireNonNull(tlb, "tlb");
    if (lineBytes < CacheLine.BYTES || lineBytes > tlb.pageBytes()) {
      throw new IllegalArgumentException(
          "lineBytes is "
              + lineBytes
              + "; it must be from "
              + CacheLine.BYTES
              + " to the size of a page, "
              + tlb.pageBytes());
    }
    if (tnext > t1) {
      throw new IllegalArgumentException("tnext is " + tnext + "; it must be at most t1, " + t1);
    }
  }

  /**
   * The Itanium 2 of the thesis (3.9, 4.1).
   *
   * <p>Of its three levels the two whose lines have 128 bytes, 32 KB and 1.5 MB; the L1D before
   * them has other lines and hides nothing that the thesis models. Linux's usual pages of 16 KB;
   * the TLB's second level, with the penalty for a page table in the last-level cache. The thesis
   * names no number of miss handlers: as many as the widest node has lines never hold up a node's
   * prefetch.
   */
  public static HierarchyShape itanium2() {
    return new HierarchyShape(
        128,
        new CacheShape(32 << 10, 8),
        new CacheShape(1536 << 10, 12),
        12,
        189,
        24,
        64,
        1,
        new TlbShape(128, 128, 16 << 10, 31, TlbShape.PrefetchMiss.WALK));
  }

  /**
   * The simulated machine of the fpB+-tree's paper (table 1). The paper names no TLB; here its
   * misses are counted for pages of 8 KB, and cost nothing.
   */
  public static HierarchyShape fpb() {
    return new HierarchyShape(
        64,
        new CacheShape(64 << 10, 2),
        new CacheShape(2 << 20, 1),
        15,
        150,
        10,
        32,
        1,
        new TlbShape(128, 128, 8 << 10, 0, TlbShape.PrefetchMiss.WALK));
  }

  /**
   * A server of today at 3 GHz: 230 ns and 8 ns for T1 and Tnext, indexes in huge pages, a share of
   * 32 MiB of a last-level cache, and as many lines under way as one core has fill buffers for.
   */
  public static HierarchyShape typical() {
    return new HierarchyShape(
        64,
        new CacheShape(48 << 10, 12),
        new CacheShape(32 << 20, 16),
        60,
        690,
        24,
        48,
        1,
        new TlbShape(1536, 12, 2 << 20, 30, TlbShape.PrefetchMiss.WALK));
  }

  /** Returns this shape with another TLB. */
  public HierarchyShape withTlb(TlbShape shape) {
    return new HierarchyShape(
        lineBytes, l1, l2, l2HitCycles, t1, tnext, missHandlers, busyCycles, shape);
  }

  /** Returns this shape with other cycles per access and prefetch; 0 leaves only stalls. */
  public HierarchyShape withBusyCycles(int cycles) {
    return new HierarchyShape(lineBytes, l1, l2, l2HitCycles, t1, tnext, missHandlers, cycles, tlb);
  }
}
