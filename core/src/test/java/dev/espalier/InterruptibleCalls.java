// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Finds in class files what depends on the interrupt status of a thread: calls that throw an {@link
 * InterruptedException}, parking, and channels that an interrupt closes.
 */
public final class InterruptibleCalls {
  /** Of {@link Files}, what reads or writes through a channel that an interrupt closes. */
  private static final Set<String> OF_FILES = Set.of("newByteChannel", "lines");

  /** The channels of the JDK that an interrupt does not close. */
  private static final String ASYNCHRONOUS = "java/nio/channels/Asynchronous";

  private InterruptibleCalls() {}

  /** Returns what the classes of the module of a class use, as "package.Class: Type.method". */
  public static Set<String> inModuleOf(Class<?> type) throws Exception {
    Path classes = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    Set<String> found = new TreeSet<>();
    try (Stream<Path> all = Files.walk(classes)) {
      for (Path file : all.filter(name -> name.toString().endsWith(".class")).toList()) {
        add(file, type.getClassLoader(), found);
      }
    }
    return found;
  }

  private static void add(Path file, ClassLoader loader, Set<String> found) throws IOException {
    if (file.endsWith("module-info.class") || file.endsWith("package-info.class")) {
      return;
    }
    ClassModel model = ClassFile.of().parse(file);
    String user = model.thisClass().asInternalName().replace('/', '.').replaceFirst("\\$.*", "");
    for (PoolEntry entry : model.constantPool()) {
      if (entry instanceof ClassEntry named && isInterruptibleChannel(named.asInternalName())) {
        found.add(user + ": " + simpleName(named.asInternalName()));
      }
      if (entry instanceof MemberRefEntry member && isInterruptible(member, loader)) {
        String owner = simpleName(member.owner().asInternalName());
        found.add(user + ": " + owner + "." + member.name().stringValue());
      }
    }
  }

  private static String simpleName(String internalName) {
    return internalName.substring(internalName.lastIndexOf('/') + 1).replace('$', '.');
  }

  private static boolean isInterruptibleChannel(String internalName) {
    return internalName.startsWith("java/nio/channels/")
        && internalName.endsWith("Channel")
        && !internalName.startsWith(ASYNCHRONOUS);
  }

  private static boolean isInterruptible(MemberRefEntry member, ClassLoader loader) {
    String owner = member.owner().asInternalName();
    String name = member.name().stringValue();
    if (owner.startsWith("dev/espalier/")) {
      return false; // What it calls is found where it stands.
    }
    if (owner.equals("java/nio/file/Files")) {
      return OF_FILES.contains(name);
    }
    if (owner.equals(LockSupport.class.getName().replace('.', '/'))) {
      return name.startsWith("park");
    }
    if (owner.equals(ForkJoinPool.class.getName().replace('.', '/'))) {
      return name.equals("close") || name.equals("awaitQuiescence");
    }
    if (owner.equals("java/util/concurrent/ExecutorService") && name.equals("close")) {
      return true; // An interrupt makes it cancel what runs.
    }
    String type = member.type().stringValue();
    return type.startsWith("(")
        && !owner.startsWith("[")
        && throwsInterrupted(owner, name, type, loader);
  }

  private static boolean throwsInterrupted(
      String owner, String name, String type, ClassLoader loader) {
    try {
      Class<?> called = Class.forName(owner.replace('/', '.'), false, loader);
      Class<?>[] parameters = MethodType.fromMethodDescriptorString(type, loader).parameterArray();
      for (Class<?> at = called; at != null; at = at.getSuperclass()) {
        if (Stream.concat(Arrays.stream(at.getDeclaredMethods()), Arrays.stream(at.getMethods()))
            .filter(method -> method.getName().equals(name))
            .filter(method -> Arrays.equals(method.getParameterTypes(), parameters))
            .anyMatch(InterruptibleCalls::throwsInterrupted)) {
          return true;
        }
      }
      return false;
    } catch (ClassNotFoundException | LinkageError | TypeNotPresentException absent) {
      return false; // A class that only exists where the program adds a module.
    }
  }

  private static boolean throwsInterrupted(Method method) {
    return Arrays.asList(method.getExceptionTypes()).contains(InterruptedException.class);
  }
}
