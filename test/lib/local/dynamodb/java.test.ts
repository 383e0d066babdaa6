import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findJava, parseJavaVersion } from '../../../../lib/local/dynamodb/engine.ts';
import { LocalStartError } from '../../../../lib/local/ports.ts';

describe('parseJavaVersion reads the release from', () => {
  test.each([
    ['java version "1.8.0_392"\nJava(TM) SE Runtime Environment (build 1.8.0_392-b08)', 8],
    ['openjdk version "11.0.21" 2023-10-17', 11],
    ['openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment (build 17.0.15+6)', 17],
    ['Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "21" 2023-09-19', 21],
    ['openjdk version "26-ea" 2026-03-17', 26],
    ['java: not what was expected', undefined],
  ])('%s', (output, release) => {
    expect(parseJavaVersion(output)).toBe(release);
  });
});

async function javaHome(script: string | undefined): Promise<string> {
  const home = await mkdtemp(path.join(tmpdir(), 'sluice-java-'));
  onTestFinished(() => rm(home, { recursive: true }));
  if (script !== undefined) {
    await mkdir(path.join(home, 'bin'));
    await writeFile(path.join(home, 'bin', 'java'), `#!/bin/sh\n${script}\n`);
    await chmod(path.join(home, 'bin', 'java'), 0o755);
  }
  return home;
}

describe.skipIf(process.platform === 'win32')('a Java', () => {
  test.each([
    ['missing', undefined, 'found none'],
    ['a stub that only prints where to get one', 'echo "Unable to locate a Java Runtime" >&2; exit 1', 'found none'],
    ['too old', `echo 'openjdk version "11.0.21" 2023-10-17' >&2`, 'found Java 11'],
    ['silent about its version', 'true', 'without a readable version'],
  ])('that is %s causes one sentence with the installation commands', async (_case, script, found) => {
    const refusal = await findJava({ javaHome: await javaHome(script) }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(LocalStartError);
    expect(String(refusal)).toContain(found);
    expect(String(refusal)).toMatch(/Java 17 or later.*apt-get install.*brew install.*winget install/);
    expect(String(refusal)).not.toContain('\n');
  });

  test('that is new enough is accepted', async () => {
    const home = await javaHome(`echo 'openjdk version "17.0.1" 2021-10-19' >&2`);
    expect(await findJava({ javaHome: home })).toBe(path.join(home, 'bin', 'java'));
  });
});
