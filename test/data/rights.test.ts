import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SignerOptions } from '../lib/sigv4/signed-request.ts';
import { startTestService, type TestService } from '../service/test-service.ts';
import {
  buildRightsWorld,
  isOpenToWrites,
  type Place,
  places,
  type RightsWorld,
  repositories,
} from './rights-fixture.ts';
import { exchange } from './whole-answer.ts';

let service: TestService;
let world: RightsWorld;
beforeAll(async () => {
  service = await startTestService();
  world = await buildRightsWorld(service);
});
afterAll(() => service.close());

type Rights = 'r' | 'rw';
const ofHarbour = ['open-data', 'for-members', 'drafts', 'beside', 'frozen', 'closed'];
const everywhere = (rights: Rights) => Object.fromEntries(ofHarbour.map((name) => [`harbour/${name}`, rights]));
const nothing = {};

/** A caller's own rights in repositories that are not disabled. */
const callers: [caller: string, rights: Partial<Record<Place, Rights>>][] = [
  ['anonymous', nothing],
  ['the user who owns', { ...everywhere('rw'), 'founder/own-drafts': 'rw', 'shut/open-data': 'rw' }],
  ['the organization', everywhere('rw')],
  ['the repository drafts', { 'harbour/drafts': 'rw' }],
  ['the repository open-data', { 'harbour/open-data': 'rw' }],
  ['an admin', nothing],
  ['a platform service account', nothing],
  ['another user', nothing],
  ['another organization', nothing],
  ['owners of the account', everywhere('rw')],
  ['maintainers of the account', everywhere('rw')],
  ['write_data of the account', everywhere('rw')],
  ['read_data of the account', everywhere('r')],
  ['owners of the repository', { 'harbour/drafts': 'rw' }],
  ['maintainers of the repository', { 'harbour/drafts': 'rw' }],
  ['write_data of the repository', { 'harbour/drafts': 'rw' }],
  ['read_data of the repository', { 'harbour/drafts': 'r' }],
  ['invited to the account', nothing],
  ['invited to the repository', nothing],
  ['revoked in the account', nothing],
  ['revoked in the repository', nothing],
  ['write_data of the personal account', { 'founder/own-drafts': 'rw' }],
  ['a disabled user who is a member', nothing],
  [
    'a FullAccess session',
    { 'harbour/for-members': 'r', 'harbour/drafts': 'rw', 'harbour/frozen': 'rw', 'harbour/closed': 'rw' },
  ],
  [
    'a ReadOnly session',
    { 'harbour/for-members': 'r', 'harbour/drafts': 'r', 'harbour/frozen': 'r', 'harbour/closed': 'r' },
  ],
  ['a session of a disabled service account', nothing],
  ['a session of a deleted service account', nothing],
  ['a session of a service account made again', nothing],
];

async function ask(
  signer: SignerOptions | undefined,
  request: {
    method: string;
    path: string;
    query?: Record<string, string>;
    headers?: Record<string, string>;
    body?: string;
  },
): Promise<string> {
  const options = signer && { ...signer, signedAt: service.services.clock() };
  const answer = await exchange(service.dataUrl, request, options);
  if (answer.status < 300) return answer.body.includes('<Error>') ? 'partly refused' : 'allowed';
  return `${answer.status} ${/<Code>(\w+)<\/Code>/.exec(answer.body)?.[1]}`;
}

const denied = '403 AccessDenied';
const copyTargets: readonly Place[] = ['harbour/drafts', 'harbour/open-data', 'founder/own-drafts'];

describe.each(callers)('%s', (caller, rights) => {
  const mayRead = (place: Place) => {
    const isClosed = place === 'harbour/closed' || place === 'shut/open-data';
    return !isClosed && (repositories[place].data_mode === 'open' || rights[place] !== undefined);
  };
  const mayWrite = (place: Place) => isOpenToWrites(place) && rights[place] === 'rw';

  test.each(places)('in %s', async (place) => {
    const signer = world.credentials.get(caller);
    const [account = '', repository = ''] = place.split('/');
    const path = `/${place}/object`;
    const written = mayWrite(place) ? 'allowed' : denied;
    const found = mayRead(place) ? /^(?:allowed|404 NoSuchKey)$/ : /^403 AccessDenied$/;
    const body = `<Delete><Object><Key>${repository}/other</Key></Object></Delete>`;
    const list = { 'list-type': '2', prefix: `${repository}/` };
    const results = {
      write: await ask(signer, { method: 'PUT', path, body: 'x' }),
      upload: await ask(signer, { method: 'POST', path, query: { uploads: '' } }),
      read: await ask(signer, { method: 'GET', path }),
      list: await ask(signer, { method: 'GET', path: `/${account}`, query: list }),
      tags: await ask(signer, { method: 'GET', path, query: { tagging: '' } }),
      deleteList: await ask(signer, { method: 'POST', path: `/${account}`, query: { delete: '' }, body }),
      delete: await ask(signer, { method: 'DELETE', path: `${path}2` }),
    };
    expect(results).toEqual({
      write: written,
      upload: written,
      read: expect.stringMatching(found),
      list: mayRead(place) ? 'allowed' : denied,
      tags: expect.stringMatching(found),
      deleteList: written,
      delete: written,
    });
  });

  const target = copyTargets.find(mayWrite);
  if (target === undefined) return;
  test('copying from each repository', async () => {
    const signer = world.credentials.get(caller);
    await ask(world.credentials.get('the user who owns'), { method: 'PUT', path: `/${target}/object`, body: 'x' });
    for (const place of places) {
      const request = {
        method: 'PUT',
        path: `/${target}/copy`,
        headers: { 'x-amz-copy-source': `/${place}/object` },
      };
      const outcome = await ask(signer, request);
      // Only callers who may read the source learn whether it is on the same storage.
      const isElsewhere = repositories[place].connection !== 'store';
      if (!mayRead(place)) expect(outcome, place).toBe(denied);
      else if (isElsewhere) expect(outcome, place).toBe('501 NotImplemented');
      else expect(outcome, place).toMatch(/^(?:allowed|404 NoSuchKey)$/);
    }
  });
});

test.each(['a revoked key', 'an expired key'])('%s is refused even where anyone may read', async (caller) => {
  const signer = world.credentials.get(caller);
  for (const place of places) {
    expect(await ask(signer, { method: 'GET', path: `/${place}/object` })).toBe('403 InvalidAccessKeyId');
  }
});

test('every kind of caller that there is has a row', () => {
  const rows = [...callers.map(([caller]) => caller), 'a revoked key', 'an expired key'];
  expect(rows.sort()).toEqual([...world.credentials.keys()].sort());
});
