import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listenOnLoopback } from '../../lib/local/ports.ts';
import { engineOfThisFile } from '../service/engine-of-this-file.ts';
import { startLocalProcess, temporaryFolder } from './local-process.ts';

describe('a start that fails prints one sentence', () => {
  async function refusal(folder: string, settings: Record<string, string | undefined>, args?: readonly string[]) {
    const local = startLocalProcess(folder, settings, args);
    const code = await local.ended;
    // The output contains the completed steps of the start, and no message of success.
    expect({ code, rest: local.stdout().replace(/^(?:Starting|Seeding) .*\n/gm, '') }).toEqual({ code: 1, rest: '' });
    const said = local.stderr();
    expect(said).toMatch(/^[^\n]+\n$/);
    expect(said).not.toMatch(/\bat .*:\d+:\d+|node:internal|Error:/);
    return said.trim();
  }

  /** Creates a command named java that is not Java. Returns a search path that contains only this command. */
  async function fakeJava(folder: string, script: string): Promise<string> {
    const bin = path.join(folder, 'bin');
    await mkdir(bin);
    await writeFile(path.join(bin, 'java'), `#!/bin/sh\n${script}\n`);
    await chmod(path.join(bin, 'java'), 0o755);
    return bin;
  }

  async function takenPort(): Promise<string> {
    const server = createServer();
    onTestFinished(() => void server.close());
    return String(await listenOnLoopback(server, 0));
  }

  /** A port below the range from which the system assigns free ports, so that no other test uses it. */
  const nobodyListens = 'http://127.0.0.1:2';

  const installs = /sudo apt-get install .*\(Debian\), "brew install .*" \(macOS\) or "winget install .*" \(Windows\)/;

  test('when an origin is invalid', async () => {
    const said = await refusal(await temporaryFolder(), { SLUICE_CORS_ORIGINS: 'http://localhost:3000,*' });
    expect(said).toBe(
      'SLUICE_CORS_ORIGINS must be origins without path or *, with commas between them, such as http://localhost:3000.',
    );
  });

  test('when Java is missing', async () => {
    const folder = await temporaryFolder();
    const said = await refusal(folder, { PATH: folder, JAVA_HOME: undefined });
    expect(said).toMatch(/^The local database needs Java 17 or later and found none: install one with /);
    expect(said).toMatch(installs);
  });

  test('when JAVA_HOME is empty and no Java is found', async () => {
    const folder = await temporaryFolder();
    // An empty entry in the search path would mean the current folder.
    await fakeJava(folder, `echo 'openjdk version "11.0.22" 2024-01-16' >&2`);
    expect(await refusal(folder, { PATH: '/nowhere', JAVA_HOME: '' })).toContain('found none');
  });

  test('when Java is too old', async () => {
    const folder = await temporaryFolder();
    const PATH = await fakeJava(folder, `echo 'openjdk version "11.0.22" 2024-01-16' >&2`);
    const said = await refusal(folder, { PATH, JAVA_HOME: undefined });
    expect(said).toMatch(/^The local database needs Java 17 or later and found Java 11: install one with /);
    expect(said).toMatch(installs);
  });

  test('when the database engine does not start', async () => {
    const folder = await temporaryFolder();
    const script = `[ "$1" = -version ] && echo 'openjdk version "21.0.1"' && exit; echo 'Could not reserve enough space' >&2; exit 1`;
    expect(await refusal(folder, { PATH: await fakeJava(folder, script), JAVA_HOME: undefined })).toBe(
      'The local database did not start (its output: Could not reserve enough space): free some memory and start again.',
    );
  });

  test.each(['SLUICE_API_PORT', 'SLUICE_DATA_PORT', 'SLUICE_IDENTITY_PORT'])(
    'when the port of %s is in use',
    async (setting) => {
      const port = await takenPort();
      const settings = { [setting]: port, SLUICE_DYNAMODB_ENDPOINT: engineOfThisFile().endpoint };
      expect(await refusal(await temporaryFolder(), settings)).toBe(
        `Port ${port} on 127.0.0.1 is taken: stop the program that uses it, or set ${setting} to another port (0 picks a free one).`,
      );
    },
  );

  test.each(['http', '65536', '-1'])('when a port is set to %j', async (text) => {
    expect(await refusal(await temporaryFolder(), { SLUICE_DATA_PORT: text })).toBe(
      'SLUICE_DATA_PORT must be a port from 0 to 65535 (0 picks a free one); it is set to something else.',
    );
  });

  test.each(['SLUICE_EXCHANGES_PER_IP', 'SLUICE_EXCHANGES_PER_KEY'])(
    'when %s is not a whole number from 1',
    async (setting) => {
      expect(await refusal(await temporaryFolder(), { [setting]: '0' })).toBe(
        `${setting} must be a whole number from 1 to 999999999; it is set to something else.`,
      );
    },
  );

  test.each([
    ['no server listens', async () => nobodyListens],
    ['another server answers', otherServer],
    ['the value is not a URL', async () => 'localhost 8000'],
  ])('when SLUICE_DYNAMODB_ENDPOINT is unusable: %s', async (_, address) => {
    const endpoint = await address();
    expect(await refusal(await temporaryFolder(), { SLUICE_DYNAMODB_ENDPOINT: endpoint })).toBe(
      `No DynamoDB engine answers at ${endpoint}: start one there, or unset SLUICE_DYNAMODB_ENDPOINT to use the embedded one.`,
    );
  });

  test('when the command line has an unknown option', async () => {
    expect(await refusal(await temporaryFolder(), {}, ['--tls'])).toBe(
      'The options are --https, --quiet and --verbose (npm start -- --https): leave out everything else.',
    );
  });

  test('when a setting of the object store is missing', async () => {
    const settings = {
      SLUICE_S3_ENDPOINT: 'http://127.0.0.1:9000',
      SLUICE_S3_BUCKET: 'data',
      SLUICE_S3_ACCESS_KEY_ID: 'a',
    };
    expect(await refusal(await temporaryFolder(), settings)).toBe(
      'SLUICE_S3_ENDPOINT needs SLUICE_S3_SECRET_ACCESS_KEY too: set it and start again.',
    );
  });

  test.each([
    ['no server listens', async () => nobodyListens],
    ['the value is not a URL', async () => 'localhost'],
  ])('when SLUICE_S3_ENDPOINT is unusable: %s', async (_, address) => {
    const endpoint = await address();
    expect(await refusal(await temporaryFolder(), storeAt(endpoint))).toBe(
      `No object store answers at ${endpoint}: start one there, or unset SLUICE_S3_ENDPOINT to use the embedded one.`,
    );
  });

  test('when a setting prevents the seed', async () => {
    const settings = {
      ...storeAt(await otherServer()),
      SLUICE_S3_BUCKET: 'b',
      SLUICE_DYNAMODB_ENDPOINT: engineOfThisFile().endpoint,
    };
    expect(await refusal(await temporaryFolder(), settings)).toBe(
      'The seed cannot be made over the data that is there (POST /data-connections returned 400: The request is not valid: ' +
        'details.bucket: must be a valid S3 bucket name): put that right, or set SLUICE_SEED=none, or SLUICE_DATA_DIR to another folder.',
    );
  });

  test('when SLUICE_SEED has an unknown value', async () => {
    expect(await refusal(await temporaryFolder(), { SLUICE_SEED: 'None' })).toBe(
      'SLUICE_SEED can be set to none, which starts empty: set it to that, or unset it.',
    );
  });

  test('when the data directory is a file', async () => {
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, 'data'), '');
    expect(await refusal(folder, { SLUICE_DATA_DIR: 'data' })).toMatch(
      /^data.* cannot be used \(E[A-Z]+\): start in a folder that this user may write to, and set SLUICE_DATA_DIR to such a one\.$/,
    );
  });

  function storeAt(endpoint: string) {
    const keys = { SLUICE_S3_ACCESS_KEY_ID: 'a', SLUICE_S3_SECRET_ACCESS_KEY: 'b' };
    return { SLUICE_S3_ENDPOINT: endpoint, SLUICE_S3_BUCKET: 'data', ...keys };
  }

  async function otherServer(): Promise<string> {
    const server = createHttpServer((_, response) => response.end('hello'));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
  }
});

test('a start names unknown settings first, and continues without them', async () => {
  const settings = {
    SLUICE_DATADIR: 'data',
    SLUICE_S3_BUCKET: 'without-an-endpoint',
    SLUICE_VERIFY_ACCOUNT: 'ada',
    SLUICE_URL: 'http://127.0.0.1:8787',
    SLUICE_SEED: 'none',
    SLUICE_DYNAMODB_ENDPOINT: engineOfThisFile().endpoint,
  };
  const local = startLocalProcess(await temporaryFolder(), settings);
  await local.ready;
  expect(local.stderr()).toBe(
    'Passed over, since npm start has no such setting or it needs another one: SLUICE_DATADIR, SLUICE_S3_BUCKET. docs/operating/one-machine.md has the settings there are.\n',
  );
});
