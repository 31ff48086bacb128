// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.PageStore;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Random;

/** The bytes of a store's file, to be damaged: where they are, and how to change them. */
record StoredBytes(Path path) {

  /** Something that is done to the file. */
  interface Damage {
    void doTo(RandomAccessFile file) throws IOException;
  }

  /** Returns where in the file a page of its only index is, or -1 if it has none. */
  long position(int page) {
    FileOptions reading = FileOptions.DEFAULT.withFlags(FileOption.LAST_CHECKPOINT);
    try (IndexStore store = IndexStore.open(path, StoreOptions.DEFAULT.withFiles(reading))) {
      StoreState state = store.state();
      int slot = state.indexes.get(Espalier.NAME).map.slot(page);
      return state.space.isWritten(slot) ? state.space.position(slot) : -1;
    }
  }

  void damage(Damage damage) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      damage.doTo(file);
    }
  }

  /** Turns a bit of a byte round. */
  void flip(long at) throws IOException {
    damage(
        file -> {
          file.seek(at);
          int old = file.read();
          file.seek(at);
          file.write(old ^ 0x10);
        });
  }

  byte[] read(long at, int count) throws IOException {
    byte[] bytes = new byte[count];
    damage(
        file -> {
          file.seek(at);
          file.readFully(bytes);
        });
    return bytes;
  }

  void write(long at, byte[] bytes) throws IOException {
    damage(
        file -> {
          file.seek(at);
          file.write(bytes);
        });
  }

  /**
   * Writes nonsense into a page through the store, which seals it as it seals all pages.
   *
   * @param part bytes of the page that may be changed
   */
  void writeNonsense(StoreOptions options, int page, int part, int count, Random random) {
    try (IndexStore store = IndexStore.open(path, options)) {
      store.index(Espalier.NAME);
      SlotPageStore pages = store.state().open.get(Espalier.NAME).pages();
      long at = pages.pin(page);
      for (int i = 0; i < count; i++) {
        long offset = PageStore.RESERVED_BYTES + random.nextInt(part - PageStore.RESERVED_BYTES);
        pages.segment().set(ValueLayout.JAVA_BYTE, at + offset, (byte) random.nextInt());
      }
      pages.unpin(at, true);
      store.checkpoint();
    }
  }
}
