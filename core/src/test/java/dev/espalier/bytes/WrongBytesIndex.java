// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.util.Arrays;
import java.util.function.LongFunction;
import java.util.stream.Stream;

/** An index that is wrong in one way, and the law that refuses it. */
sealed interface WrongBytesIndex permits BytesMutant, BytesCursorMutant {

  /** Returns all that there are. */
  static Stream<WrongBytesIndex> all() {
    return Stream.concat(
        Arrays.stream(BytesMutant.values()), Arrays.stream(BytesCursorMutant.values()));
  }

  String name();

  /** The law that it does not keep. */
  String law();

  LongFunction<BytesIndex> factory();

  default BytesShape shape() {
    return new BytesShape(name(), factory(), 200_000);
  }
}
