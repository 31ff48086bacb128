// SPDX-License-Identifier: Apache-2.0
package dev.espalier.ffi;

/** The operating system refused a call. */
public final class SystemCallException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int errno;

  SystemCallException(String call, int errno) {
    super("%s failed: %s (errno %d)".formatted(call, reason(errno), errno));
    this.errno = errno;
  }

  /** {@return the error number of the operating system} */
  public int errno() {
    return errno;
  }

  /** For the numbers that memory calls give. They are the same on every Linux platform here. */
  private static String reason(int errno) {
    return switch (errno) {
      case 1 -> "EPERM, not permitted";
      case 11 -> "EAGAIN, too much memory locked or out of resources";
      case 12 -> "ENOMEM, not enough memory or address space";
      case 22 -> "EINVAL, invalid argument";
      default -> "see errno(3)";
    };
  }
}
