// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.TreeVariant;
import dev.espalier.family.Family;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Lists the catalogue. */
@Command(
    name = "variants",
    description = {
      "Lists the trees: the paper that each is from, where its nodes live, and what it offers"
          + " beyond the interface that all trees share.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "Capabilities:",
      "  batched-lookup   getAll overlaps the cache misses of many lookups",
      "  prefetch         nodes are prefetched",
      "  jump-pointers    range scans prefetch the leaves ahead",
      "  leaf-runs        scans can return whole leaves",
      "  update-in-place  put and remove do not rebuild the tree",
      "  blind-writes     set and delete do not look up the old value"
    })
final class VariantsCommand implements Runnable {

  @Spec
  @SuppressWarnings("NullAway.Init") // Set by picocli.
  private CommandSpec spec;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the list to this file, as JSON.")
  private @Nullable Path json;

  @Override
  public void run() {
    if (json != null) {
      Json.checkWritable(json);
    }
    TextTable table = new TextTable("name", "paper", "medium", "capabilities");
    List<Map<String, Object>> variants = new ArrayList<>();
    for (TreeVariant variant : Family.all()) {
      String medium = spelled(variant.medium());
      List<String> capabilities =
          variant.capabilities().stream().sorted().map(VariantsCommand::spelled).toList();
      table.add(variant.name(), variant.paper(), medium, String.join(", ", capabilities));

      Map<String, Object> object = new LinkedHashMap<>();
      object.put("name", variant.name());
      object.put("paper", variant.paper());
      object.put("medium", medium);
      object.put("capabilities", capabilities);
      variants.add(object);
    }
    spec.commandLine().getOut().print(table);
    spec.commandLine().getOut().flush();
    if (json != null) {
      Json.writeTo(json, Map.of("variants", variants));
    }
  }

  private static String spelled(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
