import { seedNames } from '../lib/local/seed.ts';
import type { SigningCredentials } from '../lib/sigv4/sign.ts';
import { ciToken } from './ci-token.ts';
import type { SeededService } from './seeded-service.ts';
import { exchange, signedHeaders } from './signed-request.ts';
import type { TableMeter, TableUse } from './table-meter.ts';

export interface DataProxyUse {
  name: string;
  use: TableUse;
  /** Maximum number of read round trips, if there is a goal. */
  readsGoal?: number;
}

/** Measures exchanges and object requests of a service with cold caches. */
export async function measureDataProxy(service: SeededService, meter: TableMeter): Promise<DataProxyUse[]> {
  const { dataUrl, identity, key } = service;
  const { service_account_id, organization_id, open_repository_id, private_repository_id } = seedNames;
  const role = (id: string) => `arn:aws:iam::${id}:role/FullAccess`;
  const own = role(service_account_id);
  const token = await ciToken(identity.url, dataUrl);
  const rows: DataProxyUse[] = [];

  async function measure<T>(name: string, work: () => Promise<T>, readsGoal?: number): Promise<T> {
    const { use, result } = await meter.measure(work);
    rows.push({ name, use, ...(readsGoal === undefined ? {} : { readsGoal }) });
    return result;
  }
  const objectUrl = (repositoryId: string) => new URL(`/${organization_id}/${repositoryId}/bench`, dataUrl);

  const credentials = await measure('exchange by key, first in a minute', () => exchange(dataUrl, own, key), 1);
  await measure('exchange by key, again', () => exchange(dataUrl, own, key), 1);
  await measure('exchange by key, the role names another account', () =>
    exchange(dataUrl, role('tide-institute--no-such'), key),
  );
  await measure('exchange by CI token, first of its workflow', () => exchange(dataUrl, own, token), 1);
  await measure('exchange by CI token, again', () => exchange(dataUrl, own, token), 1);

  const open = objectUrl(open_repository_id);
  const restricted = objectUrl(private_repository_id);
  const list = new URL(`/${organization_id}?list-type=2&prefix=${private_repository_id}/`, dataUrl);
  const send = (method: string, url: URL, signer?: SigningCredentials) => () => sendObject(method, url, signer);
  await measure('PutObject, cold', send('PUT', restricted, credentials));
  await measure('PutObject, warm', send('PUT', restricted, credentials), 0);
  await measure('GetObject, warm', send('GET', restricted, credentials), 0);
  await measure('ListObjectsV2, warm', send('GET', list, credentials), 0);
  await send('PUT', open, credentials)();
  await measure('GetObject without credentials, cold', send('GET', open));
  await measure('GetObject without credentials, warm', send('GET', open), 0);
  return rows;
}

async function sendObject(method: string, url: URL, signer: SigningCredentials | undefined): Promise<void> {
  const headers = signer === undefined ? {} : signedHeaders(method, url, signer);
  const answer = await fetch(url, { method, headers, ...(method === 'PUT' ? { body: 'bench' } : {}) });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${method} ${url.pathname} answered ${answer.status}`);
}
