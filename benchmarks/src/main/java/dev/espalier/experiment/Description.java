// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

/**
 * What an experiment is about.
 *
 * @param name what it is called by: the paper, then the table or figure, like {@code thesis-fig3.6}
 * @param title a few words for lists and for the head of the chart
 * @param source the table or figure in full
 * @param paper what the paper's table or figure shows
 * @param here what is run here, and how it differs from the paper
 * @param chart how the rows are drawn
 */
public record Description(
    String name, String title, String source, String paper, String here, Chart chart) {}
