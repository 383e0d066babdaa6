import type { Clock } from '../domain/time.ts';
import { issuerShards, type RegisteredIssuerStore } from '../store/registered-issuers.ts';
import { settleAll } from '../store/table.ts';
import type { FetchIssuerKeys } from './fetch-keys.ts';

export interface IssuerRefreshServices {
  store: { registeredIssuers: RegisteredIssuerStore };
  fetchIssuerKeys: FetchIssuerKeys;
  clock: Clock;
}

/**
 * Fetches the keys of the issuers whose fetch is due. It handles the issuers of a shard one after another. To limit the
 * duration of a run, it reads one page of each shard, and the next run continues with the remaining issuers.
 */
export async function refreshDueIssuers(services: IssuerRefreshServices): Promise<void> {
  await settleAll(issuerShards.map((shard) => refreshShard(shard, services)));
}

async function refreshShard(shard: string, { store, fetchIssuerKeys, clock }: IssuerRefreshServices): Promise<void> {
  const { registeredIssuers } = store;
  for (const due of await registeredIssuers.listDue(shard, clock())) {
    const now = clock();
    const claimed = await registeredIssuers.claim(due, now);
    if (claimed === undefined) continue;
    // Fetch no keys if no workflow of the issuer is trusted, because none of its tokens can then sign in.
    if ((await registeredIssuers.countTrusts(claimed, 1)) === 0) await registeredIssuers.postpone(claimed, now);
    else await registeredIssuers.recordFetch(claimed, await fetchIssuerKeys(claimed.issuer), now);
  }
}
