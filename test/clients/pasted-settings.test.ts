import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { clientSettings } from '../../lib/domain/service-accounts/client-settings.ts';
import { seedNames } from '../../lib/local/seed.ts';
import { type ClientRecipe, keyPairRecipes, machineRecipes } from '../../lib/pages/site/machines/recipes.ts';
import { awsClis, readsEndpointSettings } from './fixtures/aws-cli.ts';
import { clientFixture } from './fixtures/client-fixture.ts';
import { findClient } from './fixtures/installed-client.ts';

const execute = promisify(execFile);
const { service_account_id } = seedNames;
const s3Uri = `s3://${seedNames.organization_id}/${seedNames.data_repository_id}/`;

const has = (name: string, ...args: string[]) => !findClient(name, [name], { versionArgs: args }).isMissing;
const hasBoto3 = existsSync('.clients/newest/bin/python3');
const tools = path.resolve('.clients/tools/bin/python3');
const hasTools = existsSync(tools);
const hasAws = awsClis.some(readsEndpointSettings);
/** Availability of each client in the console's list, and the expected output of its last block. */
const clients: Readonly<Record<string, { isHere: boolean; prints: RegExp }>> = {
  environment: { isHere: hasAws, prints: /countries\.csv/ },
  profile: { isHere: hasAws, prints: /countries\.csv/ },
  boto3: { isHere: hasBoto3, prints: /countries\.csv/ },
  s3fs: { isHere: hasTools, prints: /countries\.csv/ },
  // The AWS SDK for JavaScript from the project's own packages.
  javascript: { isHere: true, prints: /countries\.csv/ },
  rclone: { isHere: has('rclone', 'version'), prints: /countries\.csv/ },
  duckdb: { isHere: hasBoto3 && hasTools, prints: /README\.md|countries/ },
  gdal: { isHere: hasBoto3 && has('gdalinfo', '--version'), prints: /GeoTIFF/ },
  restic: { isHere: hasBoto3 && has('restic', 'version'), prints: /snapshot \w+ saved/ },
  s3cmd: { isHere: has('s3cmd', '--version'), prints: /countries\.csv/ },
};

/** Loads the extension from PyPI's package, and reads the environment as DuckDB's command line does. */
const duckDb = `
import os, pathlib, re, sys, duckdb, duckdb_extension_httpfs
[extension] = pathlib.Path(duckdb_extension_httpfs.__file__).parent.glob("extensions/*/httpfs.duckdb_extension")
connection = duckdb.connect()
connection.load_extension(str(extension))
pasted = sys.stdin.read().replace("INSTALL httpfs;", "").replace("LOAD httpfs;", "")
connection.execute(re.sub(r"getenv\\('(\\w+)'\\)", lambda name: "'" + os.environ[name[1]] + "'", pasted))
print(*connection.fetchone())
`;

describe('the settings that the console shows, pasted without changes,', { timeout: 120_000 }, () => {
  const fixture = clientFixture('http', { withDataSet: true });

  /** Returns the output of the last block, after all other blocks have been stored or run. */
  async function paste({ id, blocks }: ClientRecipe, folder: string): Promise<string> {
    await mkdir(folder, { recursive: true });
    await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'));
    const lines = ['sudo() { "$@"; }'];
    for (const { title, text } of blocks) {
      if (title.startsWith('~/')) await writeIn(path.join(folder, title.slice(2)), text);
      // The user pastes the key after the block, as the text of the block says.
      else if (title.startsWith('The key')) lines.push(text.trimEnd().concat(` <<'KEY'\n${fixture.key}\nKEY`));
      else if (title === 'Use') lines.push(asShell(id, text.replace('raster.tif', 'countries.tif')));
      else lines.push(text);
    }
    const PATH = [path.resolve('.clients/newest/bin'), path.dirname(process.execPath), process.env['PATH']].join(':');
    const env = {
      PATH,
      HOME: folder,
      AWS_EC2_METADATA_DISABLED: 'true',
      CPL_AWS_AUTODETECT_EC2: 'NO',
      RESTIC_PASSWORD: 'x',
    };
    const { stdout } = await execute('sh', ['-eu', '-c', lines.join('\n')], { cwd: folder, env });
    return stdout;
  }

  const wanted = Object.entries(clients);
  const byKey = () => {
    const title = { service_account_id, data_proxy_url: fixture.dataUrl, audience: fixture.dataUrl, ci_issuers: [] };
    return machineRecipes({ service_account_id, ...clientSettings(title), s3Uri });
  };
  const byPair = async () => {
    const ada = await fixture.service.user('ada');
    const expires = new Date(Date.now() + 86_400_000).toISOString();
    const { body } = await ada('POST', '/accounts/ada/api-keys', { name: 'pasted', expires });
    return keyPairRecipes({ ...body, name: 'sluice', dataUrl: fixture.dataUrl, s3Uri });
  };

  test.each(wanted.filter(([id, { isHere }]) => isHere && id !== 's3cmd'))(
    'let %s sign in with a key of a service account',
    async (id, { prints }) => {
      const folder = path.join(fixture.folder, `key-${id}`);
      const recipe = byKey().find((each) => each.id === id);
      if (recipe === undefined) throw new Error(`${id} is not in the list`);
      const inFolder = recipe.blocks.map(({ title, text }) => ({
        title,
        text: text.replaceAll('/etc/sluice', `${folder}/etc`),
      }));
      expect(await paste({ ...recipe, blocks: inFolder }, folder)).toMatch(prints);
    },
  );

  test.skipIf(!hasAws)('let the AWS CLI presign URLs with only the profile', async () => {
    for (const recipe of [byKey(), await byPair()].map((all) => all.find(({ id }) => id === 'profile'))) {
      if (recipe === undefined) throw new Error('the profile is not in the list');
      const folder = path.join(fixture.folder, `presign-${recipe.blocks[0]?.title.slice(0, 3)}`);
      const blocks = recipe.blocks.map(({ title, text }) => ({
        title,
        text: text.replaceAll('/etc/sluice', `${folder}/etc`).replace(/s3 ls (\S+)/, 's3 presign $1countries.csv'),
      }));
      const url = (await paste({ ...recipe, blocks }, folder)).trim();
      expect(url).toContain('X-Amz-Signature');
      expect((await fetch(url)).status).toBe(200);
    }
  });

  const pairs = ['profile', 'environment', 'boto3', 'rclone', 'duckdb', 'gdal', 's3cmd'];
  test.each(wanted.filter(([id, { isHere }]) => isHere && pairs.includes(id)))(
    'let %s sign with an API key',
    async (id, { prints }) => {
      const recipe = (await byPair()).find((each) => each.id === id);
      if (recipe === undefined) throw new Error(`${id} is not in the list`);
      expect(await paste(recipe, path.join(fixture.folder, `pair-${id}`))).toMatch(prints);
    },
  );

  test('all have a test in this file', async () => {
    expect(
      byKey()
        .map(({ id }) => id)
        .filter((id) => !(id in clients)),
    ).toEqual([]);
    expect((await byPair()).map(({ id }) => id).sort()).toEqual([...pairs].sort());
  });
});

async function writeIn(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** Returns the block for a shell. Code in another language goes to its program. */
function asShell(id: string, text: string): string {
  const handed = (command: string) => `${command} <<'PASTED'\n${text}PASTED`;
  if (id === 'boto3') return handed('python3 -');
  if (id === 's3fs') return handed(`'${tools}' -`);
  if (id === 'javascript') return handed('node --input-type=module -');
  if (id === 'duckdb') return handed(`'${tools}' -c '${duckDb.replaceAll("'", "'\\''")}'`);
  return text;
}
