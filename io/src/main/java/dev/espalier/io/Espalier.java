// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.LongIndex;
import java.nio.file.Path;
import java.util.Optional;

/** Opens indexes in files. */
public final class Espalier {
  private Espalier() {}

  /** Opens the index in a file. */
  public static LongIndex open(Path path, FileOptions options) {
    return Optional.<LongIndex>empty().orElseThrow();
  }
}
