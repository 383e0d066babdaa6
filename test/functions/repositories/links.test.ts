import { beforeEach, describe, expect, test, vi } from 'vitest';
import { seedNames } from '../../../lib/local/seed.ts';
import { everyOperation } from '../../data/every-operation.ts';
import { exchange } from '../../data/whole-answer.ts';
import type { SignerOptions } from '../../lib/sigv4/signed-request.ts';
import { seededService } from '../../service/seeded-service.ts';
import type { Client } from '../../service/test-service.ts';
import { addMember, made, repository, signUp } from '../users.ts';

const service = await seededService();
const ada = await service.user('ada');
const admin = await service.user('admin');
const day = 24 * 3600;
const { organization_id: organization, data_connection_id } = seedNames;

let name: string;
let count = 0;
const path = () => `/repositories/${organization}/${name}`;
beforeEach(async () => {
  // The limits per minute apply to each test separately.
  service.advance(61 - ((service.services.clock() / 1000) % 60));
  count += 1;
  name = `shared-${count}`;
  await made(
    ada('POST', `/repositories/${organization}`, repository(name, { data_mode: 'private', data_connection_id })),
  );
});

interface Link {
  link_id: string;
  secret: string;
}
const create = async (body: object = {}, by: Client = ada): Promise<Link> =>
  (await made(by('POST', `${path()}/links`, { prefix: 'folder/', expires_in_days: 1, ...body }))).body;
const anyone = service.withAuthorization('');
const open = ({ link_id, secret }: Link) => anyone('POST', `/links/${link_id}/credentials`, { secret });
const signerOf = async (link: Link): Promise<SignerOptions> => {
  const { access_key_id, secret_access_key, session_token } = (await made(open(link))).body;
  return { accessKeyId: access_key_id, secretAccessKey: secret_access_key, sessionToken: session_token };
};
const revoke = ({ link_id }: Link) => ada('DELETE', `${path()}/links/${link_id}`);

/** Sends a request to the data proxy, as the signer, or with the seed's key of the repository. */
async function send(signer: SignerOptions, method: string, key: string, more: object = {}) {
  const options = { ...signer, signedAt: service.services.clock() };
  return exchange(service.dataUrl, { method, path: `/${organization}${key}`, ...more }, options);
}
const read = (signer: SignerOptions, key: string) => send(signer, 'GET', `/${name}/${key}`);
const list = (signer: SignerOptions, prefix: string, more: object = {}) =>
  send(signer, 'GET', '', { query: { 'list-type': '2', prefix, ...more } });

async function ownSigner(): Promise<SignerOptions> {
  const { body } = await made(ada('POST', '/session/data-credentials', { role: 'FullAccess' }));
  const { access_key_id, secret_access_key, session_token } = body;
  return { accessKeyId: access_key_id, secretAccessKey: secret_access_key, sessionToken: session_token };
}
async function upload(...keys: string[]): Promise<void> {
  const signer = await ownSigner();
  for (const key of keys) expect((await send(signer, 'PUT', `/${name}/${key}`, { body: key })).status).toBe(200);
}
const forgetAuthorization = () => service.advance(61 * 5);

describe('a link to a folder', () => {
  test('reads and lists the folder for 15 minutes, and says what it shows', async () => {
    await upload('folder/a.txt', 'folder/below/b.txt', 'folder-c.txt');
    const link = await create({ note: 'For the reviewers' });
    const { body, headers } = await made(open(link));
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({ repository_id: name, title: 'Gauges', prefix: 'folder/', created_by: 'ada' });
    expect(Date.parse(body.expires_at) - service.services.clock()).toBeLessThanOrEqual(15 * 60_000);
    const signer = await signerOf(link);
    expect((await read(signer, 'folder/a.txt')).body).toBe('folder/a.txt');
    const listed = await list(signer, `${name}/folder/`);
    expect([...listed.body.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key]) => key)).toEqual([
      `${name}/folder/a.txt`,
      `${name}/folder/below/b.txt`,
    ]);
    expect((await list(signer, `${name}/folder/below/`)).status).toBe(200);
    const { body: links } = await ada('GET', `${path()}/links`);
    expect(links).toMatchObject([{ state: 'open', note: 'For the reviewers', created_by_name: expect.anything() }]);
    expect(links[0].last_used_at).not.toBeNull();
    expect(links[0]).not.toHaveProperty('secret');
    service.advance(15 * 60);
    expect((await read(signer, 'folder/a.txt')).body).toContain('ExpiredToken');
    // The stream consumer records the first use.
    await vi.waitFor(async () => {
      const { body: trail } = await ada('GET', `/accounts/${organization}/audit-events?limit=5`);
      const kinds = trail.map(({ kind }: { kind: string }) => kind);
      expect(kinds.filter((kind: string) => kind.startsWith('link.'))).toEqual(['link.first_used', 'link.created']);
      expect(JSON.stringify(trail)).not.toContain(link.secret);
    }, 20_000);
  });

  test.each([
    '',
    'a.txt',
    'fold',
    'folder',
    'folder-c.txt',
    'Folder/a.txt',
    '/folder/a.txt',
    'folder%2Fa',
    '.sluice/x',
  ])('refuses the key "%s"', async (key) => {
    const signer = await signerOf(await create());
    const answer = await read(signer, key);
    expect([403, 404]).toContain(answer.status);
    if (answer.status === 404) expect(key).toBe('');
  });

  test.each(['folder', 'fold', '', 'folder-', 'Folder/'])('refuses the list of "%s"', async (prefix) => {
    const signer = await signerOf(await create());
    for (const more of [{}, { delimiter: '/' }, { 'max-keys': '0' }])
      expect((await list(signer, `${name}/${prefix}`, more)).body).toContain('AccessDenied');
  });

  test('refuses lists of the account and of its repositories', async () => {
    const signer = await signerOf(await create());
    for (const prefix of ['', name, name.slice(0, 4), 'gauges/'])
      for (const more of [{}, { delimiter: '/' }]) expect((await list(signer, prefix, more)).status).toBe(403);
    const buckets = await exchange(
      service.dataUrl,
      { method: 'GET', path: '/' },
      { ...signer, signedAt: service.services.clock() },
    );
    expect(buckets.status).toBe(403);
  });

  test('a marker and a continuation token of another list show nothing else', async () => {
    await upload('a.txt', 'b.txt', 'folder/a.txt', 'z.txt');
    const whole = await list(await ownSigner(), `${name}/`, { 'max-keys': '1' });
    const [, token = ''] = /<NextContinuationToken>(.*?)</.exec(whole.body) ?? [];
    const signer = await signerOf(await create());
    for (const more of [{ 'start-after': `${name}/a.txt` }, { 'continuation-token': token }]) {
      const { body } = await list(signer, `${name}/folder/`, more);
      expect([...body.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key]) => key)).toEqual([`${name}/folder/a.txt`]);
    }
  });
});

test('a link to one file reads that file, and lists nothing', async () => {
  await upload('data.csv', 'data.csv.old');
  const signer = await signerOf(await create({ prefix: 'data.csv' }));
  expect((await read(signer, 'data.csv')).body).toBe('data.csv');
  expect((await read(signer, 'data.csv.old')).status).toBe(403);
  expect((await read(signer, 'data.csv/below')).status).toBe(403);
  for (const prefix of ['data.csv', 'data.csv.', ''])
    expect((await list(signer, `${name}/${prefix}`)).status).toBe(403);
});

/** Operations that read the current files below a prefix. A link refuses all others everywhere. */
const reads = [
  'GetObject',
  'GetObject with a range',
  'HeadObject',
  'GetObjectAttributes',
  'GetObjectTagging',
  'ListObjects',
  'ListObjectsV2',
  'ListObjectsV2 by folder',
];

describe('every operation with credentials of a link', () => {
  test.each(everyOperation(organization, 'x').map((each) => each.name))(
    '%s works nowhere but below the prefix',
    async (operationName) => {
      const places = {
        'in the repository': name,
        'in an open repository': 'gauges',
        'in another private repository': 'raw-drafts',
        'in a missing repository': 'none-here',
        'in a version': `${name}@v1`,
      };
      const whole = await signerOf(await create({ prefix: '' }));
      const elsewhere = await signerOf(await create({ prefix: 'elsewhere/' }));
      for (const [place, repositoryId] of Object.entries(places)) {
        const operation = everyOperation(organization, repositoryId).find((each) => each.name === operationName);
        const { method = '', path: key = '', name: _, relayedRoot: __, ...rest } = operation ?? {};
        for (const [which, signer] of Object.entries({ whole, elsewhere })) {
          const { status, body } = await send(signer, method, key, rest);
          const isAllowed = which === 'whole' && place === 'in the repository' && reads.includes(operationName);
          const isRefused = status === 403 || (status === 405 && place === 'in a version');
          expect(isRefused, `${place} with ${which}: ${status} ${body}`).toBe(!isAllowed);
        }
      }
    },
  );

  test('cannot copy a file from the link to another path', async () => {
    await upload('folder/a.txt');
    const signer = await signerOf(await create());
    for (const to of [`/${name}/folder/copy.txt`, '/raw-drafts/copy.txt']) {
      const headers = { 'x-amz-copy-source': `/${organization}/${name}/folder/a.txt` };
      expect((await send(signer, 'PUT', to, { headers })).status).toBe(403);
    }
  });

  test('the credentials are no credentials for the management API or the exchange', async () => {
    const { accessKeyId, secretAccessKey } = await signerOf(await create());
    const client = service.withAuthorization(`${accessKeyId} ${secretAccessKey}`);
    expect((await client('POST', '/session/data-credentials', { role: 'ReadOnly' })).status).toBe(401);
    expect((await client('GET', `${path()}/links`)).status).toBe(401);
  });
});

describe('all links that give no access have the same answer', () => {
  const problemOf = ({ status, body }: Awaited<ReturnType<Client>>) => {
    const { request_id: _, ...problem } = body;
    return { status, problem };
  };
  const unknown = { link_id: '3f7b9d20-6e1a-4c8d-b5f4-7a9c1e3d5b60', secret: 'x'.repeat(43) };
  let maya: Client;
  let membership: string;
  let mayaId: string;
  beforeEach(async () => {
    mayaId = `maya-${count}`;
    maya = await signUp(service, mayaId);
    membership = await addMember(ada, `${organization}/${name}`, maya, mayaId, 'maintainers');
  });

  test.each<[string, (link: Link) => Promise<unknown>]>([
    ['that were revoked', (link) => made(revoke(link))],
    ['that expired', async () => service.advance(day)],
    ['whose creator left', () => made(maya('POST', `/memberships/${membership}/revoke`))],
    [
      'whose creator became a writer',
      () => made(ada('POST', `/memberships/${membership}/update-role`, '"write_data"')),
    ],
    [
      'whose creator was disabled and enabled again',
      async () => {
        await made(admin('POST', `/accounts/${mayaId}/disable`));
        await made(admin('POST', `/accounts/${mayaId}/enable`));
      },
    ],
    ['whose repository is disabled', () => made(ada('POST', `${path()}/disable`))],
    [
      'whose repository was disabled and enabled again',
      async () => {
        await made(ada('POST', `${path()}/disable`));
        await made(ada('POST', `${path()}/enable`));
      },
    ],
    [
      'whose repository was replaced by another one with its name',
      async () => {
        await made(ada('POST', `${path()}/disable`));
        await made(ada('POST', `${path()}/delete`, { confirm: `${organization}/${name}` }));
        const again = repository(name, { data_mode: 'private', data_connection_id, adopt_objects: true });
        await made(ada('POST', `/repositories/${organization}`, again));
        await addMember(ada, `${organization}/${name}`, maya, mayaId, 'maintainers');
      },
    ],
  ])('%s', async (_, end) => {
    const expected = problemOf(await open(unknown));
    expect(expected.status).toBe(404);
    await upload('folder/a.txt');
    const link = await create({}, maya);
    expect(problemOf(await open({ ...link, secret: `${link.secret}=` }))).toEqual(expected);
    const signer = await signerOf(link);
    expect((await read(signer, 'folder/a.txt')).status).toBe(200);
    await end(link);
    expect(problemOf(await open(link))).toEqual(expected);
    forgetAuthorization();
    expect((await read(signer, 'folder/a.txt')).status).toBe(403);
  });
});

test('revoking a link ends no other link, unless a hundred were revoked in 20 minutes', async () => {
  const spared = await create();
  for (let round = 0; round < 100; round += 1) await made(revoke(await create()));
  await made(open(spared));
  await made(revoke(await create()));
  expect((await open(spared)).status).toBe(404);
  const { body } = await ada('GET', `${path()}/links`);
  expect(body).toMatchObject([{ link_id: spared.link_id, state: 'ended' }]);
  await made(open(await create()));
});

test('a repository has at most 100 open links', async () => {
  for (let round = 0; round < 100; round += 1) await create();
  const refused = await ada('POST', `${path()}/links`, { prefix: '', expires_in_days: 1 });
  expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('at most 100 open links')]);
  service.advance(day);
  await create();
});

test('a link is exchanged at most 60 times in a minute', async () => {
  const link = await create();
  for (let round = 0; round < 60; round += 1) await made(open(link));
  expect(await open(link)).toMatchObject({ status: 429 });
  expect((await open({ ...link, secret: 'wrong' })).status).toBe(404);
});

test('credentials end with their link', async () => {
  const link = await create();
  service.advance(day - 120);
  const { body } = await made(open(link));
  expect(Date.parse(body.expires_at)).toBeLessThanOrEqual(Date.parse(body.link_expires_at));
});

test.each([
  ['a control character', { prefix: 'a\u0001' }],
  ['half of a character', { prefix: 'a\ud800' }],
  ['the manifests of versions', { prefix: '.sluice/versions/' }],
  ['1,025 bytes', { prefix: 'é'.repeat(513) }],
  ['eight days', { prefix: '', expires_in_days: 8 }],
  ['no day', { prefix: '', expires_in_days: 0 }],
])('refuses a link with %s', async (_, body) => {
  const refused = await ada('POST', `${path()}/links`, { expires_in_days: 1, ...body });
  expect(refused).toMatchObject({ status: 400, body: { code: 'field_invalid' } });
});

test.each(['"'.repeat(1024), 'é'.repeat(512), `${'a/'.repeat(512)}`])(
  'a long prefix fits into the credentials',
  async (prefix) => {
    const signer = await signerOf(await create({ prefix }));
    expect((await read(signer, 'folder/a.txt')).status).toBe(403);
  },
);
