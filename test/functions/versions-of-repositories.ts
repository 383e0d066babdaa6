import { eventWithoutActor } from '../../lib/domain/changes/audit.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import type { LocalService } from '../../lib/local/service.ts';

/** Ends the freeze of a version, as the background job does. */
export async function makeReady(
  { services, repositoryJobStore }: Pick<LocalService, 'services' | 'repositoryJobStore'>,
  { version_uid }: { version_uid: string },
) {
  const job = await repositoryJobStore.find(version_uid);
  if (job?.kind !== 'freeze') throw new Error(`no job freezes ${version_uid}`);
  const { account_id, repository_id, name } = job;
  const time = toTimestamp(services.clock());
  const event = eventWithoutActor({
    ...{ event_id: `${version_uid}-ready`, time, kind: 'version.ready', account_id },
    subject: { account_id, repository_id, version_uid, name },
  });
  const frozen = { frozen_at: time, keys: 3, bytes: 30, stored_versions: 5, index_sha256: 'a'.repeat(64) };
  await repositoryJobStore.finishFreeze(job, frozen, event);
}
