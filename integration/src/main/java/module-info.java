// SPDX-License-Identifier: Apache-2.0

/** The index-nested-loop join, the command line, and adapters to other systems. */
module dev.espalier.integration {
  requires transitive dev.espalier.core;
  requires dev.espalier.io;
  requires static transitive org.jspecify;
}
