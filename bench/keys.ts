import { Bench } from 'tinybench';
import { issueServiceAccountKey } from '../lib/domain/service-accounts/service-account-key.ts';
import { systemRandom } from '../lib/lambda/random.ts';
import { seedNames } from '../lib/local/seed.ts';
import { roleArn } from '../test/service/data-clients.ts';
import { printTable } from './report.ts';
import { exchangeRequest } from './requests.ts';
import { managementClient, startSeededService, unlimited } from './seeded-service.ts';

/**
 * Measures the time to refuse each kind of invalid key, and the time to revoke each kind of key publicly. Different
 * times would reveal to a caller which keys exist.
 */
export async function benchKeys(): Promise<void> {
  const service = await startSeededService({ throttles: unlimited });
  try {
    const ada = await managementClient(service, 'ada');
    const { organization_id, service_account_id } = seedNames;
    const issueKey = (id: string): Promise<{ key: string; key_id: string }> =>
      ada('POST', `/service-accounts/${id}/keys`, { label: 'bench', expiry: '30d' });
    const post = async (url: string, init: RequestInit, status: number) => {
      const response = await fetch(url, { method: 'POST', ...init });
      await response.arrayBuffer();
      if (response.status !== status) throw new Error(`${url} returned ${response.status} instead of ${status}`);
    };
    const refuse = (id: string, key: string) => {
      const { url, ...request } = exchangeRequest(service.dataUrl, roleArn('FullAccess', id), key);
      return () => post(url, request, 400);
    };
    const url = `${service.apiUrl}/api/v1/service-account-keys/revocations`;
    const revoke = (key: string) =>
      post(url, { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ key }) }, 204);

    const bench = new Bench({ iterations: 200, time: 0, warmupIterations: 20, warmupTime: 0, throws: true });
    const revoked = await issueKey(service_account_id);
    await ada('DELETE', `/service-accounts/${service_account_id}/keys/${revoked.key_id}`);
    const unknown = issueServiceAccountKey(systemRandom);
    bench.add('exchange, unknown key', refuse(service_account_id, unknown));
    bench.add('exchange, revoked key', refuse(service_account_id, revoked.key));
    for (const [state, method, path] of [
      ['disabled', 'POST', '/disable'],
      ['deleted', 'DELETE', ''],
    ] as const) {
      const id = `${organization_id}--bench-${state}`;
      await ada('POST', `/accounts/${organization_id}/service-accounts`, { name: `bench-${state}` });
      bench.add(`exchange, key of a ${state} service account`, refuse(id, (await issueKey(id)).key));
      await ada(method, `/service-accounts/${id}${path}`);
    }
    let live = '';
    const beforeEach = async () => {
      live = (await issueKey(service_account_id)).key;
    };
    bench.add('public revocation, live key', () => revoke(live), { beforeEach });
    bench.add('public revocation, revoked key', () => revoke(revoked.key));
    bench.add('public revocation, unknown key', () => revoke(unknown));
    const rows = (await bench.run()).map(({ name, result }) => {
      if (result.state !== 'completed') throw new Error(`${name} did not complete`);
      const { p50, p99, max } = result.latency;
      return [name, ...[p50, p99, max].map((milliseconds) => milliseconds.toFixed(2))];
    });
    printTable('Milliseconds to the response, 200 requests each', ['', 'p50', 'p99', 'max'], rows);
  } finally {
    await service.close();
  }
}
