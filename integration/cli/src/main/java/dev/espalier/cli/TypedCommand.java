// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** A command as it was typed, for a file that says how its figures were made. */
final class TypedCommand {
  private static final String JSON = "--json";

  private TypedCommand() {}

  /**
   * Returns the words without the file of {@code --json}, and with a word for each other file or
   * folder.
   *
   * @param call how the program is called, before the name of the command
   */
  static String of(String call, CommandSpec command) {
    ParseResult parsed = command.commandLine().getParseResult();
    Map<String, String> labels = new HashMap<>();
    for (ArgSpec argument : parsed.matchedArgs()) {
      if (argument.typeInfo().getType() == Path.class) {
        argument.originalStringValues().forEach(value -> labels.put(value, argument.paramLabel()));
      }
    }
    List<String> words = new ArrayList<>(List.of(call, command.name()));
    for (Iterator<String> typed = parsed.expandedArgs().iterator(); typed.hasNext(); ) {
      String word = typed.next();
      if (word.equals(JSON)) {
        typed.next();
      } else if (!word.startsWith(JSON + "=")) {
        words.add(labelled(word, labels));
      }
    }
    return String.join(" ", words);
  }

  private static String labelled(String word, Map<String, String> labels) {
    int value = word.startsWith("--") ? word.indexOf('=') + 1 : 0;
    String label = labels.get(word.substring(value));
    return label == null ? word : word.substring(0, value) + label;
  }
}
