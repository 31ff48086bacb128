// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import dev.espalier.cli.soak.ForceKind;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** No crash harms a store, and each force is needed for that. */
final class CrashImagesTest {
  /** Images in which a force that is left out must be found. */
  private static final int ENOUGH = 300;

  private static final int IMAGES_OF_A_RUN = 50;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  static List<CrashKind> kinds() {
    return TestSize.part(CrashKind.all());
  }

  private static long firstSeed() {
    return TestSize.isThorough() ? 1000 * TestSize.seed() + 1 : 1;
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("thorough")
  void nothingIsLostByACrash(CrashKind kind) {
    for (int run = 0; run < TestSize.of(1, 6); run++) {
      CrashImages images = new CrashImages(kind, firstSeed() + run, folder);
      assertEquals("", images.run(IMAGES_OF_A_RUN, _ -> false));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("thorough")
  void aForceThatIsLeftOutIsFound(ForceKind leftOut) {
    CrashKind kind = new CrashKind(DiskFirstFpbPlusTree.VARIANT);
    String found = "";
    for (int run = 0; run < ENOUGH / IMAGES_OF_A_RUN && found.isEmpty(); run++) {
      found =
          new CrashImages(kind, 1 + run, folder)
              .run(IMAGES_OF_A_RUN, force -> force.kind() == leftOut);
    }
    assertTrue(found.contains("seed"), () -> leftOut + " is not missed");
  }
}
