// SPDX-License-Identifier: Apache-2.0

/** The native library for Linux on x86-64, a resource that {@code dev.espalier.ffi} finds. */
module dev.espalier.ffi.linux.x86_64 {}
