import { randomUUID } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import type { RepositoryVersionRecord } from '../../lib/domain/data/repository-versions.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import type { RepositoryStorage } from '../../lib/s3/repository-storage.ts';
import { openJobStorage } from '../../lib/s3/versions/job-storage.ts';
import { encodeIndex, encodePage, type ManifestEntry } from '../../lib/s3/versions/manifest.ts';
import { entriesOf, freeze, setVersioning } from '../lib/s3/versions/freeze-fixture.ts';
import { auditEvent } from '../lib/store/open-store.ts';
import type { SeededService } from './seeded-service.ts';

/** Returns functions that freeze repositories of the seeded organization, with a client of the storage. */
export function versionsOf(service: SeededService) {
  const account_id = 'tide-institute';
  const { store, clock } = service.services;
  const { endpoint, region, bucket, access_key_id, secret_access_key } = service.storage;
  const storageClient = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
  });

  /** Returns the storage of a repository, and the data that is stored for a version. */
  async function placeOf(repository_id: string) {
    const [repository] = await store.repositoryLists.named(account_id, [repository_id]);
    const mirror = repository?.data.mirrors[repository.data.primary_mirror];
    const connection = await store.requestData.findDataConnection(mirror?.data_connection_id ?? '');
    if (repository?.uid === undefined || mirror === undefined || connection === undefined)
      throw new Error('not seeded');
    const { data_connection_id, details, uid } = connection;
    const storage: RepositoryStorage = {
      account_id,
      repository_id,
      data_connection_id,
      details,
      isOfAccount: false,
      prefix: details.base_prefix + mirror.prefix,
      credentials: { access_key_id, secret_access_key },
      authorization_read_at: 0,
    };
    const recorded = { data_connection_id, connection_uid: uid, bucket, prefix: storage.prefix };
    return { s3: storageClient, storage, clock, versions_uid: repository.uid, recorded };
  }

  /**
   * Freezes a repository and stores the version's record. If `falsify` is given, the version gets a manifest of the
   * entries that it returns.
   */
  async function createVersion(
    repository_id: string,
    name: string,
    changes: Partial<RepositoryVersionRecord> = {},
    falsify?: (entries: readonly ManifestEntry[]) => readonly ManifestEntry[],
  ) {
    const place = await placeOf(repository_id);
    await setVersioning(place, 'Enabled');
    const version_uid = randomUUID();
    const before = async (step: string) => {
      if (step === 'wait') service.advance(1);
    };
    const sizes = { pageEntries: 3, listedPagesPerSave: 100 };
    const { outcome } = await freeze(place, { versionUid: version_uid, before, sizes });
    const { pages, entries } = await entriesOf(place, version_uid, outcome);
    if (outcome.kind !== 'ready') throw new Error(outcome.reason);
    let { index_sha256 } = outcome;
    if (falsify !== undefined) {
      const parts = openJobStorage(place.storage, version_uid, place);
      const page = encodePage(falsify(entries));
      const index = encodeIndex([
        { first: falsify(entries)[0]?.key ?? '', sha256: page.sha256, entries: entries.length },
      ]);
      for (const part of [page, index]) await parts.putPart(part);
      index_sha256 = index.sha256;
    }
    const record: RepositoryVersionRecord = {
      version_uid,
      name,
      state: 'ready',
      notes: '',
      created_at: toTimestamp(clock()),
      frozen_at: toTimestamp(outcome.frozen_at),
      keys: outcome.counts.keys,
      bytes: outcome.counts.bytes,
      index_sha256,
      versions_uid: place.versions_uid,
      created_by: 'ada',
      storage: place.recorded,
      ...changes,
    };
    const identity = { account_id, repository_id, uid: place.versions_uid };
    await store.repositoryVersions.create(record, identity, auditEvent(account_id));
    const partKey = (sha256: string) => `${place.storage.prefix}.sluice/versions/${version_uid}/${sha256}.json.gz`;
    return { place, pages, entries, partKey, indexKey: partKey(index_sha256) };
  }

  return { placeOf, createVersion, storageClient };
}
