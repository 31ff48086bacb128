// SPDX-License-Identifier: Apache-2.0
package dev.espalier.probe;

import dev.espalier.prefetch.NativeStatus;
import dev.espalier.prefetch.Prefetch;

/** What a user of the module sees of it. */
public final class PrefetchProbe {

  private PrefetchProbe() {}

  public static void main(String[] args) {
    NativeStatus status = Prefetch.status();
    System.out.println(Prefetch.class.getModule());
    System.out.println("prefetch " + status.state());
    if (!status.isAvailable()) {
      System.out.println(status.remedy());
    }
  }
}
