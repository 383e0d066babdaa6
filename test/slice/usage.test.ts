import { afterAll, expect, test } from 'vitest';
import { seedNames } from '../../lib/local/seed.ts';
import { lookAtTable } from '../functions/table-items.ts';
import { signIn } from '../service/data-clients.ts';
import { startSeededService } from '../service/seeded-service.ts';
import { sendAnonymous, sendSigned } from '../service/signed-requests.ts';

const table = lookAtTable();
const service = await startSeededService({ withDataSet: true, tableName: table.tableName });
afterAll(() => service.close());

const read = (method: string, path: string, headers: Record<string, string> = {}) =>
  sendAnonymous(service, method, path, headers);

test('reads through the local edge count for their repository, and refused requests for none', async () => {
  const path = '/tide-institute/world-borders/countries.csv';
  const agent = { 'user-agent': 'curl/8.7.1' };
  const { body } = await read('GET', path, agent);
  await read('GET', path, { ...agent, range: 'bytes=0-9' });
  await read('HEAD', path, agent);
  await read('GET', '/tide-institute/world-borders/missing.csv', agent);
  await read('GET', '/tide-institute/tide-gauges?list-type=2', agent);
  await read('GET', path, { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0' });
  await service.usage.run();
  const found = await service.services.store.usage.list('service', { from: '2026-01-01', to: '2100-01-01' });
  expect(found).toMatchObject([
    {
      clients: {
        tools: { requests: 2, downloads: 1, visitors: 1, total_requests: 1, unique_requests: 1 },
        browsers: { requests: 1, downloads: 1, visitors: 1 },
      },
    },
  ]);
  expect(found[0]?.clients.tools?.bytes).toBeGreaterThan(body.length);
});

test('no IP address, User-Agent, query, or key is in the table or the log, and a private path is for managers only', async () => {
  const { organization_id, private_repository_id } = seedNames;
  const [agent, query, secretPath] = ['Mozilla/5.0 (marked-agent)', 'marked-query', 'marked-path.csv'];
  const credentials = await signIn(service, service.key);
  const path = `/${organization_id}/${private_repository_id}/${secretPath}`;
  const headers = { 'user-agent': agent };
  const send = (method: string, query: Record<string, string>, body?: string) =>
    sendSigned(service, credentials, { method, path, query, headers, ...(body === undefined ? {} : { body }) });
  expect((await send('PUT', {}, 'a')).status).toBe(200);
  expect((await send('GET', { marked: query })).status).toBe(200);
  await service.usage.run();
  const items = (await table.all()).filter(({ pk }) => String(pk).startsWith('USAGE#'));
  const ofRepository = items.filter((item) => JSON.stringify(item).includes(secretPath));
  // One day and one month of the private repository. The sums of the account and of the service have no paths.
  expect(ofRepository.map(({ pk }) => String(pk).split('#').slice(0, 2).join('#'))).toEqual(
    Array(2).fill('USAGE#REPOSITORY'),
  );
  const [stored, logged] = [JSON.stringify(await table.all()), JSON.stringify(service.logged)];
  for (const text of ['marked-agent', query, credentials.sessionToken]) {
    expect(stored).not.toContain(text);
    expect(logged).not.toContain(text);
  }
  expect(JSON.stringify(items)).not.toContain('127.0.0.1');
  // A local service also prints the method and the path of each request in its terminal. A deployment does not.
  const lines = service.logged.filter((line) => !('access' in line));
  expect(JSON.stringify(lines)).not.toContain(secretPath);
});
