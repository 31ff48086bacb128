// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What came out of a run: its parameters, rows and checks, collected one after the other. */
public final class Outcome {
  private final Map<String, Object> parameters = new LinkedHashMap<>();
  private final Table table;
  private final List<Check> checks = new ArrayList<>();

  /** Makes an outcome without parameters, rows and checks. */
  public Outcome(Column... columns) {
    table = new Table(columns);
  }

  /**
   * Notes what the run was made with.
   *
   * @param value a text, a number or a boolean
   */
  public Outcome parameter(String name, Object value) {
    parameters.put(name, value);
    return this;
  }

  /** Notes how much the run took upon itself. */
  public Outcome effort(Effort effort) {
    return parameter("entries", effort.entries())
        .parameter("probes", effort.probes())
        .parameter("rounds", effort.rounds());
  }

  /** Adds a row, as {@link Table#add}. */
  public void row(Object... values) {
    table.add(values);
  }

  /** Adds a check. */
  public void check(Check check) {
    checks.add(check);
  }

  /** Returns what the run was made with, by name. */
  public Map<String, Object> parameters() {
    return Collections.unmodifiableMap(parameters);
  }

  /** Returns the rows so far. */
  public Table table() {
    return table;
  }

  /** Returns the checks so far. */
  public List<Check> checks() {
    return Collections.unmodifiableList(checks);
  }

  /** Tells whether a check failed that no noise of the machine can explain. */
  public boolean hasFailed() {
    return checks.stream().anyMatch(Check::isFailure);
  }
}
