// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import dev.espalier.cli.soak.Force;
import dev.espalier.cli.soak.ForceKind;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No crash harms a store, and each force is needed for that. */
final class CrashImagesTest {
  /**
   * Images in which a force that is left out must be found. Decision 80 says how many most take;
   * what threads in the background do is not the same in every run.
   */
  private static final int ENOUGH = 1_500;

  private static final int IMAGES_OF_A_RUN = 25;

  /** Few, for what a run can show depends on where its programs were killed. */
  private static final int IMAGES_WITHOUT_A_FORCE = 5;

  private static final int RUNS_WITH_ALL_FORCES = 4;

  private static final CrashKind TREE = new CrashKind(DiskFirstFpbPlusTree.VARIANT);

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

  /** What recovery makes safe of a segment: {@code RareRulesTest} leads to where it is missed. */
  private static final Force RARELY_MISSED = new Force(ForceKind.LOG, "Recovery.openSegments");

  /** All other forces of a run. */
  static List<Force> forces() {
    return List.of(
        new Force(ForceKind.PAGES, "StoreOpening.write"),
        new Force(ForceKind.NAMES, "Stripes.write"),
        new Force(ForceKind.NAMES, "StoreOpening.openExisting"),
        new Force(ForceKind.HEADER, "StoreOpening.openExisting"),
        new Force(ForceKind.LOG, "LogSegment.create"),
        new Force(ForceKind.NAMES, "LogSegment.create"),
        new Force(ForceKind.LOG, "LogEnd.<init>"),
        new Force(ForceKind.LOG, "LogEnd$Force.run"),
        new Force(ForceKind.PAGES, "Checkpoints.complete"),
        new Force(ForceKind.HEADER, "Checkpoints.complete"),
        new Force(ForceKind.PAGES, "Backup.write"),
        new Force(ForceKind.NAMES, "UnfinishedFile.finish"));
  }

  @ParameterizedTest
  @MethodSource("forces")
  @Tag("thorough")
  void aForceThatIsLeftOutIsFound(Force leftOut) {
    String found = "";
    for (int run = 0; run < ENOUGH / IMAGES_WITHOUT_A_FORCE && found.isEmpty(); run++) {
      found = new CrashImages(TREE, 1 + run, folder).run(IMAGES_WITHOUT_A_FORCE, leftOut::equals);
    }
    assertTrue(found.contains("image"), () -> leftOut + " is not missed");
  }

  @Test
  @Tag("thorough")
  void everyForceOfARunIsKnown() {
    Set<Force> all = new HashSet<>();
    for (int run = 0; run < RUNS_WITH_ALL_FORCES; run++) {
      all.addAll(new CrashImages(TREE, 1 + run, folder).forces());
    }
    Set<Force> known = new HashSet<>(forces());
    known.add(RARELY_MISSED);
    assertEquals(known, all);
  }
}
