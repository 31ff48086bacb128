// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.TestSize;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Headers, catalogues and maps that lie behind good checksums: each number in them is given its
 * extremes, and what lies just beyond what exists. The store is refused, or its answers are right,
 * in bounded time and memory.
 */
class LyingMapsTest {
  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  @ParameterizedTest
  @CsvSource({
    "DiskFirstFpbPlusTree, 0, true",
    "DiskFirstFpbPlusTree, 2, false",
    "PrefixBPlusTree, 1, true",
    "BLinkTree, 0, false",
  })
  @Tag("thorough")
  void everyCallAnswersOrSaysWhatIsWrong(String tree, int stripes, boolean isCrashed)
      throws Exception {
    Lies lies = new Lies(tree, stripes, isCrashed);
    List<ForgedFile.Field> fields = lies.forged.fields();
    for (long seed : TestSize.seeds(tree, 2, 150)) {
      Random random = new Random(seed);
      ForgedFile.Field field = fields.get(random.nextInt(fields.size()));
      long[] values = lies.forged.lies(field);
      lies.tell(field, values[random.nextInt(values.length)], random);
    }
    assertEquals("", String.join("\n", lies.wrongs));
  }

  /** What failed once, whatever the day draws. */
  @ParameterizedTest
  @CsvSource({
    "DiskFirstFpbPlusTree, 0, true, HEADER: sequence number, 32767",
    "DiskFirstFpbPlusTree, 0, true, HEADER: epoch, 2",
    "DiskFirstFpbPlusTree, 0, true, HEADER: offset in the log, -1",
    "DiskFirstFpbPlusTree, 0, true, HEADER: offset in the log, 9223372036854775807",
    "DiskFirstFpbPlusTree, 0, true, HEADER: slot of the catalogue, -1",
    "DiskFirstFpbPlusTree, 2, false, CATALOGUE: top, 2147483647",
    "DiskFirstFpbPlusTree, 0, true, MAP: entry 0, -2147483648",
    "PrefixBPlusTree, 1, true, MAP: entry 2, 2147483647",
  })
  @Tag("thorough")
  void whatFailedOnceStaysMended(
      String tree, int stripes, boolean isCrashed, String name, long value) throws Exception {
    Lies lies = new Lies(tree, stripes, isCrashed);
    for (ForgedFile.Field field : lies.forged.fields()) {
      if ((field.part() + ": " + field.name()).equals(name)) {
        lies.tell(field, value, new Random(1));
      }
    }
    assertEquals("", String.join("\n", lies.wrongs));
  }

  /** A store, and what is told of it. */
  private final class Lies {
    private final String tree;
    private final LyingStore lying;
    private final StoreImage image;
    final ForgedFile forged;
    final List<String> wrongs = new ArrayList<>();

    Lies(String tree, int stripes, boolean isCrashed) throws IOException {
      this.tree = tree;
      lying = new LyingStore(folder, tree, stripes);
      image = isCrashed ? lying.crashed() : lying.closed();
      lying.expectAnswers();
      forged = new ForgedFile(image.pages(), lying.options().files().pageBytes());
    }

    void tell(ForgedFile.Field field, long value, Random random) throws Exception {
      String what = tree + ", " + forged.forge(field, value);
      image.write(forged.bytes());
      wrongs.addAll(lying.wrongsOf(what, random));
    }
  }
}
