// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the Markdown files of the repository refer to is there. */
final class DocumentationLinksTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Folders of the build and of tools. */
  private static final Set<String> NOT_OURS = Set.of("target", ".git", ".idea");

  private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^ *```.*?^ *```");
  private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
  private static final Pattern LINK = Pattern.compile("\\[[^]]*]\\(([^)\\s]+)[^)]*\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.+?) *$");

  /** A path with a folder and an extension, such as {@code docs/decisions/paging.md}. */
  private static final Pattern FILE =
      Pattern.compile("(?:[\\w.-]+/)+[\\w.-]+\\.(?:c|csv|h|java|md|svg|xml)");

  @Test
  void readmeIsAmongTheCheckedFiles() {
    assertTrue(markdownFiles().contains(ROOT.resolve("README.md")));
  }

  @Test
  void everyRelativeLinkLeadsToAFileAndHeadingOfTheRepository() {
    List<String> broken = new ArrayList<>();
    for (Path file : markdownFiles()) {
      for (String target : matches(LINK, withoutCode(read(file)))) {
        if (!isExternal(target) && !resolves(file, target)) {
          broken.add(ROOT.relativize(file) + " -> " + target);
        }
      }
    }
    assertEquals(List.of(), broken);
  }

  @Test
  void everyFileNamedInCodeStyleExists() {
    List<String> missing = new ArrayList<>();
    for (Path file : markdownFiles()) {
      for (String code : matches(CODE, withoutCodeBlocks(read(file)))) {
        boolean isFile = FILE.matcher(code).matches();
        if (isFile && !exists(ROOT.resolve(code)) && !exists(file.resolveSibling(code))) {
          missing.add(ROOT.relativize(file) + " names " + code);
        }
      }
    }
    assertEquals(List.of(), missing);
  }

  private static boolean isExternal(String target) {
    return target.matches("[a-z][a-z+.-]*:.*");
  }

  private static boolean resolves(Path from, String target) {
    int hash = target.indexOf('#');
    String path = hash < 0 ? target : target.substring(0, hash);
    Path file = path.isEmpty() ? from : from.resolveSibling(path);
    return exists(file) && (hash < 0 || anchors(file).contains(target.substring(hash + 1)));
  }

  private static boolean exists(Path path) {
    return path.normalize().startsWith(ROOT) && Files.exists(path);
  }

  /** A heading's anchor: lower case, dashes for spaces, no other punctuation. */
  private static List<String> anchors(Path markdown) {
    return matches(HEADING, withoutCodeBlocks(read(markdown))).stream()
        .map(
            heading ->
                heading.toLowerCase(Locale.ROOT).replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
        .toList();
  }

  private static String withoutCodeBlocks(String markdown) {
    return CODE_BLOCK.matcher(markdown).replaceAll("");
  }

  private static String withoutCode(String markdown) {
    return CODE.matcher(withoutCodeBlocks(markdown)).replaceAll("");
  }

  private static List<String> matches(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(result -> result.group(1)).toList();
  }

  private static List<Path> markdownFiles() {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(".md"))
          .filter(DocumentationLinksTest::isOurs)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isOurs(Path file) {
    for (Path name : ROOT.relativize(file)) {
      if (NOT_OURS.contains(name.toString())) {
        return false;
      }
    }
    return true;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
