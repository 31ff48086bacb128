// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An index in a file is the same index when it is opened again. */
@Tag("fallback-too")
class IndexFileTest {
  @TempDir private Path folder;

  static List<TreeVariant> trees() {
    return TreeVariant.all().stream()
        .filter(tree -> tree.medium() == TreeVariant.Medium.PAGES)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("trees")
  void reopenedIndexHasTheSameEntries(TreeVariant tree) {
    Path path = folder.resolve("index.esp");
    FileOptions options =
        FileOptions.DEFAULT.withVariant(tree).withPageBytes(4096).withPoolBytes(12 * 4096);
    Random random = new Random(1);
    TreeMap<Long, Long> model = new TreeMap<>();
    for (int round = 0; round < 4; round++) {
      try (LongIndex index = Espalier.open(path, options)) {
        index.verify();
        assertSame(model, index);
        for (int i = 0; i < 20_000; i++) {
          long key = random.nextInt(100_000);
          if (random.nextInt(4) == 0) {
            index.remove(key);
            model.remove(key);
          } else {
            index.put(key, i);
            model.put(key, (long) i);
          }
        }
        index.verify();
        assertSame(model, index);
      }
    }
  }

  private static void assertSame(Map<Long, Long> model, LongIndex index) {
    assertEquals(model.size(), index.size());
    LongCursor cursor = index.cursor();
    for (Map.Entry<Long, Long> entry : model.entrySet()) {
      assertEquals(true, cursor.next());
      assertEquals(entry.getKey(), cursor.key());
      assertEquals(entry.getValue(), cursor.value());
      assertEquals(entry.getValue(), index.get(entry.getKey()));
    }
  }
}
