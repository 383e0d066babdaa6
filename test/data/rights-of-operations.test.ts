import { expect, test } from 'vitest';
import { testService } from '../service/test-service.ts';
import { everyOperation, type OperationCase } from './every-operation.ts';
import { createRightsCallers, type Place } from './rights-fixture.ts';
import { exchange, type WholeAnswer } from './whole-answer.ts';

/** Operations that need the right to read. All others need the right to write. */
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

type Rights = '' | 'r' | 'rw';
const inRepositories: [place: Place, caller: string, rights: Rights][] = [
  ['harbour/beside', 'the repository drafts', ''],
  ['harbour/beside', 'owners of the repository', ''],
  ['harbour/open-data', 'anonymous', 'r'],
  ['harbour/open-data', 'another user', 'r'],
  ['harbour/open-data', 'a session of a service account made again', 'r'],
  ['harbour/open-data', 'a revoked key', ''],
  ['harbour/open-data', 'an expired key', ''],
  ['harbour/for-members', 'a FullAccess session', 'r'],
  ['harbour/for-members', 'read_data of the account', 'r'],
  ['harbour/frozen', 'the user who owns', 'r'],
  ['harbour/closed', 'the user who owns', ''],
  ['shut/open-data', 'the user who owns', ''],
  ['founder/own-drafts', 'write_data of the personal account', 'rw'],
];
/** All other kinds of caller have no right in the private repository. */
const inDrafts: Record<string, Rights> = {
  'the user who owns': 'rw',
  'the organization': 'rw',
  'the repository drafts': 'rw',
  'owners of the account': 'rw',
  'maintainers of the account': 'rw',
  'write_data of the account': 'rw',
  'read_data of the account': 'r',
  'owners of the repository': 'rw',
  'maintainers of the repository': 'rw',
  'write_data of the repository': 'rw',
  'read_data of the repository': 'r',
  'a FullAccess session': 'rw',
  'a ReadOnly session': 'r',
};

const forms = [{}, { expiresIn: 60 }];
const operationsIn = (place: Place) => everyOperation(...(place.split('/') as [account: string, repository: string]));

const service = await testService();
const callers = await createRightsCallers(service);

function isRefused({ status, body }: WholeAnswer, method: string): boolean {
  return status === 403 && (method === 'HEAD' || /<Code>(?:AccessDenied|InvalidAccessKeyId)<\/Code>/.test(body));
}

async function refusals(operation: OperationCase, place: Place, caller: string): Promise<boolean[]> {
  const { method, path, name: _, relayedRoot: __, ...rest } = operation;
  const request = { method, path: `/${place.split('/')[0]}${path}`, ...rest };
  const signer = callers.get(caller);
  const refused: boolean[] = [];
  for (const form of signer === undefined ? [{}] : forms) {
    const options = signer && { ...signer, ...form, signedAt: service.services.clock() };
    const answer = await exchange(service.dataUrl, request, options);
    expect(answer.status, answer.body).not.toBe(500);
    refused.push(isRefused(answer, method));
  }
  return refused;
}

test.each(operationsIn('harbour/drafts').map(({ name }) => name))(
  '%s requires the right of the caller, with a signature in the header or in the URL',
  async (name) => {
    const needed = reads.includes(name) ? 'r' : 'w';
    const inPrivate = [...callers.keys()].map((caller) => {
      return ['harbour/drafts', caller, inDrafts[caller] ?? ''] as const;
    });
    for (const [place, caller, rights] of [...inPrivate, ...inRepositories]) {
      const operation = operationsIn(place).find((candidate) => candidate.name === name);
      if (operation === undefined) throw new Error('not in the table');
      const refused = await refusals(operation, place, caller);
      const expected = refused.map(() => !rights.includes(needed));
      expect(refused, `${caller} in ${place}`).toEqual(expected);
    }
  },
);

test('a copy needs the right to read its source', async () => {
  const signer = callers.get('write_data of the repository');
  const request = { method: 'PUT', path: '/harbour/drafts/copy' };
  for (const [source, status] of [
    ['harbour/drafts', 404],
    ['harbour/open-data', 404],
    ['harbour/beside', 403],
    ['founder/own-drafts', 403],
    ['harbour/closed', 403],
  ] as const) {
    const headers = { 'x-amz-copy-source': `/${source}/absent` };
    const options = { ...signer, signedAt: service.services.clock() };
    expect((await exchange(service.dataUrl, { ...request, headers }, options)).status, source).toBe(status);
  }
});

test('every read operation is in the table of operations', () => {
  const names = operationsIn('harbour/drafts').map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(reads));
});
