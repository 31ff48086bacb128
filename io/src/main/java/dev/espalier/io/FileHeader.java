// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static dev.espalier.io.LittleEndian.INT;
import static dev.espalier.io.LittleEndian.LONG;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.espalier.memory.PageStore;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The header of an index file, of which there are two copies: at the beginning of block 0 and of
 * block 1. They are written in turn, so that one is whole whatever happens; the one with the higher
 * sequence number counts. Little-endian.
 *
 * <pre>
 *    0  magic, 8 bytes "ESPALIER"       36  state: 0 clean, 1 changing, int
 *    8  version, int                    40  pages ever given out, int
 *   12  crc32c of the other bytes, int  44  free pages among them, int
 *   16  sequence, long                  48  files that the blocks are spread over, int
 *   24  file id, long                   52  0, int
 *   32  bytes of a page, int            56  the tree's words, 8 longs
 *  120  0, long                        128  kind of tree, 64 bytes ASCII, padded with 0
 *  192  codecs of keys and values, 64 bytes ASCII, padded with 0
 *  256
 * </pre>
 *
 * @param sequence grows by one whenever the header is written
 * @param fileId a random number that is in every page
 * @param isClean whether the file is what the header says: nothing was written since
 * @param top pages ever given out: their numbers are 1 to this
 * @param freePages how many of those are free; their numbers are in the blocks behind the last page
 * @param stripes files that the blocks are spread over in turn
 * @param meta the words that the store keeps for its tree
 * @param kind name of the tree
 * @param codecs of keys and values
 */
record FileHeader(
    long sequence,
    long fileId,
    int pageBytes,
    boolean isClean,
    int top,
    int freePages,
    int stripes,
    List<Long> meta,
    String kind,
    String codecs) {

  /** Bytes of a copy. */
  static final int BYTES = 256;

  /** Blocks with copies of the header, before page 1. */
  static final int BLOCKS = 2;

  /** Version of the format that this library reads and writes. */
  static final int VERSION = 1;

  /** Keys and values as longs of 8 bytes. */
  static final String LONG_CODECS = "int64:int64";

  private static final byte[] MAGIC = "ESPALIER".getBytes(StandardCharsets.US_ASCII);

  private static final long VERSION_AT = 8;
  private static final long CHECKSUM_AT = 12;
  private static final long SEQUENCE_AT = 16;
  private static final long FILE_ID_AT = 24;
  private static final long PAGE_BYTES_AT = 32;
  private static final long STATE_AT = 36;
  private static final long TOP_AT = 40;
  private static final long FREE_PAGES_AT = 44;
  private static final long STRIPES_AT = 48;
  private static final long META_AT = 56;
  private static final long KIND_AT = 128;
  private static final long CODECS_AT = 192;
  private static final int NAME_BYTES = 64;

  /** Returns where in a file a page is: behind the headers, page by page. */
  static long position(long page, int pageBytes) {
    return (page - 1 + BLOCKS) * pageBytes;
  }

  /** Returns the header to follow when the file is about to change. */
  FileHeader changing() {
    return next(false, top, freePages, meta);
  }

  /** Returns the header to follow when the file is what it says. */
  FileHeader clean(int pages, int free, long[] treeMeta) {
    return next(true, pages, free, LongStream.of(treeMeta).boxed().toList());
  }

  /** Returns this header for a file that is not clean, where no page is known to be free. */
  FileHeader withPages(int pages) {
    return new FileHeader(
        sequence, fileId, pageBytes, isClean, pages, 0, stripes, meta, kind, codecs);
  }

  private FileHeader next(boolean clean, int pages, int free, List<Long> treeMeta) {
    return new FileHeader(
        sequence + 1, fileId, pageBytes, clean, pages, free, stripes, treeMeta, kind, codecs);
  }

  /** Returns the words that the store keeps for its tree, in a new array. */
  long[] metaWords() {
    return meta.stream().mapToLong(Long::longValue).toArray();
  }

  /** Returns the block in which this header goes. */
  int block() {
    return (int) (sequence % BLOCKS);
  }

  /** Writes this header into a file, and waits until it is safe. */
  void writeTo(PageFile file) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(pageBytes, Math.max(pageBytes, file.alignment()));
      write(memory);
      IoBatch batch = new IoBatch(memory, 1);
      batch.add((long) block() * pageBytes, 0, pageBytes);
      file.write(batch);
      file.force();
    }
  }

  /** Writes the header over the first bytes of a block, and zeros over the rest. */
  void write(MemorySegment block) {
    block.fill((byte) 0);
    MemorySegment.copy(MAGIC, 0, block, JAVA_BYTE, 0, MAGIC.length);
    block.set(INT, VERSION_AT, VERSION);
    block.set(LONG, SEQUENCE_AT, sequence);
    block.set(LONG, FILE_ID_AT, fileId);
    block.set(INT, PAGE_BYTES_AT, pageBytes);
    block.set(INT, STATE_AT, isClean ? 0 : 1);
    block.set(INT, TOP_AT, top);
    block.set(INT, FREE_PAGES_AT, freePages);
    block.set(INT, STRIPES_AT, stripes);
    MemorySegment.copy(metaWords(), 0, block, LONG, META_AT, PageStore.META_WORDS);
    writeName(block, KIND_AT, kind);
    writeName(block, CODECS_AT, codecs);
    block.set(INT, CHECKSUM_AT, checksum(block));
  }

  private static void writeName(MemorySegment block, long at, String name) {
    byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
    MemorySegment.copy(bytes, 0, block, JAVA_BYTE, at, bytes.length);
  }

  /** Returns the version that a copy of a header states, or 0 if it is no header. */
  static int version(MemorySegment copy) {
    for (int i = 0; i < MAGIC.length; i++) {
      if (copy.get(JAVA_BYTE, i) != MAGIC[i]) {
        return 0;
      }
    }
    return copy.get(INT, VERSION_AT);
  }

  /** Reads a copy of the header; null if it is damaged, or of another version. */
  static @Nullable FileHeader read(MemorySegment copy) {
    if (version(copy) != VERSION || copy.get(INT, CHECKSUM_AT) != checksum(copy)) {
      return null;
    }
    long[] meta = new long[PageStore.META_WORDS];
    MemorySegment.copy(copy, LONG, META_AT, meta, 0, meta.length);
    return new FileHeader(
        copy.get(LONG, SEQUENCE_AT),
        copy.get(LONG, FILE_ID_AT),
        copy.get(INT, PAGE_BYTES_AT),
        copy.get(INT, STATE_AT) == 0,
        copy.get(INT, TOP_AT),
        copy.get(INT, FREE_PAGES_AT),
        copy.get(INT, STRIPES_AT),
        LongStream.of(meta).boxed().toList(),
        readName(copy, KIND_AT),
        readName(copy, CODECS_AT));
  }

  private static String readName(MemorySegment copy, long at) {
    byte[] bytes = copy.asSlice(at, NAME_BYTES).toArray(JAVA_BYTE);
    int length = 0;
    while (length < bytes.length && bytes[length] != 0) {
      length++;
    }
    return new String(Arrays.copyOf(bytes, length), StandardCharsets.US_ASCII);
  }

  private static int checksum(MemorySegment copy) {
    CRC32C crc = new CRC32C();
    crc.update(copy.asSlice(0, CHECKSUM_AT).asByteBuffer());
    long behind = CHECKSUM_AT + Integer.BYTES;
    crc.update(copy.asSlice(behind, BYTES - behind).asByteBuffer());
    return (int) crc.getValue();
  }
}
