// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

/**
 * One run of an experiment, seen from the inside.
 *
 * @param effort how much it takes upon itself
 * @param progress told how far it has come
 */
public record Run(Effort effort, Progress progress) {}
