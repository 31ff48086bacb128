// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** The files of a store, closed or as a crash leaves it, whose pages can be given other bytes. */
final class StoreImage {
  private final List<Path> stripes;
  private final int pageBytes;

  /** The first file and the stripes, in order, and then the log. */
  private final Map<Path, byte[]> files = new LinkedHashMap<>();

  /** Reads all files of a store. */
  StoreImage(Path path, FileOptions options) throws IOException {
    this.stripes = Stream.concat(Stream.of(path), options.stripes().stream()).toList();
    this.pageBytes = options.pageBytes();
    for (Path file : stripes) {
      files.put(file, Files.readAllBytes(file));
    }
    for (Path file : IndexStore.files(path)) {
      files.putIfAbsent(file, Files.readAllBytes(file));
    }
  }

  /** Returns headers and slots, as if all were in one file. */
  byte[] pages() {
    byte[] pages = new byte[blocks() * pageBytes];
    for (int block = 0; block < blocks(); block++) {
      System.arraycopy(bytesOf(block), offsetOf(block), pages, block * pageBytes, pageBytes);
    }
    return pages;
  }

  /** Writes all files, with pages that may lie. */
  void write(byte[] pages) throws IOException {
    for (int block = 0; block < blocks(); block++) {
      System.arraycopy(pages, block * pageBytes, bytesOf(block), offsetOf(block), pageBytes);
    }
    for (Map.Entry<Path, byte[]> file : files.entrySet()) {
      Files.write(file.getKey(), file.getValue());
    }
  }

  /** Returns up to which block no file lacks one. */
  private int blocks() {
    int shortest = Integer.MAX_VALUE;
    for (int place = 0; place < stripes.size(); place++) {
      int bytes = bytesOf(place).length - (place == 0 ? 0 : StripeLabel.bytes(pageBytes));
      shortest = Math.min(shortest, bytes / pageBytes);
    }
    return shortest * stripes.size();
  }

  private byte[] bytesOf(int block) {
    return Objects.requireNonNull(files.get(stripes.get(block % stripes.size())));
  }

  private int offsetOf(int block) {
    int before = block % stripes.size() == 0 ? 0 : StripeLabel.bytes(pageBytes);
    return before + block / stripes.size() * pageBytes;
  }
}
