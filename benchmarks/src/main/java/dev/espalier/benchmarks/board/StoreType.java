// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A kind of store.
 *
 * @param name a row of the board
 * @param ours whether it is one of Espalier's
 * @param settings how it is set up, for the page
 * @param isFor tells for which settings there is one
 * @param factory opens an empty one
 */
public record StoreType(
    String name,
    boolean ours,
    String settings,
    Predicate<Setting> isFor,
    Function<Setting, BoardStore> factory) {}
