// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The packages of this module use one another without circles. */
class PackageCyclesTest {
  private static final Pattern ESPALIER_CLASS = Pattern.compile("dev/espalier(?:/[a-z]+)*/[A-Z]");

  @Test
  void packagesOfCoreHaveNoCycle() throws Exception {
    Map<String, Set<String>> uses = uses(classesOfCore());
    assertTrue(uses.size() > 15, "packages found: " + uses.keySet());
    assertEquals(List.of(), cycle(uses));
  }

  @Test
  void cycleIsFound() {
    Map<String, Set<String>> uses = new TreeMap<>();
    uses.put("a", Set.of("b", "d"));
    uses.put("b", Set.of("c"));
    uses.put("c", Set.of("b", "d"));
    uses.put("d", Set.of());
    assertEquals(List.of("b", "c", "b"), cycle(uses));
  }

  @Test
  void useInASignatureCounts() throws Exception {
    Map<String, Set<String>> uses = uses(classesOfCore());
    assertTrue(uses.get("dev.espalier").contains("dev.espalier.inspect"), uses::toString);
    assertTrue(uses.get("dev.espalier.family").contains("dev.espalier.cola"), uses::toString);
  }

  private static Path classesOfCore() throws Exception {
    return Path.of(LongIndex.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** Returns for each package those whose classes its class files name. */
  private static Map<String, Set<String>> uses(Path classes) throws IOException {
    Map<String, Set<String>> uses = new TreeMap<>();
    List<Path> files;
    try (Stream<Path> all = Files.walk(classes)) {
      files = all.filter(file -> file.toString().endsWith(".class")).toList();
    }
    for (Path file : files) {
      if (file.endsWith("module-info.class") || file.endsWith("package-info.class")) {
        continue;
      }
      ClassModel model = ClassFile.of().parse(file);
      String user = packageOf(model.thisClass().asInternalName());
      Set<String> used = uses.computeIfAbsent(user, unused -> new TreeSet<>());
      for (PoolEntry entry : model.constantPool()) {
        if (entry instanceof ClassEntry named) {
          addPackages(named.asInternalName(), used);
        } else if (entry instanceof Utf8Entry text
            && text.stringValue().contains("Ldev/espalier")) {
          addPackages(text.stringValue(), used);
        }
      }
      used.remove(user);
    }
    return uses;
  }

  private static void addPackages(String names, Set<String> packages) {
    Matcher matcher = ESPALIER_CLASS.matcher(names);
    while (matcher.find()) {
      packages.add(packageOf(matcher.group()));
    }
  }

  private static String packageOf(String internalName) {
    return internalName.substring(0, internalName.lastIndexOf('/')).replace('/', '.');
  }

  /** Returns the packages along a cycle, the first one again at the end; empty if there is none. */
  private static List<String> cycle(Map<String, Set<String>> uses) {
    Set<String> finished = new TreeSet<>();
    Deque<String> path = new ArrayDeque<>();
    for (String start : uses.keySet()) {
      if (leadsToCycle(start, uses, path, finished)) {
        List<String> names = List.copyOf(path);
        return names.subList(names.indexOf(path.getLast()), names.size());
      }
    }
    return List.of();
  }

  private static boolean leadsToCycle(
      String at, Map<String, Set<String>> uses, Deque<String> path, Set<String> finished) {
    boolean isOnPath = path.contains(at);
    if (finished.contains(at) && !isOnPath) {
      return false;
    }
    path.addLast(at);
    if (isOnPath) {
      return true;
    }
    for (String next : uses.getOrDefault(at, Set.of())) {
      if (leadsToCycle(next, uses, path, finished)) {
        return true;
      }
    }
    path.removeLast();
    finished.add(at);
    return false;
  }
}
