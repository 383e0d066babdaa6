import { execFile } from 'node:child_process';
import path from 'node:path';
import { LocalStartError } from '../start-error.ts';

const javaVersionMin = 17;

const remedy =
  'install one with "sudo apt-get install default-jre-headless" (Debian), "brew install --cask temurin" (macOS) or ' +
  '"winget install EclipseAdoptium.Temurin.21.JRE" (Windows), then start again.';

/**
 * Returns the command that runs Java.
 *
 * @param javaHome a folder with `bin/java`; without it, `java` on the search path
 * @throws LocalStartError when Java is missing or older than 17
 */
export async function findJava({ javaHome }: { javaHome?: string | undefined } = {}): Promise<string> {
  const command = javaHome === undefined ? 'java' : path.join(javaHome, 'bin', 'java');
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  execFile(command, ['-version'], { timeout: 20_000, windowsHide: true }, (error, stdout, stderr) =>
    // On macOS without Java, `java` only prints where to get it, and fails.
    resolve(error === null ? `${stderr}\n${stdout}` : undefined),
  );
  const output = await promise;
  if (output === undefined) {
    throw new LocalStartError(`The local database needs Java ${javaVersionMin} or later and found none: ${remedy}`);
  }
  const version = parseJavaVersion(output);
  if (version === undefined || version < javaVersionMin) {
    const found = version === undefined ? 'a Java without a readable version' : `Java ${version}`;
    throw new LocalStartError(`The local database needs Java ${javaVersionMin} or later and found ${found}: ${remedy}`);
  }
  return command;
}

/** Returns the feature release that `java -version` prints: 8 for `1.8.0_392`, 17 for `17.0.15`, 26 for `26-ea`. */
export function parseJavaVersion(output: string): number | undefined {
  const match = /\bversion "(?:1\.)?(\d+)/.exec(output);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
