// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.io.FileOption;
import dev.espalier.io.FileOptions;
import dev.espalier.io.IndexStore;
import dev.espalier.io.SalvageReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Saves what can be read of a damaged store. */
@Command(
    name = "salvage",
    description = {
      "Saves all entries that can still be read of a damaged file, whatever of it is damaged, into"
          + " a new file with indexes of the same names. Lists the ranges of keys that are lost.",
      "",
      "FILE is only read. What is in its log is carried out on the new file. With --stripe, name"
          + " also stripes that are missing.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "A key is in OUT with its right value, or in a range that is listed, or was not there. Where"
          + " it can't be told whether what was found is the last that was written, the range says"
          + " so: 'may be old'.",
      "",
      "If it fails or is interrupted, there is no OUT.",
      "",
      "Exit status: 0 if all was saved; 1 if anything is lost or may be old, or OUT can't be"
          + " written; 2 wrong arguments."
    })
final class SalvageCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Mixin private final IndexFileArguments file = new IndexFileArguments();

  @Mixin private final IndexNameArgument name = new IndexNameArgument();

  @Mixin private final FormArguments form = new FormArguments();

  @Parameters(
      index = "1",
      paramLabel = "OUT",
      description =
          "The new file, which must not exist. If its name ends in .csv, lines key,value of one"
              + " index, as 'dump' prints them; of several, name it with --index.")
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private Path out;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write what is lost to this file, as JSON.")
  private @Nullable Path json;

  @Override
  public Integer call() {
    form.check(spec);
    boolean isText = out.toString().endsWith(".csv");
    Path store = isText ? out.resolveSibling(out.getFileName() + ".store") : out;
    if (json != null) {
      List<Path> worked = IndexFiles.all(file.path(), file.options());
      worked.addAll(List.of(out, store));
      Json.checkWritable(json, worked, spec);
    }
    IndexFiles.checkNew(out, FileOptions.DEFAULT);
    SalvageReport report =
        Interruption.uninterrupted(
            () -> {
              SalvageReport saved = salvage(store);
              if (isText) {
                writeLines(store, saved);
              }
              return saved;
            });
    Interruption.awaitEndIfRequested();
    print(report, spec.commandLine().getOut());
    if (json != null) {
      Json.writeTo(json, toJson(report));
    }
    return report.isComplete() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  /** Saves; if the process is told to end, nothing is left behind. */
  private SalvageReport salvage(Path store) {
    try (ProgressBar progress = ProgressBar.open()) {
      return dev.espalier.io.Salvage.salvage(
          file.path(),
          file.options(),
          store,
          (_, _) -> {
            progress.show("reading " + file.path(), 0);
            return !Interruption.isRequested();
          });
    } catch (CancellationException interrupted) {
      Interruption.awaitEndIfRequested();
      throw interrupted;
    }
  }

  private void writeLines(Path store, SalvageReport report) {
    List<String> names = report.indexes().stream().map(SalvageReport.Index::name).toList();
    try {
      if (name.name().isEmpty() && names.size() != 1) {
        throw new CommandFailure(
            "%s: holds %s; name one with --index, or save all into a new index file"
                .formatted(
                    file.path(),
                    names.isEmpty() ? "no index" : "several indexes, " + String.join(", ", names)));
      }
      FileOptions reading = FileOptions.DEFAULT.withFlags(FileOption.READ_ONLY);
      Optional<String> index = name.name().or(() -> Optional.of(names.getFirst()));
      try (PrintWriter lines = new PrintWriter(Files.newBufferedWriter(out))) {
        EntryWriter entries = new EntryWriter(lines, false);
        int status =
            IndexFiles.read(
                store,
                reading,
                index,
                longs -> write(new LongTextIndex(longs, spec), entries),
                strings -> write(new BytesTextIndex(strings, form.ofBytes(), spec), entries));
        if (status != ExitCode.OK || lines.checkError()) {
          throw new CommandFailure("can't write " + out);
        }
      }
    } catch (IOException | CommandFailure failed) {
      delete(out);
      throw failed instanceof CommandFailure explained
          ? explained
          : new CommandFailure("can't write " + out + ": " + failed, failed);
    } finally {
      IndexStore.files(store).forEach(SalvageCommand::delete);
    }
  }

  private static int write(TextIndex index, EntryWriter entries) {
    index.scan(TextIndex.Range.ALL, entries);
    return entries.end();
  }

  private static void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new CommandFailure("can't delete " + path + ": " + e, e);
    }
  }

  // ---------------------------------------------------------------- report

  private void print(SalvageReport report, PrintWriter to) {
    report.findings().forEach(finding -> to.printf("%s: %s%n", file.path(), finding));
    for (SalvageReport.Index index : report.indexes()) {
      to.printf(
          Locale.ROOT,
          "index '%s', %s: %,d entries saved%n",
          index.name(),
          index.kind(),
          index.entries());
      for (SalvageReport.Range range : index.ranges()) {
        to.printf(
            Locale.ROOT,
            "  keys %d to %d %s: %s%n",
            range.first(),
            range.last(),
            range.mayBeOld() ? "may be old" : "are lost",
            range.reason());
      }
      for (SalvageReport.KeyRange range : index.keyRanges()) {
        byte[] end = range.end();
        to.printf(
            "  keys from %s %s %s: %s%n",
            KeyText.of(range.first()),
            end == null ? "on" : "to below " + KeyText.of(end),
            range.mayBeOld() ? "may be old" : "are lost",
            range.reason());
      }
    }
    to.printf(
        Locale.ROOT,
        "%s: %s%n",
        file.path(),
        report.isComplete() ? "all was saved to " + out : "saved to " + out + ", but not all");
    to.flush();
  }

  private static Map<String, Object> toJson(SalvageReport report) {
    List<Map<String, Object>> indexes = new ArrayList<>();
    for (SalvageReport.Index index : report.indexes()) {
      List<Map<String, Object>> ranges = new ArrayList<>();
      for (SalvageReport.Range range : index.ranges()) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("first", range.first());
        object.put("last", range.last());
        object.put("mayBeOld", range.mayBeOld());
        object.put("reason", range.reason());
        ranges.add(object);
      }
      for (SalvageReport.KeyRange range : index.keyRanges()) {
        byte[] end = range.end();
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("firstHex", KeyText.hex(range.first()));
        if (end != null) {
          object.put("endHex", KeyText.hex(end));
        }
        object.put("mayBeOld", range.mayBeOld());
        object.put("reason", range.reason());
        ranges.add(object);
      }
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("name", index.name());
      object.put("tree", index.kind());
      object.put("entries", index.entries());
      object.put("ranges", ranges);
      indexes.add(object);
    }
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("complete", report.isComplete());
    object.put("findings", report.findings());
    object.put("records", report.records());
    object.put("indexes", indexes);
    return object;
  }
}
