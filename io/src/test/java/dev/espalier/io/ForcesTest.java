// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Each force in the code is known: what it is for is in decision 80, and a test fails without it.
 * Those of stores are left out one by one by {@code CrashImagesTest} of the command line, or by
 * {@link FailedMakingTest}.
 */
final class ForcesTest {
  private static final List<String> NAMES =
      List.of("force", "forceNames", "forceFolder", "fdatasync");

  /** How often methods call a force, or refer to one. */
  private static TreeMap<String, Integer> known() {
    TreeMap<String, Integer> known = new TreeMap<>();
    known.put("Backup.write: force", 1);
    known.put("Checkpoints.complete: force", 2); // Of the pages, and of the header.
    known.put("LogEnd$Force.run: force", 1);
    known.put("LogEnd.<init>: force", 1);
    known.put("LogSegment.create: force", 1);
    known.put("LogSegment.create: forceNames", 1);
    known.put("Recovery.openSegments: force", 1);
    known.put("StoreOpening.openExisting: force", 1);
    known.put("StoreOpening.openExisting: forceNames", 1);
    known.put("StoreOpening.removeMade: forceNames", 1);
    known.put("StoreOpening.write: force", 1);
    known.put("Stripes.write: forceNames", 1);
    known.put("UnfinishedFile.finish: forceNames", 1);

    // What passes a force on, or measures it.
    known.put("ChannelPageFile.forceData: force", 1);
    known.put("DescriptorFile.forceData: fdatasync", 1);
    known.put("DeviceMeasurement.fill: force", 1);
    known.put("OverlayFiles.forceNames: forceNames", 1);
    known.put("PageFileOpener.forceNames: forceFolder", 1);
    known.put("StripedPageFile.force: force", 1);
    known.put("SystemFiles.forceFolder: force", 1);
    known.put("SystemFiles.forceNames: forceNames", 1);
    return known;
  }

  @Test
  void everyForceIsKnown() throws Exception {
    TreeMap<String, Integer> found = new TreeMap<>();
    Path classes =
        Path.of(IndexStore.class.getProtectionDomain().getCodeSource().getLocation().toURI())
            .resolve("dev/espalier/io");
    try (Stream<Path> all = Files.list(classes)) {
      for (Path file : all.filter(name -> name.toString().endsWith(".class")).toList()) {
        add(file, found);
      }
    }
    assertEquals(known(), found);
  }

  private static void add(Path file, TreeMap<String, Integer> found) throws IOException {
    ClassModel model = ClassFile.of().parse(file);
    String type = model.thisClass().asInternalName().replaceFirst(".*/", "");
    for (MethodModel method : model.methods()) {
      String name =
          method.methodName().stringValue().replaceFirst("^lambda\\$(\\w+)\\$\\d+$", "$1");
      method
          .code()
          .ifPresent(
              code ->
                  code.forEach(
                      element ->
                          called(element)
                              .filter(NAMES::contains)
                              .forEach(
                                  force ->
                                      found.merge(
                                          type + "." + name + ": " + force, 1, Integer::sum))));
    }
  }

  /** Returns the names of methods that an instruction calls or refers to. */
  private static Stream<String> called(CodeElement element) {
    return switch (element) {
      case InvokeInstruction call -> Stream.of(call.name().stringValue());
      case InvokeDynamicInstruction made ->
          made.bootstrapArgs().stream().flatMap(ForcesTest::named);
      default -> Stream.empty();
    };
  }

  private static Stream<String> named(ConstantDesc argument) {
    return argument instanceof DirectMethodHandleDesc handle
        ? Stream.of(handle.methodName())
        : Stream.empty();
  }
}
