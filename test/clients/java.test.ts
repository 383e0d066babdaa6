import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ClientFixture, clientFixture, schemes } from './fixtures/client-fixture.ts';
import { stepTransfers } from './fixtures/client-steps.ts';
import { documentedExample, documentedOutput } from './fixtures/documented-example.ts';
import { findClient } from './fixtures/installed-client.ts';
import { describeTransfers } from './fixtures/transfers.ts';

const libraries = '.clients/java';
// These two options halve the start time of a Java program.
const command = ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', `${libraries}/*`];
const java = findClient('java', command, { timeoutMs: 120_000 });
const [, release] = /s3-(\d+\.\d+\.\d+)\.jar$/.exec(globSync(`${libraries}/s3-[0-9]*.jar`)[0] ?? '') ?? [];
const client = {
  ...java,
  isMissing: java.isMissing || release === undefined,
  title: `AWS SDK for Java ${release ?? '(not installed here)'} (${libraries}, ${java.title})`,
};

/**
 * The five settings, and the options that make Java trust the service, because it does not read the usual variables.
 */
function settingsOfJava({ settings, trust, folder }: ClientFixture): Record<string, string> {
  const authority = trust['SSL_CERT_FILE'];
  // Without this locale, Java accepts only ASCII file names.
  const env = { ...settings, LC_ALL: 'C.UTF-8' };
  if (authority === undefined) return env;
  const store = path.join(folder, 'trusted.p12');
  const place = ['-keystore', store, '-storetype', 'PKCS12', '-storepass', 'changeit'];
  execFileSync('keytool', ['-importcert', '-noprompt', '-alias', 'sluice', '-file', authority, ...place], {
    stdio: 'ignore',
  });
  const options = `-Djavax.net.ssl.trustStore=${store} -Djavax.net.ssl.trustStorePassword=changeit`;
  return { ...env, JAVA_TOOL_OPTIONS: options };
}

const refused = /AccessDeniedException The repository does not exist or these credentials do not allow this/;

describeTransfers(
  client,
  stepTransfers(
    { client: java, args: ['test/clients/java/Client.java'], env: settingsOfJava },
    { partsOfLarge: 3, refused: { read: refused, write: refused } },
  ),
);

describe.skipIf(client.isMissing).each(schemes)(`${client.title} over %s`, { timeout: 120_000 }, (scheme) => {
  const fixture = clientFixture(scheme);

  test('runs its example with the five settings', async () => {
    const code = documentedExample('java.md', 'Java', 'java');
    const file = path.join(fixture.folder, 'Example.java');
    await writeFile(file, code);
    expect(await java.run([file], settingsOfJava(fixture))).toBe(documentedOutput(code));
  });
});
