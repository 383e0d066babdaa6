import { seedNames } from '../lib/local/seed.ts';
import type { SigningCredentials } from '../lib/sigv4/sign.ts';
import { ciToken } from '../test/service/data-clients.ts';
import { printCosts } from './costs.ts';
import { goal, printTable } from './report.ts';
import { exchange, signedHeaders } from './requests.ts';
import { managementClient, type SeededService, startSeededService } from './seeded-service.ts';
import { TableMeter, type TableUse } from './table-meter.ts';

interface MeasuredWork {
  name: string;
  use: TableUse;
  /** The maximum number of read round trips that the project allows. Undefined if there is no goal. */
  readsGoal: number | undefined;
}

/**
 * Measures how many round trips and capacity units of the database each request needs. Computes the monthly costs from
 * them.
 */
export async function benchDatabase(): Promise<void> {
  const meter = new TableMeter();
  const service = await startSeededService({ instrument: (client) => meter.instrument(client) });
  try {
    const measured: MeasuredWork[] = [];
    const measure = async <T>(name: string, work: () => Promise<T>, readsGoal?: number): Promise<T> => {
      const { use, result } = await meter.measure(work);
      measured.push({ name, use, readsGoal });
      return result;
    };
    await measureDataProxy(service, measure);
    await measureAdministration(service, measure);
    const rows = measured.map(({ name, use, readsGoal }) => [
      name,
      ...[use.requests, use.reads, use.transactions, use.readUnits, use.writeUnits].map(String),
      readsGoal === undefined ? '' : goal(use.reads, '=', readsGoal),
    ]);
    const columns = ['requests', 'reads', 'transactions', 'read units', 'write units'];
    printTable('Database use', ['', ...columns, 'goal: reads'], rows);
    console.log('\n  What a refused conditional write consumes is not reported, and not counted here.');
    printCosts(new Map(measured.map(({ name, use }) => [name, use])));
  } finally {
    await service.close();
    meter.close();
  }
}

type Measure = <T>(name: string, work: () => Promise<T>, readsGoal?: number) => Promise<T>;

/** Measures exchanges and object requests when nothing is cached. */
async function measureDataProxy(service: SeededService, measure: Measure): Promise<void> {
  const { dataUrl, key } = service;
  const { organization_id, open_repository_id, private_repository_id } = seedNames;
  const token = await ciToken(service);
  const credentials = await measure('exchange by key, first in a minute', () => exchange(dataUrl, key), 1);
  await measure('exchange by key, again', () => exchange(dataUrl, key), 1);
  await measure('exchange by CI token, first of its workflow', () => exchange(dataUrl, token), 1);
  await measure('exchange by CI token, again', () => exchange(dataUrl, token), 1);

  const objectUrl = (repositoryId: string) => new URL(`/${organization_id}/${repositoryId}/bench`, dataUrl);
  const open = objectUrl(open_repository_id);
  const restricted = objectUrl(private_repository_id);
  const list = new URL(`/${organization_id}?list-type=2&prefix=${private_repository_id}/`, dataUrl);
  const send = (method: string, url: URL, signer?: SigningCredentials) => async () => {
    const headers = signer === undefined ? {} : signedHeaders(method, url, signer);
    const response = await fetch(url, { method, headers, ...(method === 'PUT' ? { body: 'bench' } : {}) });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${method} ${url.pathname} returned ${response.status}`);
  };
  await measure('PutObject, cold', send('PUT', restricted, credentials));
  await measure('PutObject, warm', send('PUT', restricted, credentials), 0);
  await measure('GetObject, warm', send('GET', restricted, credentials), 0);
  await measure('ListObjectsV2, warm', send('GET', list, credentials), 0);
  await send('PUT', open, credentials)();
  await measure('GetObject without credentials, cold', send('GET', open));
  await measure('GetObject without credentials, warm', send('GET', open), 0);
}

/** Measures the management of a service account: the calls that its owner makes in a month. */
async function measureAdministration(service: SeededService, measure: Measure): Promise<void> {
  const ada = await managementClient(service, 'ada');
  const keys = `/service-accounts/${seedNames.service_account_id}/keys`;
  const issue = () => ada('POST', keys, { label: 'bench', expiry: '30d' });
  await measure('list-service-account-keys', () => ada('GET', keys));
  const { key_id } = await measure('issue-service-account-key', issue);
  await measure('revoke-service-account-key', () => ada('DELETE', `${keys}/${key_id}`));
}
