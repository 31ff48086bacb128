// SPDX-License-Identifier: Apache-2.0

/** Indexes in files: page files, the engines that move their bytes, and a buffer pool. */
module dev.espalier.io {
  requires transitive dev.espalier.core;
  requires static transitive org.jspecify;

  // Not transitive: whoever compiles against this module would need Netty then.
  requires static io.netty.common;
  requires static io.netty.transport;
  requires static io.netty.transport.classes.io_uring;

  exports dev.espalier.io;
}
