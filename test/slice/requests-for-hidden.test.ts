import { expect, test } from 'vitest';
import { signIn } from '../service/data-clients.ts';
import { seededService } from '../service/seeded-service.ts';
import { sendSigned } from '../service/signed-requests.ts';

const service = await seededService();
const ada = await service.user('ada');
await ada('DELETE', '/service-accounts/tide-institute--nightly-sync/grants/raw-drafts');
const meta = { title: 'T', description: 'D', tags: 't' };
const closed = { repository_id: 'closed-atlas', data_mode: 'open', meta, data_connection_id: 'local-store' };
expect((await ada('POST', '/repositories/tide-institute', closed)).status).toBe(201);
expect((await ada('POST', '/repositories/tide-institute/closed-atlas/disable')).status).toBe(200);

/** Returns the requests behind a refusal. Their number decides its duration, which a client can measure. */
async function requestsBehindRefusal(repository: string, method: string, rest: string): Promise<string[]> {
  // A warm instance with an expired cache, which has just read the change feed.
  service.advance(400);
  const credentials = await signIn(service, service.key);
  const signing = { signedAt: service.services.clock() };
  await sendSigned(service, credentials, { path: '/tide-institute/another/x' }, signing);
  service.tableRequests.length = 0;
  const [path = '', query = ''] = rest.replaceAll('<repository>', repository).split('?');
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const answer = await sendSigned(service, credentials, { method, path, query: parameters }, signing);
  expect(answer.status).toBe(403);
  return [...service.tableRequests];
}

test.each([
  ['GET', '/tide-institute/<repository>/data.csv'],
  ['PUT', '/tide-institute/<repository>/data.csv'],
  ['POST', '/tide-institute/<repository>/data.csv?uploads='],
  ['GET', '/tide-institute?prefix=<repository>/'],
])('%s %s sends the same number of requests for a hidden and for a missing resource', async (method, rest) => {
  const absent = await requestsBehindRefusal('never-made', method, rest);
  expect(absent).toEqual(['BatchGetItemCommand']);
  expect(await requestsBehindRefusal('raw-drafts', method, rest)).toEqual(absent);
  expect(await requestsBehindRefusal('closed-atlas', method, rest)).toEqual(absent);
});
