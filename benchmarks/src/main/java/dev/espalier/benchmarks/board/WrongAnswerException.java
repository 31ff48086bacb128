// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

/** A store answered what could not have been there. */
final class WrongAnswerException extends RuntimeException {
  private static final long serialVersionUID = 1;

  WrongAnswerException(String message) {
    super(message);
  }
}
