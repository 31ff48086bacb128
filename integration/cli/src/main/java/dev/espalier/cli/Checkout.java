// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The checkout of Espalier's sources that the program is from. */
public final class Checkout {
  /** Tells a checkout of this project from others, in which the program may be used. */
  private static final Path MARK = Path.of("integration", "cli", "pom.xml");

  private Checkout() {}

  /**
   * Returns the commit of the checkout that the program was built in, or else of that of the
   * working folder, with a mark if files differ from it; or {@code unknown}.
   */
  public static String commit() {
    URL program = Checkout.class.getProtectionDomain().getCodeSource().getLocation();
    return Stream.of(Path.of(URI.create(program.toString())), Path.of("").toAbsolutePath())
        .flatMap(place -> around(place).stream())
        .findFirst()
        .map(Checkout::commit)
        .orElse("unknown");
  }

  /** Returns the checkout that a file or folder is in. */
  static Optional<Path> around(Path place) {
    for (Path folder = place; folder != null; folder = folder.getParent()) {
      if (Files.exists(folder.resolve(MARK))) {
        return Optional.of(folder);
      }
    }
    return Optional.empty();
  }

  private static String commit(Path folder) {
    String commit = git(folder, "rev-parse", "HEAD");
    if (commit.isEmpty()) {
      return "unknown";
    }
    return git(folder, "status", "--porcelain").isEmpty() ? commit : commit + " with local changes";
  }

  /** Returns what git prints, or nothing if there is no git or no checkout. */
  private static String git(Path folder, String... arguments) {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    Process git;
    try {
      git =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException e) {
      return "";
    }
    try {
      String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return git.waitFor() == 0 ? output.strip() : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      git.destroy();
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
