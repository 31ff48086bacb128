// SPDX-License-Identifier: Apache-2.0

/**
 * Native code, optional at run time: cache prefetch, virtual memory, files, and io_uring.
 *
 * <p>Used if the program is started with {@code --enable-native-access=dev.espalier.ffi} (on the
 * class path: {@code ALL-UNNAMED}). Otherwise no native code is loaded, nothing is printed, and
 * {@link dev.espalier.prefetch.Prefetch#status()} says why.
 */
@SuppressWarnings("module") // The modules named below are built after this one.
module dev.espalier.ffi {
  requires static transitive org.jspecify;

  exports dev.espalier.prefetch;
  exports dev.espalier.ffi to
      dev.espalier.core,
      dev.espalier.io,
      dev.espalier.cli;
}
