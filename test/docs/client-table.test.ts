import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

interface Row {
  client: string;
  release: string;
  tests: string[];
}

/** Rows of docs/clients/README.md, without links. */
const rows = [...readFileSync('docs/clients/README.md', 'utf8').matchAll(/^\| (?!client|-)(.*) \|$/gm)].map(
  ([, line = '']): Row => {
    const [client = '', release = '', , , by = ''] = line.split(' | ');
    const tests = [...by.matchAll(/`([^`]+)`/g)].map(([, test = '']) => test);
    return { client: client.replace(/\[([^\]]+)\]\([^)]*\)/, '$1'), release, tests };
  },
);
const folder = 'test/clients';
const debian = ' (Debian 12)';

/** Names of npm clients in the rows, by package. */
const npmNames = {
  '@aws-sdk/client-s3': 'aws sdk for javascript',
  aws4fetch: 'aws4fetch',
  flatgeobuf: 'flatgeobuf',
  geotiff: 'geotiff.js',
  hyparquet: 'hyparquet',
  minio: 'minio for javascript',
  pmtiles: 'pmtiles',
  zarrita: 'zarrita',
};

/** Test files for behavior that several clients share. Each other file tests one client or a few clients. */
const common = new Set(['slow-completion.test.ts', 'versions.test.ts', 'citation.test.ts']);

it('every client has a row, and a row names every client test', () => {
  const tests = globSync(`${folder}/*.test.ts`).map((file) => path.basename(file));
  const named = new Set(rows.flatMap((row) => row.tests));
  expect([...named].sort()).toEqual(tests.filter((test) => !common.has(test)).sort());
});

it.each(rows)('$client is in the tests that its row names', ({ client, tests }) => {
  // The shortest unique name: `AWS SDK for JavaScript`, or `boto3` for "boto3 before 1.28".
  const [name = ''] = /^(?:AWS SDK for \w+|[^ ,]+)/.exec(client) ?? [];
  const inText = tests.map((test) => readFileSync(path.join(folder, test), 'utf8').toLowerCase());
  expect(tests.length).toBeGreaterThan(0);
  for (const text of inText) expect(text).toContain(name.toLowerCase());
});

it('each pinned release matches its row', () => {
  const told = new Set(rows.flatMap(({ release }) => (release.endsWith(debian) ? [] : release.split(', '))));
  // The test of the action sends only the calls of this version.
  told.delete('6.2');
  expect([...told].sort()).toEqual([...new Set(pinnedReleases().map(([, release]) => release))].sort());
  for (const [name, release] of pinnedReleases()) {
    const row = rows.find((row) => row.client.toLowerCase().includes(name) && row.release.includes(release));
    expect(row, `${name} ${release}`).toBeDefined();
  }
});

const isBookworm = existsSync('/etc/os-release') && readFileSync('/etc/os-release', 'utf8').includes('=bookworm');
const packages: [client: string, ...command: string[]][] = [
  ['AWS CLI, before 2.13', '/usr/bin/aws', '--version'],
  ['boto3, before 1.28', '/usr/bin/python3', '-c', 'import boto3; print(boto3.__version__)'],
  ['AWS SDK for Go 2', 'dpkg-query', '--show', 'golang-github-aws-aws-sdk-go-v2-dev'],
  ['GDAL', '/usr/bin/gdalinfo', '--version'],
  ['rclone', '/usr/bin/rclone', 'version'],
  ['s3cmd', '/usr/bin/s3cmd', '--version'],
  ['restic', '/usr/bin/restic', 'version'],
  ['curl', '/usr/bin/curl', '--version'],
];

it.skipIf(!isBookworm).each(packages)(
  'the row of %s has the release of the installed package',
  (client, ...command) => {
    const row = rows.find((row) => row.client === client);
    expect(row?.release).toContain(debian);
    const told = tryToRun(command);
    if (told !== undefined) expect(told).toContain(row?.release.replace(debian, ''));
  },
);

it('each row with a release of Debian is compared with the package', () => {
  const ofDebian = rows.filter(({ release }) => release.includes(debian)).map(({ client }) => client);
  expect(ofDebian.sort()).toEqual(packages.map(([client]) => client).sort());
});

/** Returns the versions in package.json and in the files beside the tests, by the name in the rows. */
function pinnedReleases(): [name: string, release: string][] {
  const python = ['newest', 'oldest', 'tools'].flatMap((environment) => {
    const [clients = ''] = readFileSync(`${folder}/python/${environment}.txt`, 'utf8').split('\n\n');
    return [...clients.matchAll(/^([\w-]+)(?:\[.*\])?==(.*)$/gm)].map(
      ([, name = '', release = '']): [string, string] => [name, release],
    );
  });
  const [, java = ''] =
    /<artifactId>bom<\/artifactId>\s*<version>(.*?)</.exec(readFileSync(`${folder}/java/pom.xml`, 'utf8')) ?? [];
  const [, rclone = ''] = /rclone\/rclone v(\S+)/.exec(readFileSync(`${folder}/go/rclone/go.mod`, 'utf8')) ?? [];
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    'dependencies' | 'devDependencies',
    Record<string, string>
  >;
  const installed = { ...dependencies, ...devDependencies };
  const npm = Object.entries(npmNames).map(([name, told]): [string, string] => [told, installed[name] ?? '']);
  // Returns true for a dependency that is a tested client only in another environment.
  const isHelper = ([name, release]: [string, string]) =>
    name === 'botocore' || name.startsWith('duckdb-') || (name === 'boto3' && release.startsWith('1.43.'));
  return [...python.filter((pinned) => !isHelper(pinned)), ['java', java], ['rclone', rclone], ...npm].map(
    ([name = '', release = '']) => [name === 'awscli' ? 'aws cli' : name, release],
  );
}

function tryToRun([program = '', ...args]: string[]): string | undefined {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}
