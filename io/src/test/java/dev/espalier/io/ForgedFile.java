// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;

/**
 * The file of a closed store, of which bytes are changed so that every checksum fits: that of the
 * page, those in what leads to the page, and that of the header.
 */
final class ForgedFile {
  private static final int SEAL_BYTES = 16;

  /** What a field is at its extremes, whatever it means. */
  private static final long[] EXTREMES = {
    0,
    1,
    2,
    -1,
    -2,
    7,
    64,
    255,
    256,
    4096,
    65_535,
    Short.MAX_VALUE,
    Short.MIN_VALUE,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    Integer.MAX_VALUE - 1,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  private final byte[] sound;
  private final ByteBuffer bytes;
  private final int pageBytes;
  private final int first;

  /** The slots of the pages to which others or the header lead, by what they are part of. */
  private final Map<Part, List<Integer>> pages = new EnumMap<>(Part.class);

  /** Takes a file, which can be forged many times, each time as it was. */
  ForgedFile(byte[] sound, int pageBytes) {
    this.sound = sound;
    this.bytes = ByteBuffer.wrap(sound.clone()).order(ByteOrder.LITTLE_ENDIAN);
    this.pageBytes = pageBytes;
    this.first = (int) (StoreHeader.areaBytes(pageBytes) / pageBytes);
    for (int slot = first; slot < slots(); slot++) {
      if (isPage(slot) && isReferredTo(slot)) {
        pages.computeIfAbsent(part(slot), _ -> new ArrayList<>()).add(slot);
      }
    }
  }

  /** Returns the file as it was forged last. */
  byte[] bytes() {
    return bytes.array();
  }

  // ---------------------------------------------------------------- what there is

  private int slots() {
    return bytes.capacity() / pageBytes;
  }

  private int at(int slot) {
    return slot * pageBytes;
  }

  private int checksum(int slot) {
    return bytes.getInt(at(slot));
  }

  private int crc(int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.array(), from, length);
    return (int) crc.getValue();
  }

  private boolean isPage(int slot) {
    return checksum(slot) != 0 && checksum(slot) == crc(at(slot) + 4, pageBytes - 4);
  }

  private int newestCopy() {
    int newest = -1;
    long checkpoint = -1;
    for (int copy = 0; copy < StoreHeader.COPIES; copy++) {
      StoreHeader header = header(copy);
      if (header != null && header.checkpoint() > checkpoint) {
        newest = copy;
        checkpoint = header.checkpoint();
      }
    }
    return newest;
  }

  private StoreHeader header(int copy) {
    return StoreHeader.read(
        MemorySegment.ofArray(bytes.array())
            .asSlice(StoreHeader.position(copy, pageBytes), StoreHeader.BYTES));
  }

  /** What is to be forged. */
  enum Part {
    TREE,
    MAP,
    CATALOGUE,
    HEADER
  }

  private Part part(int slot) {
    if (bytes.getShort(at(slot) + 8) == (short) Catalogue.ID) {
      return Part.CATALOGUE;
    }
    return bytes.getInt(at(slot) + 4) < 0 ? Part.MAP : Part.TREE;
  }

  // ---------------------------------------------------------------- fields

  /**
   * A number that a header, a catalogue or a map has.
   *
   * @param at where it is in the file, or in a copy of the header
   * @param isBig whether it is big-endian
   */
  record Field(Part part, String name, int at, int width, boolean isBig) {
    /** Returns where a byte is, counted from the highest. */
    private int place(int i) {
      return at + (isBig ? i : width - 1 - i);
    }
  }

  /** Returns all fields of header, catalogue and maps; of long pages of maps some. */
  List<Field> fields() {
    List<Field> fields = new ArrayList<>();
    addHeader(fields);
    for (int slot : pages.getOrDefault(Part.CATALOGUE, List.of())) {
      addInts(fields, Part.CATALOGUE, slot, "next slot", "next checksum", "length");
    }
    addCatalogue(fields);
    for (int slot : pages.getOrDefault(Part.MAP, List.of())) {
      addMap(fields, slot);
    }
    return fields;
  }

  private static void addHeader(List<Field> fields) {
    addHeader(fields, 16, 8, "store id", "checkpoint", "nonce", "sequence number");
    addHeader(fields, 48, 8, "segment of the log", "offset in the log");
    addHeader(fields, 64, 4, "epoch", "slot of the catalogue", "its checksum", "bytes of a page");
    addHeader(fields, 80, 4, "bytes of a segment", "slots", "stripes", "clean");
    addHeader(fields, 96, 8, "forced");
  }

  private static void addHeader(List<Field> fields, int from, int width, String... names) {
    for (int i = 0; i < names.length; i++) {
      fields.add(new Field(Part.HEADER, names[i], from + i * width, width, false));
    }
  }

  private void addInts(List<Field> fields, Part part, int slot, String... names) {
    for (int i = 0; i < names.length; i++) {
      fields.add(new Field(part, names[i], at(slot) + SEAL_BYTES + 4 * i, 4, false));
    }
  }

  private void addMap(List<Field> fields, int slot) {
    int number = bytes.getInt(at(slot) + 4);
    String[] names =
        PageMap.level(number) == MapDeltas.LEVEL
            ? new String[] {"older slot", "older checksum", "count", "page", "slot", "checksum"}
            : new String[] {"entry 0", "checksum 0", "entry 1", "checksum 1", "entry 2"};
    addInts(fields, Part.MAP, slot, names);
    int last = pageBytes - 8;
    fields.add(new Field(Part.MAP, "last entry", at(slot) + last, 4, false));
  }

  /** Adds the numbers in the bytes of the catalogue, which are spread over pages. */
  private void addCatalogue(List<Field> fields) {
    List<Integer> places = new ArrayList<>();
    for (int slot = header(newestCopy()).catalogueSlot(); slot != 0; ) {
      int from = at(slot) + SEAL_BYTES + 12;
      for (int i = 0; i < catalogueBytes(slot); i++) {
        places.add(from + i);
      }
      slot = bytes.getInt(at(slot) + SEAL_BYTES);
    }
    CatalogueFields numbers = new CatalogueFields(fields, places);
    numbers.add("next id", 4);
    int count = numbers.add("indexes", 4);
    for (int i = 0; i < count; i++) {
      numbers.add("id", 4);
      for (String string : List.of("name", "tree", "codecs")) {
        numbers.skip(numbers.add("length of " + string, 2));
      }
      for (int word = 0; word < 8; word++) {
        numbers.add("word " + word, 8);
      }
      for (String number :
          List.of("top", "slot", "checksum", "levels", "newest", "its checksum", "deltas")) {
        numbers.add(number, 4);
      }
    }
    numbers.add("length of note", 4);
  }

  private final class CatalogueFields {
    private final List<Field> fields;
    private final List<Integer> places;
    private int at;

    CatalogueFields(List<Field> fields, List<Integer> places) {
      this.fields = fields;
      this.places = places;
    }

    /** Adds the next number, if it is in one page. Returns it, if it is no longer than an int. */
    int add(String name, int width) {
      long value = 0;
      for (int i = 0; i < width; i++) {
        value = value << 8 | bytes.get(places.get(at + i)) & 0xff;
      }
      if (places.get(at) / pageBytes == places.get(at + width - 1) / pageBytes) {
        fields.add(new Field(Part.CATALOGUE, name, places.get(at), width, true));
      }
      at += width;
      return (int) value;
    }

    void skip(int count) {
      at += count;
    }
  }

  /** Returns what a field may be given: all extremes, and what lies just beyond what exists. */
  long[] lies(Field field) {
    return LongStream.concat(
            LongStream.of(EXTREMES),
            LongStream.of(3, 1 << 20, slots() - 1, slots(), first - 1, first, old(field) + 1))
        .toArray();
  }

  /** Gives a field of the sound file another value. Returns what was changed. */
  String forge(Field field, long value) {
    bytes.put(0, sound);
    if (field.part == Part.HEADER) {
      int newest = newestCopy();
      int at = (int) StoreHeader.position(newest, pageBytes);
      String what = change(field, at, value);
      copyHeader(newest);
      return what;
    }
    int slot = field.at / pageBytes;
    int old = checksum(slot);
    String what = change(field, 0, value);
    reseal(slot, old);
    return what;
  }

  private long old(Field field) {
    int base = field.part == Part.HEADER ? (int) StoreHeader.position(newestCopy(), pageBytes) : 0;
    return get(sound, field, base);
  }

  private static long get(byte[] from, Field field, int base) {
    long value = 0;
    for (int i = 0; i < field.width; i++) {
      value = value << 8 | from[base + field.place(i)] & 0xff;
    }
    return value;
  }

  private String change(Field field, int base, long value) {
    for (int i = 0; i < field.width; i++) {
      int shift = 8 * (field.width - 1 - i);
      bytes.put(base + field.place(i), (byte) (value >>> shift));
    }
    return "%s: %s, from %d to %d"
        .formatted(field.part, field.name, get(sound, field, base), value);
  }

  // ---------------------------------------------------------------- forge

  /** Changes a few bytes of a part of the sound file. Returns what was changed. */
  String forge(Part part, Random random) {
    bytes.put(0, sound);
    if (part == Part.HEADER) {
      return forgeHeader(random);
    }
    List<Integer> slots = Objects.requireNonNull(pages.get(part));
    int slot = slots.get(random.nextInt(slots.size()));
    int old = checksum(slot);
    StringBuilder what = new StringBuilder("slot " + slot + ", ");
    what.append(part).append(" page ").append(bytes.getInt(at(slot) + 4)).append(':');
    int end = part == Part.CATALOGUE ? SEAL_BYTES + 12 + catalogueBytes(slot) : pageBytes;
    for (int n = random.nextInt(3); n >= 0; n--) {
      what.append(change(at(slot), SEAL_BYTES, end, random));
    }
    reseal(slot, old);
    return what.toString();
  }

  private int catalogueBytes(int slot) {
    return Math.clamp(bytes.getInt(at(slot) + 24), 0, pageBytes - SEAL_BYTES - 12);
  }

  private boolean isReferredTo(int slot) {
    return header(newestCopy()).catalogueSlot() == slot || !referring(slot).isEmpty();
  }

  /** Returns the positions of the checksums in pages that lead to a page. */
  private List<Integer> referring(int slot) {
    List<Integer> places = new ArrayList<>();
    int checksum = checksum(slot);
    for (int from = first; from < slots(); from++) {
      if (from == slot || !isPage(from) || part(from) == Part.TREE) {
        continue;
      }
      for (int at = at(from) + SEAL_BYTES; at <= at(from) + pageBytes - 8; at++) {
        boolean little = bytes.getInt(at) == slot && bytes.getInt(at + 4) == checksum;
        boolean big =
            bytes.getInt(at) == Integer.reverseBytes(slot)
                && bytes.getInt(at + 4) == Integer.reverseBytes(checksum);
        if (little || big) {
          places.add(at + 4);
        }
      }
    }
    return places;
  }

  private void reseal(int slot, int old) {
    // While the page has its old checksum, what leads to it can be found.
    List<Integer> places = referringTo(slot, old);
    int checksum = crc(at(slot) + 4, pageBytes - 4);
    bytes.putInt(at(slot), checksum);
    for (int place : places) {
      int page = place / pageBytes;
      int before = checksum(page);
      boolean little = bytes.getInt(place) == old;
      bytes.putInt(place, little ? checksum : Integer.reverseBytes(checksum));
      reseal(page, before);
    }
    int newest = newestCopy();
    StoreHeader header = header(newest);
    if (header.catalogueSlot() == slot && header.catalogueChecksum() == old) {
      for (int copy = newest % 2; copy < StoreHeader.COPIES; copy += 2) {
        bytes.putInt((int) StoreHeader.position(copy, pageBytes) + 72, checksum);
        sealHeader(copy);
      }
    }
  }

  private List<Integer> referringTo(int slot, int checksum) {
    bytes.putInt(at(slot), checksum);
    return referring(slot);
  }

  private String forgeHeader(Random random) {
    int newest = newestCopy();
    int at = (int) StoreHeader.position(newest, pageBytes);
    String what = "header:" + change(at, SEAL_BYTES, 96, random);
    copyHeader(newest);
    return what;
  }

  private void copyHeader(int newest) {
    sealHeader(newest);
    int at = (int) StoreHeader.position(newest, pageBytes);
    int twin = (newest + 2) % StoreHeader.COPIES;
    bytes.put((int) StoreHeader.position(twin, pageBytes), bytes.array(), at, StoreHeader.BYTES);
  }

  private void sealHeader(int copy) {
    int at = (int) StoreHeader.position(copy, pageBytes);
    CRC32C crc = new CRC32C();
    crc.update(bytes.array(), at, 12);
    crc.update(bytes.array(), at + 16, StoreHeader.BYTES - 16);
    bytes.putInt(at + 12, (int) crc.getValue());
  }

  /** Changes a field of some width; half of the time one near the beginning. */
  private String change(int base, int from, int end, Random random) {
    int width = 1 << random.nextInt(4);
    int room = Math.max(width, end - from);
    int reach = random.nextBoolean() ? Math.min(room, 32) : room;
    int offset = from + random.nextInt(Math.max(1, reach / width)) * width;
    offset = Math.min(offset, pageBytes - width);
    return ForgedField.change(bytes, base, offset, width, EXTREMES, random);
  }
}
