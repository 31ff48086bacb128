// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

import dev.espalier.prefetch.Prefetch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What a program sees of native code, one line each; for a JVM with other options. */
final class NativeProbe {

  private NativeProbe() {}

  public static void main(String[] args) {
    System.out.println("prefetch " + Prefetch.status().state());
    System.out.println("memory " + VirtualMemory.status().state());
    Prefetch.lines(0, 1);
    Prefetch.batch(0, new long[4], 0, 4, 1);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment plain = arena.allocate(1 << 16);
      System.out.println("advise " + VirtualMemory.adviseHugePages(plain));
      System.out.println("release " + VirtualMemory.release(plain));
      System.out.println("reserve " + VirtualMemory.reserve(4096, 1, arena).byteSize());
    } catch (UnsupportedOperationException e) {
      System.out.println("reserve " + e.getMessage());
    }
    System.out.println("ring " + Ring.status().state());
    System.out.println("files " + FileCalls.status().state());
  }
}
