// SPDX-License-Identifier: Apache-2.0

/**
 * Tables and figures of the papers, run again: what an experiment is, how it measures, and how its
 * outcome is written down. The experiments themselves are in one package per paper.
 */
@NullMarked
package dev.espalier.experiment;

import org.jspecify.annotations.NullMarked;
