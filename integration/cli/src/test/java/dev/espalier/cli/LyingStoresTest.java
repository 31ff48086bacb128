// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.cli.soak.SoakShape;
import dev.espalier.family.Family;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever pages say behind good checksums, calls answer or say what is wrong. */
final class LyingStoresTest {
  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  static List<SoakShape> shapes() {
    return TestSize.part(LyingStores.shapes());
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void everyCallAnswersOrSaysWhatIsWrong(SoakShape shape) {
    LyingStores stores = new LyingStores(shape, TestSize.seed(), folder);
    assertEquals("", stores.run(TestSize.of(2, 15)));
  }

  @Test
  void shapesHaveEveryTreeThatCanBeInAFile() {
    Set<String> trees =
        LyingStores.shapes().stream()
            .map(shape -> shape.tree().name())
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> paged =
        Family.all().stream()
            .filter(tree -> tree.medium() == TreeVariant.Medium.PAGES)
            .map(TreeVariant::name)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(paged, trees);
  }

  /** What reads then throw speaks of other threads, or {@code verify} contradicts it. */
  @Test
  @Tag("thorough")
  void aTreeThatDoesNotVerifyIsFound() {
    TreeVariant tree = DiskOptimizedBPlusTree.VARIANT;
    TreeVariant unverified =
        TreeVariant.inPages(
            tree.name(),
            tree.paper(),
            tree.factory(),
            (options, pages) -> unverified(tree.open(options, pages)));
    SoakShape shape = new SoakShape("Unverified", unverified, 256, true);
    String wrong = new LyingStores(shape, 5, folder).run(100);
    assertTrue(wrong.startsWith("Unverified, seed 5, store "), wrong);
  }

  /** Returns an index that does what another one does, but finds all to be sound. */
  private static LongIndex unverified(LongIndex index) {
    return (LongIndex)
        Proxy.newProxyInstance(
            LyingStoresTest.class.getClassLoader(),
            new Class<?>[] {LongIndex.class},
            (_, method, arguments) -> {
              if (method.getName().equals("verify")) {
                return null;
              }
              try {
                return method.invoke(index, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
