// SPDX-License-Identifier: Apache-2.0

/**
 * Loading of the native library, and system calls: for Espalier's own modules.
 *
 * <p>Every restricted method of {@code java.lang.foreign} that Espalier calls is called in {@link
 * NativeLibrary} or {@link VirtualMemory}.
 */
@NullMarked
package dev.espalier.ffi;

import org.jspecify.annotations.NullMarked;
