// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;

/**
 * What of the store each record of its log is told.
 *
 * @param endsBlocks whether each force ends a block, so that none is written again
 * @param tellsForces whether records tell what was forced, and not all that was appended
 */
record LogIdentity(
    StoreFiles files,
    Path store,
    long storeId,
    int epoch,
    int segmentBytes,
    boolean endsBlocks,
    boolean tellsForces) {}
