// SPDX-License-Identifier: Apache-2.0
package dev.espalier.flink;

import java.time.Duration;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/** The options of a table with {@code 'connector' = 'espalier'}. */
public final class EspalierOptions {
  /** The index file, or folder of files: a path of any file system that Flink knows. Required. */
  public static final ConfigOption<String> PATH =
      ConfigOptions.key("path")
          .stringType()
          .noDefaultValue()
          .withDescription("The index file, in any file system that Flink knows.");

  /**
   * Memory outside the heap in which a process keeps pages of the file. One pool serves all tasks
   * of the process that read the file. The first of them decides on its size; when the file is
   * replaced, the new one gets the largest pool that any of them has asked for.
   */
  public static final ConfigOption<MemorySize> POOL_SIZE =
      ConfigOptions.key("pool-size")
          .memoryType()
          .noDefaultValue()
          .withDescription(
              "Memory outside of the heap for pages of the file, for each process. Without it, the"
                  + " file shares a quarter of the memory of the process with other index files.");

  /**
   * How often to check whether the file has been replaced; zero for never. As long as several tasks
   * of a process have the file open, the shortest interval that any of them has asked for counts
   * for all.
   */
  public static final ConfigOption<Duration> REFRESH_INTERVAL =
      ConfigOptions.key("refresh-interval")
          .durationType()
          .defaultValue(Duration.ZERO)
          .withDescription("How often to look whether the file was replaced; 0 for never.");

  /** Whether lookup joins gather rows and look them up together. */
  public static final ConfigOption<Boolean> LOOKUP_ASYNC =
      ConfigOptions.key("lookup.async")
          .booleanType()
          .defaultValue(false)
          .withDescription("Whether lookup joins gather rows and look them up together.");

  /** With {@code lookup.async}, how long a row may wait for its answer, at least a millisecond. */
  public static final ConfigOption<Duration> LOOKUP_RESPONSE_TIME =
      ConfigOptions.key("lookup.response-time")
          .durationType()
          .defaultValue(Duration.ofMillis(10))
          .withDescription("With lookup.async, how long a row may wait for its answer.");

  /**
   * The number of files into which the rows are divided by their key. With more than one, the path
   * is a folder; a task of a lookup join opens only the files that it is asked for.
   */
  public static final ConfigOption<Integer> SHARDS =
      ConfigOptions.key("shards")
          .intType()
          .defaultValue(1)
          .withDescription("In how many files the rows are; with more than one, path is a folder.");

  private EspalierOptions() {}
}
