// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.cli.MemoryFolder;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Long runs find nothing in any tree, and the fault of one that has one. */
final class DifferentialRunTest {
  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  /** In a thorough run, the shapes of its part. */
  static List<SoakShape> shapes() {
    return TestSize.part(SoakShape.all());
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void everyTreeDoesWhatMapsDo(SoakShape shape) throws IOException {
    // A BFTL puts each node that a call reads together from many pages, in a pool of few.
    boolean isSlow = shape.tree().name().equals("BftlTree");
    int entries = TestSize.of(1_000, isSlow ? 2_000 : 30_000);
    long calls = new DifferentialRun(shape, TestSize.seed(), entries, folder).run(_ -> false);
    assertTrue(calls > entries, () -> calls + " calls");
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void aRunIsRepeatedByItsSeed() {
    SoakShape shape = SoakShape.named("pbplustree 1 1 0");
    long calls = new DifferentialRun(shape, 3, 500, folder).run(_ -> false);
    assertEquals(calls, new DifferentialRun(shape, 3, 500, folder).run(_ -> false));
  }

  @Test
  void aRunThatIsToldToStopStopsGrowing() {
    SoakShape shape = SoakShape.named("PbPlusTree");
    long whole = new DifferentialRun(shape, 3, 5_000, folder).run(_ -> false);
    long stopped = new DifferentialRun(shape, 3, 5_000, folder).run(done -> done > 100);
    assertTrue(stopped < whole / 2, () -> stopped + " of " + whole + " calls");
  }

  @Test
  void aTreeThatForgetsToDeleteSomeKeysIsFound() {
    SoakShape shape =
        new SoakShape(
            "Forgetful",
            TreeVariant.inMemory("Forgetful", "", options -> forgetful(PbPlusTree.create(options))),
            0,
            false);
    SoakFailure failure =
        assertThrows(
            SoakFailure.class, () -> new DifferentialRun(shape, 5, 1_000, folder).run(_ -> false));
    assertEquals(
        "./espalier soak DIR --shape 'Forgetful' --entries 1000 --seed 5", failure.command());
    assertTrue(failure.getMessage().contains("seed 5"), failure::getMessage);
    assertTrue(failure.getMessage().endsWith(failure.command()), failure::getMessage);
  }

  /** Returns an index that does what another one does, but deletes no multiples of 64. */
  private static LongIndex forgetful(LongIndex index) {
    return (LongIndex)
        Proxy.newProxyInstance(
            DifferentialRunTest.class.getClassLoader(),
            new Class<?>[] {LongIndex.class},
            (_, method, arguments) -> {
              if (method.getName().equals("delete") && (long) arguments[0] % 64 == 0) {
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
