// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.LittleEndian.INT;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.espalier.memory.PageStore;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * What a checkpoint says about the indexes of a store: their names, trees, meta words and maps; and
 * the user's note. It lies in a chain of pages, each with the slot and the checksum of the next
 * one:
 *
 * <pre>
 *  0      16          20              24       28
 *  | seal | next slot | next checksum | length | bytes ... |
 * </pre>
 *
 * @param nextId the id that the next new index gets
 * @param entries one for each index
 * @param note the user's last note, no more than {@link IndexStore#MOST_NOTE_BYTES}
 */
@SuppressWarnings("ArrayRecordComponent") // Neither compared nor changed.
record Catalogue(int nextId, List<Entry> entries, byte[] note) {
  /** The id in the seals of the catalogue's pages: no index has it. */
  static final int ID = 0xffff;

  /** Keys and values as longs of 8 bytes. */
  static final String LONG_CODECS = "int64:int64";

  /** Keys and values as byte strings of any length. */
  static final String BYTES_CODECS = "bytes:bytes";

  private static final long NEXT_SLOT_AT = PageStore.RESERVED_BYTES;
  private static final long NEXT_CHECKSUM_AT = NEXT_SLOT_AT + Integer.BYTES;
  private static final long LENGTH_AT = NEXT_CHECKSUM_AT + Integer.BYTES;
  private static final long BYTES_AT = LENGTH_AT + Integer.BYTES;

  /**
   * One index.
   *
   * @param id the id of the index in seals and in the log, never used again
   * @param name the name by which users know it
   * @param kind name of its tree
   * @param codecs the codecs of keys and values
   * @param meta the words that its tree keeps beside its pages
   * @param top the number of pages ever given out
   * @param map where its map is
   */
  @SuppressWarnings("ArrayRecordComponent") // Neither compared nor changed.
  record Entry(
      int id, String name, String kind, String codecs, long[] meta, int top, PageMap.Root map) {}

  /** Where a catalogue begins. */
  record Place(int slot, int checksum) {}

  // ---------------------------------------------------------------- write

  /** Returns how many pages a catalogue takes. */
  int pages(int pageBytes) {
    return Math.max(1, Math.ceilDiv(bytes().length, capacity(pageBytes)));
  }

  private static int capacity(int pageBytes) {
    return (int) (pageBytes - BYTES_AT);
  }

  /**
   * Puts the catalogue into new slots, its end first.
   *
   * @param slots takes the slots
   */
  Place capture(SlotSpace space, int pageBytes, long checkpoint, PageImages images, int[] slots) {
    byte[] bytes = bytes();
    int capacity = capacity(pageBytes);
    Place next = new Place(0, 0);
    for (int i = slots.length - 1; i >= 0; i--) {
      int length = Math.clamp(bytes.length - (long) i * capacity, 0, capacity);
      MemorySegment image = images.next();
      image.set(INT, NEXT_SLOT_AT, next.slot);
      image.set(INT, NEXT_CHECKSUM_AT, next.checksum);
      image.set(INT, LENGTH_AT, length);
      MemorySegment.copy(bytes, i * capacity, image, JAVA_BYTE, BYTES_AT, length);
      slots[i] = space.takeLowest();
      next = new Place(slots[i], images.seal(image, slots[i], i, PageSeal.tag(ID, checkpoint)));
    }
    return next;
  }

  private byte[] bytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(nextId);
      out.writeInt(entries.size());
      for (Entry entry : entries) {
        out.writeInt(entry.id);
        out.writeUTF(entry.name);
        out.writeUTF(entry.kind);
        out.writeUTF(entry.codecs);
        for (long word : entry.meta) {
          out.writeLong(word);
        }
        out.writeInt(entry.top);
        out.writeInt(entry.map.slot());
        out.writeInt(entry.map.checksum());
        out.writeInt(entry.map.levels());
        out.writeInt(entry.map.newest().slot());
        out.writeInt(entry.map.newest().checksum());
        out.writeInt(entry.map.deltas());
      }
      out.writeInt(note.length);
      out.write(note);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail
    }
    return bytes.toByteArray();
  }

  // ---------------------------------------------------------------- read

  /**
   * Reads a catalogue, and notes its slots.
   *
   * @param slots takes the slots, in any order
   * @throws PageFileException if a page is damaged, or what the pages say makes no sense
   */
  static Catalogue read(Place place, SlotSpace space, PageReader reader, List<Integer> slots) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Place next = place;
    for (int page = 0; next.slot != 0; page++) {
      reader.claim(space, next.slot, page);
      slots.add(next.slot);
      MemorySegment image = reader.read(next.slot, next.checksum, page, ID);
      int length = Math.clamp(image.get(INT, LENGTH_AT), 0, capacity(reader.pageBytes()));
      bytes.writeBytes(image.asSlice(BYTES_AT, length).toArray(JAVA_BYTE));
      next = new Place(image.get(INT, NEXT_SLOT_AT), image.get(INT, NEXT_CHECKSUM_AT));
    }
    return parse(bytes.toByteArray());
  }

  private static Catalogue parse(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new java.io.ByteArrayInputStream(bytes))) {
      int nextId = in.readInt();
      int count = in.readInt();
      List<Entry> entries = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int id = in.readInt();
        String name = in.readUTF();
        String kind = in.readUTF();
        String codecs = in.readUTF();
        long[] meta = new long[PageStore.META_WORDS];
        for (int word = 0; word < meta.length; word++) {
          meta[word] = in.readLong();
        }
        int top = in.readInt();
        PageMap.Root map =
            new PageMap.Root(
                in.readInt(),
                in.readInt(),
                in.readInt(),
                new MapDeltas.Place(in.readInt(), in.readInt()),
                in.readInt());
        entries.add(new Entry(id, name, kind, codecs, meta, top, map));
      }
      return new Catalogue(nextId, List.copyOf(entries), in.readNBytes(in.readInt()));
    } catch (IOException e) {
      throw new UncheckedIOException("the catalogue ends too early", e);
    }
  }
}
