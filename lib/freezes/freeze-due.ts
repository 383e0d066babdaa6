import { type AuditEvent, eventWithoutActor } from '../domain/changes/audit.ts';
import type { ConnectionSecrets, DataConnectionRecord } from '../domain/data/data-connections.ts';
import type { RepositoryVersionRecord } from '../domain/data/repository-versions.ts';
import { limits } from '../domain/limits.ts';
import { type Clock, toTimestamp } from '../domain/time.ts';
import type { RoleCredentialSource } from '../edge/assumed-roles.ts';
import type { RepositoryStorage } from '../s3/repository-storage.ts';
import type { FetchStorage } from '../s3/storage-fetch.ts';
import {
  continueFreeze,
  type FreezeCursor,
  type FreezeOutcome,
  firstCursor,
  freezeCursorSchema,
} from '../s3/versions/freeze.ts';
import { openJobStorage } from '../s3/versions/job-storage.ts';
import type { FreezeJob, RepositoryVersionStore } from '../store/repositories/repository-versions.ts';

export interface FreezeDueServices {
  versions: RepositoryVersionStore;
  readConnection: (dataConnectionId: string) => Promise<DataConnectionRecord | undefined>;
  secrets: Pick<ConnectionSecrets, 'open'>;
  roles: RoleCredentialSource;
  clock: Clock;
  /** Waits for the clock of the storage. */
  pause: (milliseconds: number) => Promise<void>;
  log: (failure: unknown) => void;
  /** The default is `fetchBytes`. */
  fetchStorage?: FetchStorage;
}

/**
 * Continues the freezes that are due, one after another, until the time of a run is over. Several runs can work at the
 * same time, each on other versions. A freeze whose run crashed is due again after its reservation.
 */
export async function freezeDueVersions(services: FreezeDueServices): Promise<void> {
  const { versions, clock } = services;
  const endsAt = clock() + limits.freezeRunSeconds * 1000;
  for (const due of await versions.listDueFreezes(clock())) {
    if (clock() >= endsAt) return;
    const until = clock() + limits.freezeReservedSeconds * 1000;
    const job = await versions.claimFreeze(due, until);
    if (job !== undefined) await runJob(job, endsAt, services);
  }
}

async function runJob(claimed: FreezeJob, endsAt: number, services: FreezeDueServices): Promise<void> {
  const { versions, clock, log } = services;
  const run = { job: claimed };
  try {
    const outcome = await freeze(run, endsAt, services);
    if (outcome.kind === 'failed') {
      if (outcome.detail !== undefined) log(new Error(`A freeze failed: ${outcome.detail}`));
      await versions.failFreeze(run.job, outcome.reason, failed(run.job, clock()));
    } else if (outcome.kind === 'ready') {
      const { frozen_at, index_sha256, counts } = outcome;
      const frozen = { ...counts, index_sha256, frozen_at: toTimestamp(frozen_at) };
      await versions.finishFreeze(run.job, frozen, ready(run.job, clock()));
    } else {
      await versions.postponeFreeze(run.job, clock() + outcome.afterSeconds * 1000);
    }
  } catch (error) {
    log(error);
    await retryLater(run.job, services);
  }
}

/** Lets the freeze run again after a pause that grows, or ends it after too many attempts without progress. */
async function retryLater(job: FreezeJob, { versions, clock }: FreezeDueServices): Promise<void> {
  if (job.attempts >= limits.freezeAttemptsMax) {
    await versions.failFreeze(job, 'storage_unavailable', failed(job, clock()));
    return;
  }
  const pauseSeconds = Math.min(10 * 2 ** job.attempts, limits.freezeRetrySecondsMax);
  await versions.postponeFreeze(job, clock() + pauseSeconds * 1000);
}

async function freeze(run: { job: FreezeJob }, endsAt: number, services: FreezeDueServices): Promise<FreezeOutcome> {
  const { versions, clock, pause, fetchStorage } = services;
  const { versions_uid, name, version_uid } = run.job;
  const version = await versions.load(versions_uid, name);
  const opened = await openStorage(version, services);
  if (opened === undefined) return { kind: 'failed', reason: 'connection_gone' };
  const storage = openJobStorage(opened, version_uid, { clock, ...(fetchStorage && { fetchStorage }) });
  const save = async (cursor: FreezeCursor) => {
    const counts = 'counts' in cursor ? cursor.counts : run.job.counts;
    run.job = await versions.saveFreeze(run.job, cursor, counts);
  };
  for (;;) {
    const { cursor } = run.job;
    const from = cursor === undefined ? firstCursor : freezeCursorSchema.parse(JSON.parse(cursor));
    const outcome = await continueFreeze(from, { storage, save, clock, endsAt });
    if (outcome.kind !== 'continues' || clock() >= endsAt) return outcome;
    await pause(outcome.afterSeconds * 1000);
  }
}

/** Returns the storage of a version. Returns undefined if its connection no longer is the one that was recorded. */
async function openStorage(
  { storage }: RepositoryVersionRecord,
  { readConnection, secrets, roles }: FreezeDueServices,
): Promise<RepositoryStorage | undefined> {
  const { data_connection_id, connection_uid, bucket, prefix } = storage;
  const connection = await readConnection(data_connection_id);
  const sealed = connection?.sealed_authentication;
  if (connection === undefined || sealed === undefined || connection.read_only || connection.state === 'draft') {
    return undefined;
  }
  if (connection.uid !== connection_uid || connection.details.bucket !== bucket) return undefined;
  const authentication = await secrets.open(sealed, data_connection_id);
  const credentials =
    authentication.type === 's3_access_key' ? authentication : await roles(connection, authentication);
  return {
    account_id: '',
    repository_id: '',
    data_connection_id,
    details: connection.details,
    isOfAccount: connection.owner_account_id !== undefined,
    prefix,
    credentials,
    authorization_read_at: 0,
  };
}

function ready(job: FreezeJob, now: number): AuditEvent {
  return eventWithoutActor({ ...eventOf(job, now), kind: 'version.ready' });
}

function failed(job: FreezeJob, now: number): AuditEvent {
  return eventWithoutActor({ ...eventOf(job, now), kind: 'version.failed' });
}

function eventOf({ account_id, repository_id, version_uid, name }: FreezeJob, now: number) {
  const subject = { account_id, repository_id, version_uid, name };
  return { event_id: version_uid, time: toTimestamp(now), account_id, subject };
}
