// SPDX-License-Identifier: Apache-2.0

/** Page files, buffer pool, log and recovery for the trees that live in pages. */
module dev.espalier.io {
  requires transitive dev.espalier.core;
  requires static transitive org.jspecify;

  exports dev.espalier.io;
}
