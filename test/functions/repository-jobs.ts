import { S3Client } from '@aws-sdk/client-s3';
import { emptyTally, inventoryOf } from '../../lib/domain/data/inventory.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import type { LocalService } from '../../lib/local/service.ts';
import type { RepositoryJobServices } from '../../lib/repository-jobs/run.ts';
import { runDueRepositoryJobs } from '../../lib/repository-jobs/run-due.ts';
import type { TestService } from '../service/test-service.ts';
import { connection } from './users.ts';

/** Returns a function that runs the repository jobs as a deployment does, but moves the clock instead of waiting. */
export function jobRunner(service: TestService, failures: unknown[] = []) {
  return (changes: Partial<RepositoryJobServices> = {}) =>
    runDueRepositoryJobs({
      versions: service.services.store.repositoryVersions,
      jobs: service.repositoryJobStore,
      readConnection: (id) => service.services.store.requestData.findDataConnection(id),
      secrets: service.services.connectionSecrets,
      roles: () => Promise.reject(new Error('no connection here has a role')),
      clock: service.services.clock,
      pause: async (milliseconds) => service.advance(milliseconds / 1000),
      log: (failure) => failures.push(failure),
      ...changes,
    });
}

/**
 * Returns a function that sends a request to storage with a client of its own, at the time of the service. Each
 * response resets its client to the clock of the machine.
 */
export function storageClient({ storage, services }: Pick<TestService, 'storage' | 'services'>) {
  const { endpoint, region, access_key_id, secret_access_key } = storage;
  return async <Answer>(send: (s3: S3Client) => Promise<Answer>): Promise<Answer> => {
    const s3 = new S3Client({
      ...{ endpoint, region, forcePathStyle: true, maxAttempts: 1 },
      credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
      systemClockOffset: services.clock() - Date.now(),
    });
    return send(s3).finally(() => s3.destroy());
  };
}

/**
 * Returns a function that creates the body of a data connection that writes below the prefix `<id>/` of the storage.
 */
export function writingConnection({ storage }: Pick<TestService, 'storage'>) {
  const { endpoint, region, bucket, access_key_id, secret_access_key } = storage;
  const authentication = { type: 's3_access_key', access_key_id, secret_access_key };
  return (id: string, changes: object = {}) => {
    const details = { provider: 's3', bucket, region, endpoint, base_prefix: `${id}/` };
    return connection(id, { details, authentication, read_only: false, ...changes });
  };
}

/** Ends all due inventory walks as if they had found no files. */
export async function endWalks({
  repositoryJobStore,
  services,
}: Pick<LocalService, 'repositoryJobStore' | 'services'>) {
  const now = services.clock();
  for (const job of await repositoryJobStore.listDue('inventories', now)) {
    if (job.kind !== 'inventory') continue;
    const result = inventoryOf(emptyTally, toTimestamp(now), true);
    await repositoryJobStore.finishInventory(job, result, { interval_seconds: job.interval_seconds, now });
  }
}
