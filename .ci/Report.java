// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Says at the end of a build where its time went, and what failed.
 *
 * <p>{@code java .ci/Report.java LOG BEGUN [--built]}, in the root of the project: Maven's output, and a file that was
 * written when the build began; older reports do not count. With {@code --built}, Maven was to build and not to test.
 * Ends with status 1 if a test failed, if a module with tests has no report, if a JVM of tests died, or if Maven ended
 * with an error.
 */
final class Report {
  private static final int SLOWEST = 10;

  /** Of the failing tests, as many get two lines; the others are only named. */
  private static final int TOLD_IN_FULL = 15;

  private static final int WIDTH = 160;

  /** A test that failed. */
  private record Failure(String module, Suite suite, String test, String message) {
    String name() {
      return suite.type() + (test.isEmpty() ? "" : "." + test) + suite.run();
    }

    /** Returns the command that runs its method, or its class if it failed as a whole. */
    String command() {
      String method = test.replaceAll("[^A-Za-z0-9_$].*", "");
      return "mvn -B -ntp -pl %s -am verify%s%s -Dsurefire.failIfNoSpecifiedTests=false -Dtest='%s%s'"
          .formatted(
              module,
              suite.size.equals("thorough") ? " -Pthorough" : "",
              suite.seed.isEmpty() ? "" : " -Dseed=" + suite.seed,
              suite.type(),
              method.isEmpty() ? "" : "#" + method);
    }
  }

  /** The report of a test class. */
  private static final class Suite {
    private String name = "";
    private String size = "";
    private String seed = "";
    private boolean isContracts;
    private boolean isFallback;
    private double seconds;
    private int tests;

    /** Returns the name of its class without the package. */
    String type() {
      return name.substring(name.lastIndexOf('.') + 1);
    }

    /** Says in which of its module's runs it was, if not in the first. */
    String run() {
      return (isContracts ? " of the contracts" : "") + (isFallback ? " without native access" : "");
    }
  }

  private final Map<String, List<Suite>> modules = new TreeMap<>();
  private final List<Failure> failures = new ArrayList<>();
  private final List<String> others = new ArrayList<>();

  public static void main(String[] arguments) throws IOException, XMLStreamException {
    Report report = new Report();
    FileTime begun = Files.getLastModifiedTime(Path.of(arguments[1]));
    boolean isTested = arguments.length == 2;
    if (isTested) {
      report.readModules(begun);
      report.printTimes();
    }
    report.readLog(Path.of(arguments[0]));
    System.exit(report.printFailures() ? 0 : 1);
  }

  private void readModules(FileTime begun) throws IOException, XMLStreamException {
    try (Stream<Path> poms = Files.find(Path.of(""), 3, (file, _is) -> file.endsWith("pom.xml"))) {
      for (Path pom : poms.sorted().toList()) {
        Path tests = pom.resolveSibling("src/test/java");
        if (!Files.isDirectory(tests) || pom.getParent() == null) {
          continue;
        }
        String module = pom.getParent().toString();
        List<Suite> suites = new ArrayList<>();
        Path reports = pom.resolveSibling("target/surefire-reports");
        if (Files.isDirectory(reports)) {
          try (Stream<Path> files = Files.list(reports)) {
            for (Path file : files.filter(Report::isReport).sorted().toList()) {
              if (Files.getLastModifiedTime(file).compareTo(begun) >= 0) {
                suites.add(read(module, file));
              }
            }
          }
        }
        if (hasTests(tests)) {
          modules.put(module, suites);
        }
      }
    }
  }

  private static boolean isReport(Path file) {
    return file.getFileName().toString().matches("TEST-.*\\.xml");
  }

  private static boolean hasTests(Path folder) throws IOException {
    try (Stream<Path> sources = Files.walk(folder)) {
      return sources.anyMatch(file -> file.toString().endsWith("Test.java"));
    }
  }

  private Suite read(String module, Path file) throws IOException, XMLStreamException {
    Suite suite = new Suite();
    try (InputStream in = Files.newInputStream(file)) {
      XMLStreamReader xml = XMLInputFactory.newInstance().createXMLStreamReader(in);
      String test = "";
      while (xml.hasNext()) {
        if (xml.next() == XMLStreamConstants.START_ELEMENT) {
          switch (xml.getLocalName()) {
            case "testsuite" -> {
              String name = xml.getAttributeValue(null, "name");
              suite.name = name.replaceAll("\\(.*", "");
              suite.isContracts = name.contains("(contracts");
              suite.seconds = Double.parseDouble(xml.getAttributeValue(null, "time").replace(",", ""));
              suite.tests = Integer.parseInt(xml.getAttributeValue(null, "tests"));
            }
            case "property" -> readProperty(suite, xml);
            case "testcase" -> test = xml.getAttributeValue(null, "name");
            case "failure", "error" ->
                failures.add(new Failure(module, suite, test, message(xml)));
            default -> {}
          }
        }
      }
    }
    return suite;
  }

  private static void readProperty(Suite suite, XMLStreamReader xml) {
    String value = xml.getAttributeValue(null, "value");
    switch (xml.getAttributeValue(null, "name")) {
      case "espalier.test.size" -> suite.size = value;
      case "espalier.test.seed" -> suite.seed = value;
      case "espalier.test.run" -> suite.isFallback = value.equals("fallback");
      default -> {}
    }
  }

  private static String message(XMLStreamReader failure) {
    String message = failure.getAttributeValue(null, "message");
    String type = failure.getAttributeValue(null, "type");
    return message == null ? String.valueOf(type) : message.strip().lines().findFirst().orElse("" + type);
  }

  /** Finds what is in no report: that a JVM died, or that Maven ended with an error. */
  private void readLog(Path log) throws IOException {
    Pattern color = Pattern.compile("\u001B\\[[0-9;]*m");
    Pattern death = Pattern.compile("forked VM terminated|There was a timeout|Corrupted channel|crash in the fork");
    boolean hasFailed = false;
    List<String> errors = new ArrayList<>();
    for (String line : new String(Files.readAllBytes(log), UTF_8).split("\\R")) {
      String plain = color.matcher(line).replaceAll("");
      hasFailed |= plain.contains("BUILD FAILURE") || plain.matches("\\[ERROR\\] .* failed");
      if (plain.startsWith("[ERROR]") && death.matcher(plain).find()) {
        others.add(plain.substring(8));
      } else if (isTold(plain)) {
        errors.add(plain.substring(8));
      }
    }
    if (hasFailed) {
      others.addAll(errors.stream().distinct().limit(20).toList());
    }
  }

  /** Tells whether a line says why Maven ended; those about tests and about help do not. */
  private static boolean isTold(String line) {
    return line.startsWith("[ERROR] ")
        && !line.contains("<<<")
        && !line.contains("[Help 1]: ")
        && !line.matches("\\[ERROR\\] +(->|Re-run|To see|For more|After|See|Tests|Failures|Errors|mvn|\\[Help).*")
        && line.length() > 12;
  }

  private void printTimes() {
    System.out.println();
    System.out.println("Module, test classes, tests, seconds of their threads:");
    modules.forEach(
        (module, suites) ->
            System.out.printf(
                "  %-22s %5d %7d %8.0f%n",
                module,
                suites.size(),
                suites.stream().mapToInt(suite -> suite.tests).sum(),
                suites.stream().mapToDouble(suite -> suite.seconds).sum()));
    System.out.println("The slowest test classes:");
    modules.entrySet().stream()
        .flatMap(module -> module.getValue().stream().map(suite -> Map.entry(module.getKey(), suite)))
        .sorted(Comparator.comparingDouble(of -> -of.getValue().seconds))
        .limit(SLOWEST)
        .forEach(
            of ->
                System.out.printf(
                    "  %6.1f s  %-20s %s%s%n",
                    of.getValue().seconds,
                    of.getKey(),
                    of.getValue().name,
                    of.getValue().run()));
  }

  /** Prints what failed, and returns whether nothing did. */
  private boolean printFailures() {
    boolean hasOthers = !others.isEmpty();
    modules.forEach(
        (module, suites) -> {
          if (suites.isEmpty()) {
            others.add("no test ran in " + module);
          }
        });
    if (!others.isEmpty()) {
      System.out.println(hasOthers ? "The build failed:" : "The build is incomplete:");
      others.forEach(line -> System.out.println("  " + shortened(line)));
    }
    if (!failures.isEmpty()) {
      System.out.println("Tests that failed: " + failures.size());
      for (int i = 0; i < failures.size(); i++) {
        Failure failure = failures.get(i);
        System.out.println(
            "  " + shortened(failure.module() + " " + failure.name() + ": " + failure.message()));
        if (i < TOLD_IN_FULL) {
          System.out.println("    " + failure.command());
        }
      }
    }
    if (others.isEmpty() && failures.isEmpty()) {
      System.out.println("Everything passed.");
    }
    return others.isEmpty() && failures.isEmpty();
  }

  private static String shortened(String line) {
    return line.length() <= WIDTH ? line : line.substring(0, WIDTH - 3) + "...";
  }
}
