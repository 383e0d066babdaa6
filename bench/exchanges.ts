import { issueServiceAccountKey } from '../lib/domain/service-accounts/service-account-key.ts';
import { systemRandom } from '../lib/lambda/random.ts';
import { seedNames } from '../lib/local/seed.ts';
import { ciToken } from './ci-token.ts';
import { LoadConnection, prepareRequest } from './load/load-connection.ts';
import { managerOf } from './management.ts';
import { distribution, distributionColumns, goal, printTable } from './report.ts';
import { type SeededService, startSeededService } from './seeded-service.ts';
import { exchangeForm } from './signed-request.ts';
import { storeKey } from './stored-key.ts';

const atOnce = 1000;
const refusals = 200;
const warmUp = 20;

/** Measures 1,000 concurrent exchanges, and the time to refuse each kind of invalid key. */
export async function benchExchanges(): Promise<void> {
  const throttles = { per_ip_per_minute: Number.MAX_SAFE_INTEGER, per_key_per_minute: Number.MAX_SAFE_INTEGER };
  const service = await startSeededService({ throttles });
  try {
    await measureAtOnce(service);
    await measureRefusals(service);
  } finally {
    await service.close();
  }
}

async function measureAtOnce(service: SeededService): Promise<void> {
  const token = await ciToken(service.identity.url, service.dataUrl);
  const rows: string[][] = [];
  for (const [name, identity] of [
    ['by key', service.key],
    ['by CI token', token],
  ] as const) {
    const request = exchangeRequest(service, seedNames.service_account_id, identity);
    const connections = await Promise.all(Array.from({ length: atOnce }, () => LoadConnection.open(request)));
    const settled = await Promise.allSettled(connections.map((connection) => connection.send(request)));
    for (const connection of connections) connection.close();
    const times = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value.totalMs] : []));
    rows.push([name, ...distribution(times), goal(atOnce - times.length, '=', 0, ' failed')]);
  }
  const title = `${atOnce} exchanges at the same moment over as many connections, milliseconds to the answer`;
  printTable(title, ['', ...distributionColumns, 'goal'], rows);
}

async function measureRefusals(service: SeededService): Promise<void> {
  const { organization_id, service_account_id } = seedNames;
  const ada = await managerOf(service, 'ada');
  const disabled = `${organization_id}--bench-disabled`;
  const deleted = `${organization_id}--bench-deleted`;
  for (const name of ['bench-disabled', 'bench-deleted'])
    await ada('POST', `/accounts/${organization_id}/service-accounts`, { name });
  const past = new Date(Date.now() - 60_000).toISOString();
  const keys = {
    revoked: [service_account_id, await storeKey(service, service_account_id, { revoked_at: past })],
    expired: [service_account_id, await storeKey(service, service_account_id, { expires_at: past })],
    'of a disabled account': [disabled, await storeKey(service, disabled)],
    'of a deleted account': [deleted, await storeKey(service, deleted)],
    unknown: [service_account_id, issueServiceAccountKey(systemRandom)],
  } as const;
  await ada('POST', `/service-accounts/${disabled}/disable`);
  await ada('DELETE', `/service-accounts/${deleted}`);

  const times = new Map<string, number[]>();
  for (let round = -warmUp; round < refusals; round += 1) {
    for (const [kind, [account, key]] of Object.entries(keys)) {
      const body = exchangeForm(roleArn(account), key);
      const startedAt = performance.now();
      const answer = await fetch(`${service.dataUrl}/.sts`, { method: 'POST', headers: form, body });
      await answer.text();
      const took = performance.now() - startedAt;
      if (answer.status !== 400) throw new Error(`the exchange of a key that is refused answered ${answer.status}`);
      if (round >= 0) times.set(kind, [...(times.get(kind) ?? []), took]);
    }
  }
  printTable(
    `Refusal of a key by the exchange, ${refusals} each, in turns: milliseconds to the answer`,
    ['', ...distributionColumns],
    [...times].map(([kind, samples]) => [kind, ...distribution(samples)]),
  );
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };

function exchangeRequest({ dataUrl }: SeededService, serviceAccountId: string, token: string) {
  return prepareRequest('POST', new URL('/.sts', dataUrl), form, exchangeForm(roleArn(serviceAccountId), token));
}

function roleArn(serviceAccountId: string): string {
  return `arn:aws:iam::${serviceAccountId}:role/FullAccess`;
}
