// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;
import static org.junit.platform.launcher.EngineFilter.includeEngines;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestTemplate;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * The invocations of tests that seeds have. JUnit makes their arguments as in any run, and runs
 * none of them.
 */
public final class DrawnSeeds {
  private static final int PARTS = 3;

  private final List<? extends DiscoverySelector> tests;
  private final String classNames;
  private final Set<String> all;

  private DrawnSeeds(List<? extends DiscoverySelector> tests, String classNames) {
    this.tests = tests;
    this.classNames = classNames;
    this.all = of(new Draw(0, 1));
  }

  /** Returns those of all test classes of the module that has this one, but tests of the draw. */
  public static DrawnSeeds ofModule(Class<?> one) {
    try {
      Path root = Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
      return new DrawnSeeds(selectClasspathRoots(Set.of(root)), "(?!.*[.]Draw).*Test");
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  static DrawnSeeds of(Class<?> test) {
    return new DrawnSeeds(List.of(selectClass(test)), ".*");
  }

  /** Returns all invocations that there are. */
  public Set<String> all() {
    return all;
  }

  /** Returns those that no thorough run has of three with consecutive seeds. */
  public Set<String> missingFrom(long seed) {
    Set<String> missing = new TreeSet<>(all);
    Stream.of(seed, seed + 1, seed + 2)
        .forEach(each -> missing.removeAll(of(new Draw(each, PARTS))));
    return missing;
  }

  private Set<String> of(Draw draw) {
    Set<String> invocations = new TreeSet<>();
    Failures failures = new Failures();
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(tests)
            .filters(
                includeEngines("junit-jupiter"),
                includeClassNamePatterns(classNames),
                (PostDiscoveryFilter) DrawnSeeds::hasInvocations)
            .build();
    draw.instead(
        () ->
            DrawnInvocations.tellingOnly(
                invocations::add, () -> LauncherFactory.create().execute(request, failures)));
    assertEquals(List.of(), failures.seen);
    return invocations;
  }

  /** Leaves out tests that are run once, and those that make others. */
  private static FilterResult hasInvocations(TestDescriptor test) {
    return FilterResult.includedIf(
        !(test.getSource().orElse(null) instanceof MethodSource method)
            || AnnotationSupport.isAnnotated(method.getJavaMethod(), TestTemplate.class));
  }

  /** What failed to make its invocations. */
  private static final class Failures implements TestExecutionListener {
    private final List<String> seen = new ArrayList<>();

    @Override
    public void executionFinished(TestIdentifier of, TestExecutionResult result) {
      result.getThrowable().ifPresent(thrown -> seen.add(of.getUniqueId() + ": " + thrown));
    }
  }
}
