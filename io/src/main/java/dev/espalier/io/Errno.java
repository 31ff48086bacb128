// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

/** Error numbers of Linux, in words. */
final class Errno {
  static final int EPERM = 1;
  static final int ENOENT = 2;
  static final int EIO = 5;
  static final int EBADF = 9;
  static final int ENOMEM = 12;
  static final int EACCES = 13;
  static final int EEXIST = 17;
  static final int EISDIR = 21;
  static final int EINVAL = 22;
  static final int EMFILE = 24;
  static final int EFBIG = 27;
  static final int ENOSPC = 28;
  static final int EROFS = 30;
  static final int ENOSYS = 38;
  static final int EOPNOTSUPP = 95;
  static final int ESHUTDOWN = 108;
  static final int EDQUOT = 122;

  private Errno() {}

  /** Says what a number means, with its name and the number. */
  static String describe(int errno) {
    String meaning =
        switch (errno) {
          case EPERM -> "EPERM, not permitted";
          case ENOENT -> "ENOENT, no such file";
          case EIO -> "EIO, the device failed";
          case EBADF -> "EBADF, the file is not open for that";
          case ENOMEM -> "ENOMEM, not enough memory";
          case EACCES -> "EACCES, access denied";
          case EEXIST -> "EEXIST, the file exists";
          case EISDIR -> "EISDIR, it is a directory";
          case EINVAL -> "EINVAL, invalid argument";
          case EMFILE -> "EMFILE, too many open files";
          case EFBIG -> "EFBIG, larger than files may be";
          case ENOSPC -> "ENOSPC, no space left on the device";
          case EROFS -> "EROFS, the file system can only be read";
          case ENOSYS -> "ENOSYS, the system has no such call";
          case EOPNOTSUPP -> "EOPNOTSUPP, the file system can't do that";
          case ESHUTDOWN -> "ESHUTDOWN, the event loop was shut down";
          case EDQUOT -> "EDQUOT, the disk quota is used up";
          default -> "see errno(3)";
        };
    return meaning + " (errno " + errno + ")";
  }
}
