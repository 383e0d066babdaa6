import { afterAll, expect, test } from 'vitest';
import { startSeededService } from '../service/seeded-service.ts';
import { sendAnonymous } from '../service/signed-requests.ts';

const service = await startSeededService({ withDataSet: true });
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
