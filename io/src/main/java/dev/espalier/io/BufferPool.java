// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/** Frames of memory for the pages of files. */
public final class BufferPool {
  private BufferPool() {}
}
