// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.LongIndex;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.PageFileException;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Which index file a command reads. */
final class ReaderArguments {

  @Mixin private final IndexFileArguments file = new IndexFileArguments();

  @Mixin private final IndexNameArgument name = new IndexNameArgument();

  @Option(
      names = "--last-checkpoint",
      description =
          "Read the file as of its last checkpoint, even if it is damaged. Without this, a file"
              + " that was not closed is read with all that is in its log.")
  private boolean lastCheckpoint;

  Path path() {
    return file.path();
  }

  FileOptions options() {
    return lastCheckpoint
        ? file.options().withFlags(FileOption.LAST_CHECKPOINT)
        : file.options().withFlags(FileOption.READ_ONLY);
  }

  /** Returns what the file says of itself and of the index. */
  IndexSummary describe() {
    return IndexFiles.describe(path(), options(), name.name());
  }

  /** Tells whether an index is named. */
  boolean isNamed() {
    return name.name().isPresent();
  }

  boolean lastCheckpoint() {
    return lastCheckpoint;
  }

  /**
   * Opens the index, works with it and closes it.
   *
   * @param longs what to do if its keys are longs; returns the exit status
   * @param strings what to do if they are byte strings; returns the exit status
   * @return what that returned
   */
  int read(ToIntFunction<LongIndex> longs, ToIntFunction<BytesIndex> strings) {
    return read(longs, strings, _ -> {});
  }

  /**
   * Does the same.
   *
   * @param atEnd is given the store before it is closed
   */
  int read(
      ToIntFunction<LongIndex> longs,
      ToIntFunction<BytesIndex> strings,
      Consumer<IndexStore> atEnd) {
    try {
      return IndexFiles.read(path(), options(), name.name(), longs, strings, atEnd);
    } catch (PageFileException | CommandFailure | ParameterException explained) {
      throw explained;
    } catch (RuntimeException torn) {
      if (lastCheckpoint) {
        throw new CommandFailure(path() + ": the tree is damaged: " + torn, torn);
      }
      throw torn;
    }
  }
}
