import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import type { ClientFixture } from './fixtures/client-fixture.ts';
import { findClient } from './fixtures/installed-client.ts';
import { bucket, describeTransfers } from './fixtures/transfers.ts';

const execute = promisify(execFile);
const buildMs = 400_000;

/** The folder of the Go libraries in Debian's packages. The test downloads no library. */
const sources = '/usr/share/gocode';

const [compiler] = ['go', '/usr/local/go/bin/go']
  .map((where) => findClient('go', [where], { versionArgs: ['version'], timeoutMs: buildMs }))
  .sort((one, other) => Number(one.isMissing) - Number(other.isMissing));
const release = findRelease();
const isMissing = compiler === undefined || compiler.isMissing || release === undefined;
const title = isMissing
  ? `AWS SDK for Go (${release === undefined ? 'its sources are' : 'a compiler is'} not installed here)`
  : `AWS SDK for Go ${release} (${sources}, ${compiler.title})`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-go-'));
  if (isMissing) return;
  await compiler.run(['build', '-o', path.join(folder, 'client'), path.resolve('test/clients/go/main.go')], {
    GO111MODULE: 'off',
    GOPATH: sources,
    GOPROXY: 'off',
    // Compiling the SDK takes half a minute of CPU time. The next run uses the cache.
    GOCACHE: path.join(tmpdir(), 'sluice-go-cache'),
  });
}, buildMs);
afterAll(() => rm(folder, { recursive: true }));

async function run(fixture: ClientFixture, ...args: string[]): Promise<unknown> {
  const { stdout } = await execute(path.join(folder, 'client'), [bucket, ...args], { env: fixture.settings });
  return JSON.parse(stdout);
}

describeTransfers(
  { title, isMissing },
  {
    partsOfLarge: 3,
    upload: (fixture, file, key) => run(fixture, 'upload', file, key),
    download: (fixture, key, file) => run(fixture, 'download', key, file),
    readRange: async (fixture, key, first, last) => {
      const file = path.join(fixture.folder, 'range');
      await run(fixture, 'range', key, `bytes=${first}-${last}`, file);
      return readFile(file);
    },
    list: async (fixture, prefix) => (await run(fixture, 'list', prefix)) as string[],
    copy: (fixture, from, to) => run(fixture, 'copy', from, to),
    remove: (fixture, key) => run(fixture, 'remove', key),
  },
);

function findRelease(): string | undefined {
  const file = `${sources}/src/github.com/aws/aws-sdk-go-v2/aws/go_module_metadata.go`;
  try {
    return /goModuleVersion = "(.*)"/.exec(readFileSync(file, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
