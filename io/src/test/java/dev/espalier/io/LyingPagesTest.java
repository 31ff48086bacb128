// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.TestSize;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Pages that lie behind good checksums, as a fault in memory or a bug leaves them: whatever they
 * say, every call answers or says what is wrong, in bounded time and memory.
 */
class LyingPagesTest {
  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private static List<String> trees() {
    return TestSize.isThorough() ? PagedTrees.allNames() : TestSize.part(PagedTrees.allNames());
  }

  @ParameterizedTest
  @MethodSource("trees")
  void everyCallAnswersOrSaysWhatIsWrong(String tree) throws Exception {
    assertNothingRaw(tree, TestSize.seeds(10, 400));
  }

  private static List<String> someTrees() {
    return TestSize.part(PagedTrees.allNames());
  }

  @ParameterizedTest
  @MethodSource("someTrees")
  void recoveryOverPagesThatLieAnswersOrSaysWhatIsWrong(String tree) throws Exception {
    LyingStore lying = new LyingStore(folder, tree);
    assertNothingRaw(tree, lying, lying.crashed(), TestSize.seeds(3, 120));
  }

  @ParameterizedTest
  @MethodSource("someTrees")
  void stripesThatLieAnswerOrSayWhatIsWrong(String tree) throws Exception {
    LyingStore lying = new LyingStore(folder, tree, 2);
    assertNothingRaw(tree, lying, lying.closed(), TestSize.seeds(3, 60));
  }

  /** The same for what failed once after a crash. */
  @ParameterizedTest
  @CsvSource({"FdTree, 58", "FdTree, 76"})
  @Tag("thorough")
  void whatFailedOnceInRecoveryStaysMended(String tree, long seed) throws Exception {
    LyingStore lying = new LyingStore(folder, tree);
    assertNothingRaw(tree, lying, lying.crashed(), seed);
  }

  /** What failed once, whatever the day draws. */
  @ParameterizedTest
  @CsvSource({
    "BEpsilonTree, 330",
    "BLinkTree, 30",
    "BLinkTree, 145",
    "BufferedRepositoryTree, 276",
    "DiskFirstFpbPlusTree, 96",
    "DiskFirstFpbPlusTree, 117",
    "DiskFirstFpbPlusTree, 382",
    "FdTree, 100",
    "FpbLinkTree, 279",
    "PioBTree, 26",
    "PioBTree, 90",
    "PioBTree, 102",
    "PioBTree, 261",
    "PrefixBPlusTree, 215",
    "PrefixBPlusTree, 369",
    "PrefixBPlusTree, 380",
  })
  @Tag("thorough")
  void whatFailedOnceStaysMended(String tree, long seed) throws Exception {
    assertNothingRaw(tree, seed);
  }

  private void assertNothingRaw(String tree, long... seeds) throws Exception {
    LyingStore lying = new LyingStore(folder, tree);
    assertNothingRaw(tree, lying, lying.closed(), seeds);
  }

  private static void assertNothingRaw(
      String tree, LyingStore lying, StoreImage image, long... seeds) throws Exception {
    ForgedFile forged = new ForgedFile(image.pages(), lying.options().files().pageBytes());
    List<String> wrongs = new ArrayList<>();
    for (long seed : seeds) {
      Random random = new Random(seed);
      ForgedFile.Part part =
          random.nextInt(5) > 0
              ? ForgedFile.Part.TREE
              : ForgedFile.Part.values()[1 + random.nextInt(3)];
      String what = tree + ", seed " + seed + ", " + forged.forge(part, random);
      image.write(forged.bytes());
      wrongs.addAll(lying.wrongsOf(what, random));
    }
    assertEquals("", String.join("\n", wrongs));
  }
}
