// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/**
 * What a command did.
 *
 * @param status exit status
 * @param out what it wrote to standard output
 * @param err what it wrote to standard error
 */
record CommandRun(int status, String out, String err) {

  static CommandRun of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status = Espalier.run(new PrintWriter(out), new PrintWriter(err), List.of(), arguments);
    return new CommandRun(status, out.toString(), err.toString());
  }
}
