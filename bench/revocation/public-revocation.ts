import { issueServiceAccountKey } from '../../lib/domain/service-accounts/service-account-key.ts';
import { systemRandom } from '../../lib/lambda/random.ts';
import { seedNames } from '../../lib/local/seed.ts';
import { distribution, distributionColumns, printTable } from '../report.ts';
import { startSeededService } from '../seeded-service.ts';
import { storeKey } from '../stored-key.ts';

const rounds = 200;
const warmUp = 20;

/** Measures the public revocation of a live, a revoked, and an unknown key, in turns. */
export async function benchPublicRevocation(): Promise<void> {
  const service = await startSeededService();
  try {
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
      // One key at a time, because an account has at most fifty unrevoked keys.
      const key = await storeKey(service, seedNames.service_account_id);
      const took = {
        live: await revoke(key),
        revoked: await revoke(key),
        unknown: await revoke(issueServiceAccountKey(systemRandom)),
      };
      if (round < 0) continue;
      for (const kind of ['live', 'revoked', 'unknown'] as const) times[kind].push(took[kind]);
    }
    printTable(
      `Public revocation of a key, ${rounds} each, in turns: milliseconds to the 204`,
      ['', ...distributionColumns],
      Object.entries(times).map(([kind, samples]) => [kind, ...distribution(samples)]),
    );
  } finally {
    await service.close();
  }
}
