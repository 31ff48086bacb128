// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bytes.BytesIndex;
import dev.espalier.inspect.InvariantViolationException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ConcurrentModificationException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nothing but damage is called damage, and no damage is called the work of another thread. */
class IndexFailuresTest {
  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private IndexStore store;
  private IndexFailures failures;

  @BeforeEach
  void open() {
    store = IndexStore.open(folder.resolve("store.esp"));
    StoreIndex index = (StoreIndex) store.index("orders");
    index.set(1, 2);
    failures = index.failures();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private List<RuntimeException> doubtful() {
    return List.of(
        new IndexOutOfBoundsException("at 7"),
        new NegativeArraySizeException("-1"),
        new ConcurrentModificationException("torn"),
        new InvariantViolationException("I3", "page 7"),
        CorruptPageException.misled(store.path(), 7, "is not in use"));
  }

  @Test
  void aReadThatSucceedsAtTheSecondTryMetAWriter() {
    for (RuntimeException failed : doubtful()) {
      RuntimeException told = failures.ofRead(failed, () -> {});
      assertInstanceOf(ConcurrentModificationException.class, told);
      assertTrue(told.getMessage().contains("index 'orders' of " + store.path()));
    }
  }

  @Test
  void aReadThatFailsAgainWhileNobodyWritesMetDamage() {
    for (RuntimeException failed : doubtful()) {
      RuntimeException told =
          failures.ofRead(
              failed,
              () -> {
                throw failed;
              });
      assertInstanceOf(CorruptPageException.class, told);
      assertTrue(told.getMessage().startsWith(store.path() + ": "), told.getMessage());
      assertTrue(told.getMessage().contains("Salvage"), told.getMessage());
    }
  }

  @Test
  void aStepOverASoundTreeMetAWriter() {
    for (RuntimeException failed : doubtful()) {
      assertInstanceOf(ConcurrentModificationException.class, failures.ofStep(failed));
    }
  }

  @Test
  void anIndexThatWasClosedMeanwhileIsNotDamaged() {
    store.close();
    for (RuntimeException failed : doubtful()) {
      RuntimeException told =
          assertThrows(
              RuntimeException.class,
              () -> {
                throw failures.ofStep(failed);
              });
      assertInstanceOf(IllegalStateException.class, told);
      assertTrue(told.getMessage().contains("'orders' of " + store.path() + " is closed"));
    }
  }

  @Test
  void aChangeMeetsNoOtherWriter() {
    for (RuntimeException failed : doubtful()) {
      assertInstanceOf(CorruptPageException.class, failures.ofWrite(failed));
    }
  }

  @Test
  void whatSaysWhatIsWrongIsThrownAsItIs() {
    RuntimeException closed = new IllegalStateException("closed");
    RuntimeException damaged = new CorruptPageException(store.path(), 3, "is damaged");
    for (RuntimeException failed : List.of(closed, damaged)) {
      assertSame(failed, failures.ofRead(failed, () -> {}));
      assertSame(failed, failures.ofStep(failed));
      assertSame(failed, failures.ofWrite(failed));
      assertSame(failed, failures.ofVerify(failed));
    }
  }

  @Test
  void failuresOfTheCallersReaderAreItsOwn() {
    BytesIndex index = store.bytesIndex("names");
    byte[] key = {1};
    index.set(key, new byte[100]);
    RuntimeException own = new IndexOutOfBoundsException("of the reader");
    RuntimeException told =
        assertThrows(
            IndexOutOfBoundsException.class,
            () ->
                index.get(
                    MemorySegment.ofArray(key),
                    (_, _, _, _, _) -> {
                      throw own;
                    }));
    assertSame(own, told);
    assertEquals(100, index.size() * 100);
  }
}
