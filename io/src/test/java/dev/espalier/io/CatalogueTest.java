// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.memory.PageStore;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a catalogue is written, what is read of it, and what makes no sense. */
class CatalogueTest {
  private static final int PAGE_BYTES = 512;
  private static final int CAPACITY = PAGE_BYTES - 28;

  /** The first slot behind the headers. */
  private static final int FIRST = 32;

  private final PageFile file =
      DiskTrials.disk(1).openPages(LogCalls.STORE, Access.CREATE, PAGE_BYTES);
  private final PageImages images = new PageImages(PAGE_BYTES);
  private SlotSpace space;

  @BeforeEach
  void grow() {
    file.grow(200 * PAGE_BYTES);
    space = new SlotSpace(file, PAGE_BYTES, null);
  }

  @AfterEach
  void close() {
    images.close();
    file.close();
  }

  private static Catalogue.Entry entry(int id, String name, int top) {
    long[] meta = new long[PageStore.META_WORDS];
    Arrays.setAll(meta, word -> 100L * id + word);
    return new Catalogue.Entry(
        id,
        name,
        "kind of " + name,
        "codecs of " + name,
        meta,
        top,
        new PageMap.Root(id + 1, id + 2, id + 3, new MapDeltas.Place(id + 4, id + 5), id + 6));
  }

  private static Catalogue catalogue(int nextId, Catalogue.Entry... entries) {
    return new Catalogue(nextId, List.of(entries), new byte[] {1, 2, 3});
  }

  private static void assertSame(Catalogue.Entry expected, Catalogue.Entry actual) {
    assertEquals(expected.id(), actual.id());
    assertEquals(expected.name(), actual.name());
    assertEquals(expected.kind(), actual.kind());
    assertEquals(expected.codecs(), actual.codecs());
    assertArrayEquals(expected.meta(), actual.meta());
    assertEquals(expected.top(), actual.top());
    assertEquals(expected.map(), actual.map());
  }

  private Catalogue.Place write(Catalogue catalogue) {
    int[] slots = new int[catalogue.pages(PAGE_BYTES)];
    Catalogue.Place place = catalogue.capture(space, PAGE_BYTES, 7, images, slots);
    images.write(file);
    return place;
  }

  private Catalogue read(Catalogue.Place place) {
    return read(place, new SlotSpace(file, PAGE_BYTES, null), new ArrayList<>());
  }

  private Catalogue read(Catalogue.Place place, SlotSpace noted, List<Integer> slots) {
    try (PageReader reader = new PageReader(file, PAGE_BYTES)) {
      return Catalogue.read(place, noted, reader, slots);
    }
  }

  private void assertRefused(String what, Catalogue.Place place) {
    String message =
        String.valueOf(assertThrows(CorruptPageException.class, () -> read(place)).getMessage());
    assertTrue(message.startsWith("/simulated/store: page 0 of the catalogue " + what), message);
  }

  // ---------------------------------------------------------------- write and read

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 1", "484, 1", "485, 2", "968, 2", "969, 3"})
  void aCatalogueHasAPageAtLeast(int bytes, int pages) {
    assertEquals(pages, Catalogue.pages(bytes, PAGE_BYTES));
  }

  @Test
  void anEmptyOneHasItsHeaderOnly() {
    Catalogue empty = new Catalogue(4, List.of(), new byte[CAPACITY - Catalogue.HEADER_BYTES]);
    assertEquals(1, empty.pages(PAGE_BYTES));
    assertEquals(2, new Catalogue(4, List.of(), new byte[CAPACITY + 1 - 12]).pages(PAGE_BYTES));
    Catalogue read = read(write(empty));
    assertEquals(4, read.nextId());
    assertEquals(List.of(), read.entries());
    assertEquals(CAPACITY - 12, read.note().length);
  }

  @Test
  void whatIsWrittenIsRead() {
    List<Catalogue.Entry> entries = new ArrayList<>();
    for (int id = 0; id < 12; id++) {
      entries.add(entry(id, "index " + id, 10 * id));
    }
    byte[] note = new byte[600];
    for (int i = 0; i < note.length; i++) {
      note[i] = (byte) i;
    }
    Catalogue written = new Catalogue(12, entries, note);
    assertTrue(written.pages(PAGE_BYTES) > 3);
    SlotSpace noted = new SlotSpace(file, PAGE_BYTES, null);
    List<Integer> slots = new ArrayList<>();
    Catalogue read = read(write(written), noted, slots);
    assertEquals(12, read.nextId());
    assertEquals(12, read.entries().size());
    for (int id = 0; id < 12; id++) {
      assertSame(entries.get(id), read.entries().get(id));
    }
    assertArrayEquals(note, read.note());
    assertEquals(written.pages(PAGE_BYTES), slots.size());
    for (int slot : slots) {
      assertTrue(noted.isLoaded(slot));
    }
  }

  /** Its end first, so that each page has the checksum of the next one. */
  @Test
  void thePagesOfACatalogueAreAChain() {
    space.takeLowest();
    Catalogue catalogue = new Catalogue(0, List.of(), new byte[2 * CAPACITY]);
    int[] slots = new int[3];
    Catalogue.Place place = catalogue.capture(space, PAGE_BYTES, 7, images, slots);
    images.write(file);
    assertArrayEquals(new int[] {FIRST + 3, FIRST + 2, FIRST + 1}, slots);
    assertEquals(FIRST + 3, place.slot());
    assertEquals(4, space.busyCount());
    try (PageReader reader = new PageReader(file, PAGE_BYTES)) {
      int checksum = place.checksum();
      int[] lengths = {CAPACITY, CAPACITY, 12};
      for (int page = 0; page < 3; page++) {
        MemorySegment image = reader.read(slots[page], checksum, page, Catalogue.ID);
        assertEquals(PageSeal.tag(Catalogue.ID, 7), PageSeal.tag(image, 0));
        assertEquals(page == 2 ? 0 : slots[page + 1], image.get(ValueLayout.JAVA_INT, 16));
        assertEquals(lengths[page], image.get(ValueLayout.JAVA_INT, 24));
        checksum = image.get(ValueLayout.JAVA_INT, 20);
      }
      assertEquals(0, checksum);
    }
  }

  @Test
  void anEntryIsReadByItself() {
    Catalogue.Entry entry = entry(5, "name", 9);
    byte[] bytes = entry.bytes();
    byte[] within = new byte[bytes.length + 7];
    System.arraycopy(bytes, 0, within, 3, bytes.length);
    assertSame(entry, Objects.requireNonNull(Catalogue.Entry.of(within, 3, bytes.length)));
    assertNull(Catalogue.Entry.of(within, 3, bytes.length - 1));
    assertNull(Catalogue.Entry.of(within, 3, 0));
  }

  // ---------------------------------------------------------------- nonsense

  @Test
  void aPlaceThatIsTakenIsNoCatalogue() {
    Catalogue.Place place = write(catalogue(0));
    SlotSpace noted = new SlotSpace(file, PAGE_BYTES, null);
    read(place, noted, new ArrayList<>());
    CorruptPageException twice =
        assertThrows(CorruptPageException.class, () -> read(place, noted, new ArrayList<>()));
    assertTrue(String.valueOf(twice.getMessage()).contains("where another page is"));
    assertRefused(
        "in slot %d is not what was written last".formatted(place.slot()),
        new Catalogue.Place(place.slot(), place.checksum() + 1));
  }

  @ParameterizedTest
  @CsvSource({"0, 1, true", "2, 3, true", "2, 2, false", "-1, 3, false"})
  void idsAreBelowTheNextOne(int id, int nextId, boolean isRight) {
    Catalogue.Place place = write(catalogue(nextId, entry(id, "a", 1)));
    if (isRight) {
      assertEquals(id, read(place).entries().getFirst().id());
    } else {
      assertRefused("tells of index " + id, place);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MAX_VALUE - 8, Integer.MAX_VALUE})
  void noIndexHasSoManyPages(int top) {
    assertRefused(
        "tells of %d pages, more than the heap has room for".formatted(top),
        write(catalogue(3, entry(1, "a", top))));
  }

  /** Each by itself would fit. */
  @Test
  void allIndexesTogetherFitIntoTheHeap() {
    long fit = Runtime.getRuntime().maxMemory() / 16;
    int part = (int) Math.min(fit / 2 + 1, Integer.MAX_VALUE - 9);
    Catalogue.Entry[] entries = new Catalogue.Entry[4];
    Arrays.setAll(entries, id -> entry(id, "index" + id, part));
    assertRefused(
        "tells of %d pages, more than the heap has room for".formatted(part),
        write(catalogue(9, entries)));
    assertEquals(0, read(write(catalogue(3, entry(1, "a", 0)))).entries().getFirst().top());
  }

  @Test
  void anIndexIsThereOnce() {
    String refused = "tells of an index twice";
    assertRefused(refused, write(catalogue(3, entry(1, "a", 1), entry(1, "b", 1))));
    assertRefused(refused, write(catalogue(3, entry(1, "a", 1), entry(2, "a", 1))));
    assertEquals(2, read(write(catalogue(3, entry(1, "a", 1), entry(2, "b", 1)))).entries().size());
  }

  @Test
  void aNoteIsNoLongerThanItMayBe() {
    byte[] longest = new byte[IndexStore.MOST_NOTE_BYTES];
    assertEquals(longest.length, read(write(new Catalogue(0, List.of(), longest))).note().length);
    assertEquals(0, read(write(new Catalogue(0, List.of(), new byte[0]))).note().length);
    assertRefused("has no such note", raw(0, 0, longest.length + 1, longest.length + 1));
  }

  /** Writes a catalogue without entries, whatever it says. */
  private Catalogue.Place raw(int nextId, int count, int noteLength, int noteBytes) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(nextId);
      out.writeInt(count);
      out.writeInt(noteLength);
      out.write(new byte[noteBytes]);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return write(bytes.toByteArray());
  }

  /** Writes bytes into the chain of pages that a catalogue has. */
  private Catalogue.Place write(byte[] bytes) {
    try (PageImages own = new PageImages(PAGE_BYTES)) {
      Catalogue.Place next = new Catalogue.Place(0, 0);
      for (int page = (bytes.length - 1) / CAPACITY; page >= 0; page--) {
        int length = Math.min(CAPACITY, bytes.length - page * CAPACITY);
        MemorySegment image = own.next();
        image.set(ValueLayout.JAVA_INT, 16, next.slot());
        image.set(ValueLayout.JAVA_INT, 20, next.checksum());
        image.set(ValueLayout.JAVA_INT, 24, length);
        MemorySegment.copy(bytes, page * CAPACITY, image, ValueLayout.JAVA_BYTE, 28, length);
        int slot = space.takeLowest();
        int checksum = own.seal(image, slot, page, PageSeal.tag(Catalogue.ID, 7));
        next = new Catalogue.Place(slot, checksum);
      }
      own.write(file);
      return next;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 5, 5, ''",
    "0, 5, 4, does not end where it should",
    "0, 5, 6, does not end where it should",
    "-1, 5, 5, does not end where it should",
    "0, -1, 5, has no such note",
    "1, 5, 5, can't be read",
  })
  void aCatalogueEndsWithItsNote(int count, int length, int bytes, String what) {
    Catalogue.Place place = raw(0, count, length, bytes);
    if (what.isEmpty()) {
      assertEquals(5, read(place).note().length);
    } else {
      assertRefused(what, place);
    }
  }

  @Test
  void whatIsCutOffCanNotBeRead() {
    CorruptPageException corrupt =
        assertThrows(CorruptPageException.class, () -> read(write(new byte[7])));
    assertTrue(corrupt.getCause() instanceof IOException);
  }
}
