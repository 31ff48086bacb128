// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.PackedBytes;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a serializable transaction notes of what it reads of byte strings: neither less nor more.
 */
class TransactionNotedBytesTest {
  private IndexStore store;
  private BytesIndex index;

  @BeforeEach
  void open() {
    StoreEnvironment environment =
        new StoreEnvironment(DiskTrials.disk(1), new SplittableRandom(1), false, false);
    store = new StoreOpening(SimulatedDisk.path("store"), StoreOptions.DEFAULT, environment).open();
    index = store.bytesIndex("a");
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static byte[] bytes(String string) {
    return string.getBytes(UTF_8);
  }

  private static MemorySegment segment(String string) {
    return MemorySegment.ofArray(bytes(string));
  }

  /** What a serializable transaction reads, and a write of others that has to refuse it. */
  enum Noted {
    KEY(own -> own.get(bytes("5")), "5"),
    NO_KEY(own -> own.containsKey(bytes("6")), "6"),
    SHOWN(own -> own.get(segment("5"), (_, _, _, _, _) -> {}), "5"),
    COPIED(own -> own.get(segment("6"), MemorySegment.ofArray(new byte[3])), "6"),
    BATCH(
        own ->
            own.getAll(PackedBytes.of(List.of(bytes("4"), bytes("5"))), (_, _, _, _, _, _) -> {}),
        "4"),
    FIRST(own -> own.cursor().first(), ""),
    LAST(own -> own.cursor().last(), "9"),
    CEILING(own -> own.cursor().ceiling(segment("4")), "41"),
    HIGHER(own -> own.cursor().higher(segment("3")), "3\0"),
    FLOOR(own -> own.cursor().floor(segment("4")), "4"),
    LOWER(own -> own.cursor().lower(segment("3")), "2"),
    NOTHING_BEHIND(own -> own.cursor().higher(segment("7")), "8"),
    NOTHING_BEFORE(own -> own.cursor().lower(segment("1")), "0"),
    NEXT(own -> steps(own, true), "2"),
    PREVIOUS(own -> steps(own, false), "6"),
    COUNT(own -> own.countRange(bytes("2"), true, bytes("6"), false), "4"),
    SIZE(BytesIndex::size, "99"),
    IS_EMPTY(BytesIndex::isEmpty, "0"),
    PREFIX(own -> own.prefixView(bytes("3")).size(), "33"),
    REMOVED(own -> own.removeRange(bytes("2"), true, bytes("6"), false), "4"),
    POLLED(own -> own.pollLast(_ -> {}), "8");

    private final Consumer<BytesIndex> read;
    private final String written;

    Noted(Consumer<BytesIndex> read, String written) {
      this.read = read;
      this.written = written;
    }

    private static void steps(BytesIndex own, boolean forwards) {
      BytesCursor cursor = own.cursor();
      for (int i = 0; i < 2; i++) {
        assertTrue(forwards ? cursor.next() : cursor.previous());
      }
    }
  }

  private static final List<String> ODD = List.of("1", "3", "5", "7");

  @ParameterizedTest
  @EnumSource
  void whatWasReadIsChecked(Noted noted) {
    assertThrows(TransactionConflictException.class, () -> commitsBeside(noted, noted.written));
    assertTrue(commitsBeside(noted));
  }

  @Test
  void whatWasNotReadIsNot() {
    assertTrue(commitsBeside(Noted.HIGHER, "3"));
    assertTrue(commitsBeside(Noted.HIGHER, "51"));
    assertTrue(commitsBeside(Noted.LOWER, "3"));
    assertTrue(commitsBeside(Noted.LOWER, "0"));
    assertTrue(commitsBeside(Noted.COUNT, "6"));
    assertTrue(commitsBeside(Noted.NEXT, "31"));
    assertTrue(commitsBeside(Noted.KEY, "5\0"));
  }

  /** Commits a transaction that has read, and during which others have written a key, or none. */
  private boolean commitsBeside(Noted noted, String... written) {
    index.clear();
    ODD.forEach(key -> index.set(bytes(key), bytes("value")));
    try (Transaction transaction = store.begin(Isolation.SERIALIZABLE)) {
      noted.read.accept(transaction.bytesIndex("a"));
      transaction.bytesIndex("a").set(bytes("own"), bytes("x"));
      for (String key : written) {
        index.set(bytes(key), bytes("others"));
      }
      transaction.commit();
      return true;
    }
  }
}
