import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../service/test-service.ts';
import { everyOperation, type OperationCase } from './every-operation.ts';
import { buildRightsWorld, type Place, type RightsWorld } from './rights-fixture.ts';
import { exchange, type WholeAnswer } from './whole-answer.ts';

/** Operations that need the right to read. All others need the right to write. */
const reads = [
  'GetObject',
  'GetObject with a range',
  'HeadObject',
  'GetObjectTagging',
  'ListObjects',
  'ListObjectsV2',
  'ListObjectsV2 by folder',
];

const callers: [place: Place, caller: string, rights: '' | 'r' | 'rw'][] = [
  ['harbour/drafts', 'anonymous', ''],
  ['harbour/drafts', 'another user', ''],
  ['harbour/drafts', 'an admin', ''],
  ['harbour/drafts', 'invited to the repository', ''],
  ['harbour/drafts', 'a session of a disabled service account', ''],
  ['harbour/drafts', 'read_data of the repository', 'r'],
  ['harbour/drafts', 'a ReadOnly session', 'r'],
  ['harbour/drafts', 'write_data of the repository', 'rw'],
  ['harbour/drafts', 'a FullAccess session', 'rw'],
  ['harbour/drafts', 'the repository drafts', 'rw'],
  ['harbour/beside', 'the repository drafts', ''],
  ['harbour/open-data', 'anonymous', 'r'],
  ['harbour/open-data', 'another user', 'r'],
  ['harbour/for-members', 'a FullAccess session', 'r'],
  ['harbour/frozen', 'the user who owns', 'r'],
  ['harbour/closed', 'the user who owns', ''],
  ['shut/open-data', 'the user who owns', ''],
];

const forms = [{}, { expiresIn: 60 }];
const operationsIn = (place: Place) => everyOperation(...(place.split('/') as [account: string, repository: string]));

let service: TestService;
let world: RightsWorld;
beforeAll(async () => {
  service = await startTestService();
  world = await buildRightsWorld(service);
});
afterAll(() => service.close());

function isRefused({ status, body }: WholeAnswer, method: string): boolean {
  return status === 403 && (method === 'HEAD' || body.includes('<Code>AccessDenied</Code>'));
}

async function refusals(operation: OperationCase, place: Place, caller: string): Promise<boolean[]> {
  const { method, path, name: _, relayedRoot: __, ...rest } = operation;
  const request = { method, path: `/${place.split('/')[0]}${path}`, ...rest };
  const signer = world.credentials.get(caller);
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
  '%s is for those who have the right to it, signed in the header and in the URL',
  async (name) => {
    const needed = reads.includes(name) ? 'r' : 'w';
    for (const [place, caller, rights] of callers) {
      const operation = operationsIn(place).find((candidate) => candidate.name === name);
      if (operation === undefined) throw new Error('not in the table');
      const refused = await refusals(operation, place, caller);
      const expected = refused.map(() => !rights.includes(needed));
      expect(refused, `${caller} in ${place}`).toEqual(expected);
    }
  },
);

test('every operation that a right to read covers is one of those', () => {
  const names = operationsIn('harbour/drafts').map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(reads));
});
