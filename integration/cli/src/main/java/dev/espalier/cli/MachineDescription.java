// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.ffi.VirtualMemory;
import dev.espalier.model.CacheSizes;
import dev.espalier.prefetch.NativeStatus;
import dev.espalier.prefetch.Prefetch;
import java.util.LinkedHashMap;
import java.util.Map;

/** What of the machine decides how fast the indexes are, and takes no time to find out. */
public final class MachineDescription {
  private MachineDescription() {}

  /** Returns everything, by name. */
  public static Map<String, String> all() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("JDK", jdk());
    all.put("machine", machine());
    all.put("prefetch", prefetch());
    all.put("virtual memory", virtualMemory());
    all.put("SIMD", SimdStatus.report());
    all.put("caches", CacheSizes.ofThisMachine().toString());
    return all;
  }

  static String jdk() {
    return Runtime.version() + ", " + System.getProperty("java.vendor");
  }

  static String machine() {
    return "%s %s, %d processors, heap of at most %d MiB"
        .formatted(
            System.getProperty("os.name"),
            System.getProperty("os.arch"),
            Runtime.getRuntime().availableProcessors(),
            Runtime.getRuntime().maxMemory() >> 20);
  }

  static String prefetch() {
    return describe(Prefetch.status());
  }

  static String virtualMemory() {
    return describe(VirtualMemory.status());
  }

  private static String describe(NativeStatus status) {
    String text = (status.isAvailable() ? "on: " : "off: ") + status.detail();
    return status.remedy().isEmpty() ? text : text + "; " + status.remedy();
  }
}
