// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The equations against numbers worked out by hand: p = 8, t = 16, T1 = 189, Tnext = 24. */
final class CostModelTest {
  private static final double EXACT = 1e-9;
  private static final long MILLION = 1_000_000;

  private final CostModel model = new CostModel(ModelParameters.itanium2());

  @ParameterizedTest
  @CsvSource({
    "2, 1, 1", // the root is the leaf
    "2, 2, 2",
    "2, 3, 3",
    "2, 4, 3", // log2(4) + 1
    "16, 62500, 5", // log16(62500) = 3.98
    "1000, 1000, 2", // log1000(1000) is 1 exactly, where floating point gives more
    "1000, 1001, 3",
    "2, 9223372036854775807, 64",
    "9223372036854775807, 2, 2"
  })
  void heightIsTheLogarithmRoundedUpAndOne(long branchFactor, long leaves, int height) {
    assertEquals(height, CostModel.height(branchFactor, leaves));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1", // one node
    "2, 1.6666666666666667", // (1 + 2 + 2) / 3
    "3, 2.4285714285714286", // (1 + 2*2 + 4*3) / 7 = 17 / 7
    "12, 11.002930402930403", // (11 * 4096 + 1) / 4095 = 45057 / 4095
    "62, 61" // the next digits are beyond those of a double
  })
  void averageDepthIsThatOfAFullBinaryTree(int height, double depth) {
    assertEquals(depth, CostModel.averageDepth(height), EXACT);
  }

  @Test
  void itaniumHasTheParametersOfTheThesis() {
    assertEquals(8, ModelParameters.itanium2().entriesPerLine());
    assertEquals(16, ModelParameters.itanium2().keysPerLine());
    assertEquals(16 << 10, ModelParameters.itanium2().linesPerPage() * 128);
  }

  @Test
  void bPlusTreeSearchesTheLinesOfAPageOnEveryLevel() {
    // 1,000,000 / (128 * 16) = 489 leaves; H(128 * 8, 489) = 2; D(log2 128) = D(7) = 769 / 127
    assertEquals(2 * 769 / 127.0, model.bPlusTree(MILLION), EXACT);
  }

  @Test
  void bPlusTreeOfOneLeafSearchesOnePage() {
    assertEquals(769 / 127.0, model.bPlusTree(1), EXACT);
    assertEquals(769 / 127.0, model.bPlusTree(2048), EXACT);
    assertEquals(2 * 769 / 127.0, model.bPlusTree(2049), EXACT);
  }

  @Test
  void drawnBPlusTreeMissesElevenTimesInALeafAndTwelveInANode() {
    // D(H(2, 2048)) = D(12) = 45057 / 4095 = 11.003
    assertEquals(45057 / 4095.0, model.bPlusTreeAsDrawn(1), EXACT);
    assertEquals(45057 / 4095.0 * 2 + 1, model.bPlusTreeAsDrawn(MILLION), EXACT);
    assertEquals(11 + 12, model.bPlusTreeAsDrawn(MILLION), 0.01);
  }

  @Test
  void tTreeIsABinarySearchOverItsNodes() {
    // 1,000,000 / 16 = 62,500 nodes; H(2, 62500) = 17; D(17) = (16 * 131072 + 1) / 131071
    assertEquals((16 * 131072 + 1) / 131071.0, model.tTree(MILLION), EXACT);
  }

  @Test
  void cssTreeAndCsbPlusTreeMissOncePerLevel() {
    // 62,500 leaves; 16^3 < 62,500 <= 16^4: 4 + 1 levels
    assertEquals(5, model.cssTree(MILLION));
    assertEquals(5, model.csbPlusTree(MILLION));
    assertEquals(6, model.cssTree(16 * 65536 + 1));
  }

  @Test
  void pbPlusTreeOfOneWidthFetchesANodePerLevel() {
    // w = 1: H(8, 62500) = 7 levels of 1; w = 8: H(64, 7813) = 4 of (189 + 7 * 24) / 189
    assertEquals(7, model.pbPlusTree(MILLION, 1), EXACT);
    assertEquals(4 * 357 / 189.0, model.pbPlusTree(MILLION, 8), EXACT);
  }

  @Test
  void pbPlusTreeTakesTheBestWidth() {
    // w = 2: H(16, 31250) = 5 of 213 / 189: 5.63; w = 3: H(24, 20834) = 5 of 237 / 189: 6.27;
    // w = 4: H(32, 15625) = 4 of 261 / 189: 5.52; w = 5: 4 of 285 / 189: 6.03; w = 10: H(80, 6250)
    // = 3 of 405 / 189: 6.43; two levels need 16w * 8w >= 1,000,000, w = 89
    assertEquals(4, model.pbPlusWidth(MILLION));
    assertEquals(4 * 261 / 189.0, model.pbPlusTree(MILLION), EXACT);
  }

  @Test
  void pcsbPlusTreeHasTwiceTheBranchFactor() {
    // w = 1: 5, the CSB+-tree; w = 2: H(32, 31250) = 4 of 213 / 189: 4.51; w = 3 and on: 4 of more,
    // or 3 from H(112, 8929), w = 7: 3 of 333 / 189: 5.29
    assertEquals(model.csbPlusTree(MILLION), model.pcsbPlusTree(MILLION, 1), EXACT);
    assertEquals(2, model.pcsbPlusWidth(MILLION));
    assertEquals(4 * 213 / 189.0, model.pcsbPlusTree(MILLION), EXACT);
  }

  @Test
  void fpbPlusTreeSearchesATreeInEveryPage() {
    // w = 4: 32 nodes per page: 31 leaves and a root over up to 32. Inner pages have 31 * 32 = 992
    // children, leaf pages 31 * 64 = 1984 keys: 505 of them, H(992, 505) = 2 pages of 2 nodes
    assertEquals(new InPageTree(31, 2), InPageTree.largest(ModelParameters.itanium2(), 4));
    assertEquals(2 * 2 * 261 / 189.0, model.fpbPlusTree(MILLION, 4), EXACT);
    assertEquals(4, model.fpbPlusWidth(MILLION));
    assertEquals(2 * 2 * 261 / 189.0, model.fpbPlusTree(MILLION), EXACT);
  }

  @Test
  void inPageTreeUsesTheWholePage() {
    ModelParameters parameters = ModelParameters.itanium2();
    // w = 2: 64 nodes, fan-out 16: 59 leaves + 4 + 1 = 64, but 60 + 4 + 1 = 65
    assertEquals(new InPageTree(59, 3), InPageTree.largest(parameters, 2));
    // w = 43: 2 nodes, of which one leaf is all that needs no root; w = 128: the page is the node
    assertEquals(new InPageTree(1, 1), InPageTree.largest(parameters, 43));
    assertEquals(new InPageTree(1, 1), InPageTree.largest(parameters, 128));
  }

  @Test
  void pageSearchOfTheFpbPlusTreeCostsAQuarterOfTheBPlusTrees() {
    // thesis 3.9: "only about 25%"; (2 * 261 / 189) / 11.003
    assertEquals(0.25, model.fpbPlusTree(1) / model.bPlusTreeAsDrawn(1), 0.01);
  }

  @ParameterizedTest
  @ValueSource(longs = {100_000, 1_000_000, 10_000_000, 100_000_000})
  void treesRankAsInTheComparisonOfTheThesis(long entries) {
    assertTrue(model.pcsbPlusTree(entries) <= model.csbPlusTree(entries));
    assertTrue(model.pcsbPlusTree(entries) < model.pbPlusTree(entries));
    assertTrue(model.csbPlusTree(entries) < model.tTree(entries));
    assertTrue(model.fpbPlusTree(entries) < model.tTree(entries));
    assertTrue(model.tTree(entries) < model.bPlusTreeAsDrawn(entries));
    assertEquals(1, model.pbPlusTree(entries) / model.csbPlusTree(entries), 0.2);
  }

  @Test
  void sizesOfKeysAndPointersNeedNotBeEqual() {
    // 4-byte pointers in 64-byte lines: p = 64 / 12 = 5, t = 8
    var small = new ModelParameters(new MemoryTimes(230, 8), 64, 8, 4, 64);
    assertEquals(5, small.entriesPerLine());
    assertEquals(8, small.keysPerLine());
    // H(8, 1000 / 8 = 125) = 3 + 1; w = 2: H(10, 63) = 3 of 238 / 230
    assertEquals(4, new CostModel(small).cssTree(1000));
    assertEquals(3 * 238 / 230.0, new CostModel(small).pbPlusTree(1000, 2), EXACT);
  }

  @Test
  void narrowestOfEquallyGoodWidthsIsBest() {
    // p = 4, t = 8, T1 = Tnext: 2 levels of one line cost as much as one level of two.
    var flat = new CostModel(new ModelParameters(new MemoryTimes(9, 9), 64, 8, 8, 64));
    assertEquals(2, flat.pbPlusTree(16, 1));
    assertEquals(2, flat.pbPlusTree(16, 2));
    assertEquals(1, flat.pbPlusWidth(16));
  }

  @Test
  void averageWidthIsTakenOverMagnitudes() {
    assertEquals(
        (model.pbPlusWidth(10_000) + model.pbPlusWidth(100_000) + model.pbPlusWidth(1_000_000))
            / 3.0,
        CostModel.averageWidth(model::pbPlusWidth, 4, 6),
        EXACT);
    assertEquals(4, CostModel.averageWidth(model::pbPlusWidth, 6, 6));
  }

  @Test
  void impossibleArgumentsAreRefused() {
    assertRefused("branchFactor is 1; it must be at least 2", () -> CostModel.height(1, 5));
    assertRefused("leaves is 0; it must be positive", () -> CostModel.height(2, 0));
    assertRefused("height is 0; it must be from 1 to 62", () -> CostModel.averageDepth(0));
    assertRefused("entries is 0; it must be positive", () -> model.cssTree(0));
    assertRefused("width is 0; it must be positive", () -> model.pbPlusTree(5, 0));
    assertRefused("width is 0; it must be positive", () -> model.pcsbPlusTree(5, 0));
    assertRefused("width is 129 lines; it must be from 1 to 128", () -> model.fpbPlusTree(5, 129));
    assertRefused(
        "least is 3 and greatest is 2; they must ascend within 0 to 18",
        () -> CostModel.averageWidth(model::pbPlusWidth, 3, 2));
    MemoryTimes times = MemoryTimes.TYPICAL;
    assertRefused(
        "keyBytes is 0; it must be positive", () -> new ModelParameters(times, 64, 0, 8, 8));
    assertRefused(
        "pointerBytes is 0; it must be positive", () -> new ModelParameters(times, 64, 8, 0, 8));
    assertRefused(
        "lineBytes is 31; it must hold two keys with their pointers, 32 bytes",
        () -> new ModelParameters(times, 31, 8, 8, 8));
    assertRefused(
        "linesPerPage is 1; it must be at least 2", () -> new ModelParameters(times, 64, 8, 8, 1));
  }

  private static void assertRefused(String message, Runnable call) {
    var e = assertThrows(IllegalArgumentException.class, call::run);
    assertEquals(message, e.getMessage());
  }
}
