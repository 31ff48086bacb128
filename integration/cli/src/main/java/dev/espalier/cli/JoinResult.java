// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.batch.ProbeMethod;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * One line of the outcome.
 *
 * @param join the tables' names
 * @param index name of the inner side
 * @param threads how many probed it at once
 * @param method how it was probed
 * @param buildSeconds time to fill the inner side
 * @param bytesPerEntry its memory
 * @param probesPerSecond outer rows per second
 * @param digest what came out
 * @param agrees whether that is what came out of the hash join, in every pass
 * @param pool what the buffer pool did, if the inner side has one
 */
record JoinResult(
    String join,
    String index,
    int threads,
    ProbeMethod method,
    double buildSeconds,
    double bytesPerEntry,
    double probesPerSecond,
    JoinDigest digest,
    boolean agrees,
    Optional<PoolUse> pool) {

  /** Tells whether another is of the same join, index and method. */
  boolean isLike(JoinResult other) {
    return join.equals(other.join) && index.equals(other.index) && method == other.method;
  }

  /** Returns the index, and by how many threads it was probed if by several. */
  String indexName() {
    return threads == 1 ? index : index + " x" + threads;
  }

  String methodName() {
    return method.name().toLowerCase(Locale.ROOT);
  }

  Map<String, Object> toJson() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("join", join);
    object.put("index", index);
    object.put("threads", threads);
    object.put("method", methodName());
    object.put("buildSeconds", buildSeconds);
    object.put("bytesPerEntry", bytesPerEntry);
    object.put("probesPerSecond", probesPerSecond);
    object.put("rows", digest.rows());
    object.put("checksum", digest.checksumText());
    object.put("agrees", agrees);
    pool.ifPresent(use -> object.put("pool", use.toJson()));
    return object;
  }
}
