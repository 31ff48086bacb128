// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import dev.espalier.TreeVariant;
import dev.espalier.family.Family;
import dev.espalier.io.FileOptions;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The name of a tree as an argument of commands. */
final class VariantName {
  private VariantName() {}

  /**
   * Returns the tree of that name, in any case.
   *
   * @throws ParameterException if there is none
   */
  static TreeVariant tree(CommandSpec spec, String name) {
    return Family.all().stream()
        .filter(variant -> variant.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () -> wrongArgument(spec, "no tree is called '%s'%s".formatted(name, near(name))));
  }

  /**
   * Returns options with the tree of that name, for a file.
   *
   * @throws ParameterException if there is none, or it does not live in pages
   */
  static FileOptions onPages(CommandSpec spec, String name, FileOptions options) {
    TreeVariant tree = tree(spec, name);
    try {
      return options.withVariant(tree);
    } catch (IllegalArgumentException e) {
      throw wrongArgument(
          spec, tree.name() + " lives in memory; a file needs a tree whose medium is pages");
    }
  }

  private static String near(String name) {
    String question =
        NearMatch.question(name, Family.all().stream().map(TreeVariant::name).toList());
    return question.isEmpty() ? "; 'espalier variants' lists the trees" : question;
  }

  private static ParameterException wrongArgument(CommandSpec spec, String message) {
    return new ParameterException(spec.commandLine(), "--variant: " + message);
  }
}
