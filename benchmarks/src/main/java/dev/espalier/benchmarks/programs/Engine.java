// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.programs;

/** An engine that Espalier is measured in: a test class of its module does. */
enum Engine {
  CALCITE("sql", "JoinMeasurement"),
  FLINK("flink", "LookupJoinMeasurement"),
  KAFKA("kafka", "StoreMeasurement");

  private final String module;
  private final String test;

  Engine(String module, String test) {
    this.module = module;
    this.test = test;
  }

  /** Returns the folder of its module, in that of the modules for engines. */
  String module() {
    return module;
  }

  /** Returns the name of the class that measures. */
  String test() {
    return test;
  }
}
