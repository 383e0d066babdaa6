import { hashServiceAccountKey, issueServiceAccountKey } from '../lib/domain/service-account-key.ts';
import { systemChance } from '../lib/runtime/chance.ts';
import { printTable } from './report.ts';
import { startSeededService } from './seeded-service.ts';

const rounds = 200;
const warmUp = 20;

/** How long the public revocation takes for a live, a revoked and an unknown key, asked in turns. */
export async function benchPublicRevocation(): Promise<void> {
  const service = await startSeededService();
  try {
    const { serviceAccount } = await service.services.store.facts.readFacts({
      serviceAccountId: 'tide-institute--nightly-sync',
    });
    if (serviceAccount === undefined) throw new Error('the seed has a service account');
    const { service_account_id, uid } = serviceAccount;
    const { serviceAccountKeys } = service.services.store;

    // One key at a time, since an account has at most fifty that are not revoked.
    const issue = async () => {
      const key = issueServiceAccountKey(systemChance);
      const now = Date.now();
      const record = {
        key_hash: hashServiceAccountKey(key),
        key_id: systemChance.uuid(),
        service_account_id,
        service_account_uid: uid,
        label: 'bench',
        expires_at: null,
        last_used_at: null,
        revoked_at: null,
        created_at: new Date(now).toISOString(),
      };
      await serviceAccountKeys.create(serviceAccount, record, {
        event_id: systemChance.uuid(),
        time: record.created_at,
        kind: 'service_account_key.issued',
        account_id: 'tide-institute',
        actor: { account_id: 'ada' },
        subject: { key_id: record.key_id },
        request_id: 'bench',
      });
      return key;
    };

    const revoke = async (key: string) => {
      const startedAt = performance.now();
      const answer = await fetch(`${service.apiUrl}/api/v1/service-account-keys/revocations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ key }),
      });
      const milliseconds = performance.now() - startedAt;
      if (answer.status !== 204) throw new Error(`the revocation answered ${answer.status}`);
      return milliseconds;
    };

    const times: Record<'live' | 'revoked' | 'unknown', number[]> = { live: [], revoked: [], unknown: [] };
    for (let round = -warmUp; round < rounds; round += 1) {
      const key = await issue();
      const took = {
        live: await revoke(key),
        revoked: await revoke(key),
        unknown: await revoke(issueServiceAccountKey(systemChance)),
      };
      if (round < 0) continue;
      for (const kind of ['live', 'revoked', 'unknown'] as const) times[kind].push(took[kind]);
    }
    printTable(
      `Public revocation of a key, ${rounds} each, in turns: milliseconds to the 204`,
      ['', 'p10', 'p50', 'p90', 'p99', 'max'],
      Object.entries(times).map(([kind, samples]) => [
        kind,
        ...[0.1, 0.5, 0.9, 0.99, 1].map((at) => quantile(samples, at)),
      ]),
    );
  } finally {
    await service.close();
  }
}

function quantile(samples: readonly number[], at: number): string {
  const sorted = samples.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(at * sorted.length))] ?? Number.NaN).toFixed(2);
}
