// SPDX-License-Identifier: Apache-2.0
package dev.espalier.batch;

/**
 * The method that was chosen for a batch, and why.
 *
 * @param method never {@link ProbeMethod#AUTO}
 * @param reason in words, with the expected times per probe
 */
public record ProbeChoice(ProbeMethod method, String reason) {}
