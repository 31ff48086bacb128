// SPDX-License-Identifier: Apache-2.0

/** Native code, optional at run time: cache prefetch and virtual memory. */
module dev.espalier.ffi {
  requires static transitive org.jspecify;
}
