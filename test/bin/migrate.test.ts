import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import { keys } from '../../lib/store/keys.ts';
import { encodeFinished } from '../../lib/store/migrations/finished-migrations.ts';
import { releasedMigrations } from '../../lib/store/migrations/released.ts';
import { encodeRepository } from '../../lib/store/repositories/repositories.ts';
import type { Item } from '../../lib/store/table.ts';
import { lookAtTable, type TableItems } from '../functions/table-items.ts';
import { newAccount, newRepository, openStore } from '../lib/store/open-store.ts';
import { engineOfThisFile } from '../service/engine-of-this-file.ts';
import { loader } from '../service/loader.ts';

let tableName: string;
let items: TableItems;
beforeEach(async () => {
  ({ tableName } = await openStore());
  items = lookAtTable(tableName);
  const organization = newAccount('acme', { account_type: 'organization', identity_id: 'subject of ada' });
  await items.putAll([
    // As a table that an older release made.
    encodeFinished([]),
    { ...organization, ...keys.account('acme'), entity: 'account' },
    ...['first', 'last'].map((id) => encodeRepository(newRepository('acme', id, { uid: undefined }))),
    broken,
  ]);
});
const repaired: Item = encodeRepository(newRepository('acme', 'broken', { uid: undefined }));
const broken: Item = { ...repaired, disabled: 'perhaps' };

/** `npm run migrate` on a table of this machine's engine. */
async function migrate(...options: string[]) {
  const { endpoint, region, credentials } = engineOfThisFile();
  const args = ['--table', tableName, '--region', region, '--user-issuer', 'https://people.example.org', ...options];
  const env = {
    PATH: process.env['PATH'],
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  const child = spawn(process.execPath, [...loader, 'bin/migrate.ts', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], output, errors] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code, output, errors };
}
const uidOf = async (id: string) => {
  const { pk, sk } = keys.repository('acme', id);
  return (await items.find(pk, sk))?.['uid'];
};

test.each([
  ['', 'open'],
  ['--finish', 'not finished'],
])(
  'an item that cannot be read is named, the others are migrated, and the end is a failure: %j',
  async (option, outcome) => {
    const { code, output, errors } = await migrate(...option.split(' ').filter(Boolean));
    expect(code).toBe(1);
    const named = new RegExp(`^0002-internal-ids {2}cannot read the item ${broken['pk']} / ${broken['sk']}: `, 'm');
    expect(errors).toMatch(named);
    expect(errors).toMatch(/^Put the items right that are named above, or delete them, and run this again\.$/m);
    // Those before it, those after it, and the migrations that follow.
    expect(await Promise.all(['first', 'last'].map(uidOf))).toEqual([expect.any(String), expect.any(String)]);
    expect(await items.find('ACCOUNT#acme', 'ACCOUNT')).toMatchObject({ identity_id: 'organization:acme' });
    const lines = output.trim().split('\n');
    expect(lines.map((line) => line.split('  ')[0])).toEqual(releasedMigrations.map(({ name }) => name));
    expect(lines[1]).toBe(`0002-internal-ids  ${outcome}: 3 items looked at, 2 changed, 1 could not be read`);

    await items.putAll([repaired]);
    expect(await migrate('--finish')).toMatchObject({ code: 0, errors: '' });
    expect(await uidOf('broken')).toEqual(expect.any(String));
  },
);

test('a table on which all is right ends well', async () => {
  await items.putAll([repaired]);
  expect(await migrate('--dry-run')).toMatchObject({ code: 0, errors: '' });
  expect(await uidOf('first')).toBeUndefined();
  expect(await migrate()).toMatchObject({ code: 0, errors: '' });
});
