// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.LittleEndian.INT;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.espalier.memory.PageStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

  /** Bytes without indexes and note. */
  static final int HEADER_BYTES = 3 * Integer.BYTES;

  /** What an open store has in the heap for each page, in use or free. */
  private static final int HEAP_BYTES_PER_PAGE = 2 * Long.BYTES;

  /** More pages than an array has room for. */
  private static final int MOST_PAGES = Integer.MAX_VALUE - 8;

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
   * @param codecs the codecs of keys and values, as {@link StoredCodecs} names them
   * @param meta the words that its tree keeps beside its pages
   * @param top the number of pages ever given out
   * @param map where its map is
   */
  @SuppressWarnings("ArrayRecordComponent") // Neither compared nor changed.
  record Entry(
      int id, String name, String kind, String codecs, long[] meta, int top, PageMap.Root map) {

    /** Returns what the catalogue has of this. */
    byte[] bytes() {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (DataOutputStream out = new DataOutputStream(bytes)) {
        writeTo(out);
      } catch (IOException e) {
        throw new UncheckedIOException(e); // memory does not fail
      }
      return bytes.toByteArray();
    }

    /** Returns the entry in some bytes, null if there is none. */
    static @Nullable Entry of(byte[] bytes, int from, int length) {
      try {
        return parseEntry(new DataInputStream(new ByteArrayInputStream(bytes, from, length)));
      } catch (IOException e) {
        return null;
      }
    }

    private void writeTo(DataOutputStream out) throws IOException {
      out.writeInt(id);
      out.writeUTF(name);
      out.writeUTF(kind);
      out.writeUTF(codecs);
      for (long word : meta) {
        out.writeLong(word);
      }
      out.writeInt(top);
      out.writeInt(map.slot());
      out.writeInt(map.checksum());
      out.writeInt(map.levels());
      out.writeInt(map.newest().slot());
      out.writeInt(map.newest().checksum());
      out.writeInt(map.deltas());
    }
  }

  /** Where a catalogue begins. */
  record Place(int slot, int checksum) {}

  // ---------------------------------------------------------------- write

  /** Returns how many pages a catalogue takes. */
  int pages(int pageBytes) {
    return pages(bytes().length, pageBytes);
  }

  /** Returns how many pages a catalogue of some bytes takes. */
  static int pages(int bytes, int pageBytes) {
    return Math.max(1, Math.ceilDiv(bytes, capacity(pageBytes)));
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
        entry.writeTo(out);
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
      reader.claim(space, next.slot, page, ID);
      slots.add(next.slot);
      MemorySegment image = reader.read(next.slot, next.checksum, page, ID);
      int length = Math.clamp(image.get(INT, LENGTH_AT), 0, capacity(reader.pageBytes()));
      bytes.writeBytes(image.asSlice(BYTES_AT, length).toArray(JAVA_BYTE));
      next = new Place(image.get(INT, NEXT_SLOT_AT), image.get(INT, NEXT_CHECKSUM_AT));
    }
    return parse(bytes.toByteArray(), reader);
  }

  private static Catalogue parse(byte[] bytes, PageReader reader) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      int nextId = in.readInt();
      int count = in.readInt();
      List<Entry> entries = new ArrayList<>();
      Set<Object> known = new HashSet<>();
      long pages = 0;
      for (int i = 0; i < count; i++) {
        Entry entry = parseEntry(in);
        check(entry.id >= 0 && entry.id < nextId, reader, "tells of index " + entry.id);
        pages += entry.top;
        check(
            entry.top >= 0
                && entry.top < MOST_PAGES
                && pages * HEAP_BYTES_PER_PAGE < Runtime.getRuntime().maxMemory(),
            reader,
            "tells of %d pages, more than the heap has room for".formatted(entry.top));
        check(known.add(entry.id) && known.add(entry.name), reader, "tells of an index twice");
        entries.add(entry);
      }
      int length = in.readInt();
      check(length >= 0 && length <= IndexStore.MOST_NOTE_BYTES, reader, "has no such note");
      check(count >= 0 && length == in.available(), reader, "does not end where it should");
      return new Catalogue(nextId, List.copyOf(entries), in.readNBytes(length));
    } catch (IOException e) {
      CorruptPageException corrupt = reader.corrupt(ID, 0, "can't be read");
      corrupt.initCause(e);
      throw corrupt;
    }
  }

  private static Entry parseEntry(DataInputStream in) throws IOException {
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
    return new Entry(id, name, kind, codecs, meta, top, map);
  }

  private static void check(boolean holds, PageReader reader, String what) {
    if (!holds) {
      throw reader.corrupt(ID, 0, what);
    }
  }
}
