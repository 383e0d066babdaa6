import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { RepositoryMeta } from '../../../lib/domain/data/repositories.ts';
import { versionsUidOf } from '../../../lib/domain/data/repository-versions.ts';
import { limits } from '../../../lib/domain/limits.ts';
import { systemRandom } from '../../../lib/lambda/random.ts';
import { openTable } from '../../../lib/lambda/table.ts';
import { encodeIndex, encodePage, partName } from '../../../lib/s3/versions/manifest.ts';
import { entryOf } from '../../../lib/search/entry.ts';
import { encodeSegment, SegmentBuilder } from '../../../lib/search/segment.ts';
import { encodeRepository } from '../../../lib/store/repositories/repositories.ts';
import { createStore, type Store } from '../../../lib/store/store.ts';
import type { TableItems } from '../../functions/table-items.ts';
import { connection, createOrganization, made, repository, signUpAdmin, signUpFounder } from '../../functions/users.ts';
import { madeCatalogue } from '../../lib/search/made-catalogue.ts';
import { auditEvent, newRepository } from '../../lib/store/open-store.ts';
import { engineOfThisFile } from '../../service/engine-of-this-file.ts';
import type { HostileStorage } from './hostile-storage.ts';
import type { MeasuredService } from './service-process.ts';

/**
 * Metadata with the largest fields that the API accepts. Each field repeats the character that becomes longest in HTML.
 */
const largestMeta: RepositoryMeta = {
  title: '&'.repeat(limits.repositoryMetaLengthMax),
  description: '&'.repeat(limits.repositoryMetaLengthMax),
  tags: 'a,'.repeat(limits.repositoryMetaLengthMax / 2),
  citation: '&'.repeat(limits.repositoryMetaBytesMax - 3 * limits.repositoryMetaLengthMax - 3000),
  homepage: `https://x.y/${'z'.repeat(800)}`,
  keywords: Array.from({ length: limits.keywordsMax }, (_, at) => String(at).padEnd(10, '&')),
};

const largestProfile = {
  name: '&'.repeat(limits.profileNameLengthMax),
  bio: '&'.repeat(limits.profileBioLengthMax),
  location: '&'.repeat(limits.profileLocationLengthMax),
  url: `https://x.y/${'z'.repeat(limits.webUrlLengthMax - 12)}`,
};

/** One account's repositories with the largest metadata, up to the limit of an account. */
const largeRepositories = limits.repositoriesMax;
/** The number of additional entries in the catalogue's index. */
const catalogueSize = 10_000;

const moment = (at: number) => new Date(Date.UTC(2028, 0, 1) + at * 1000).toISOString();

/**
 * The account `hermit` with the open repository `gauges`, and the account `publisher` with the maximum number of
 * repositories.
 */
export async function storeHostileData(
  service: MeasuredService,
  table: TableItems,
  hostile: HostileStorage,
): Promise<void> {
  const { storage } = hostile;
  const admin = await signUpAdmin(service);
  const owner = await signUpFounder(service, admin, 'owner');
  await createOrganization(owner, 'hermit');
  await createOrganization(owner, 'publisher');
  const { endpoint, bucket, region, access_key_id, secret_access_key } = storage;
  const details = { provider: 's3', bucket, base_prefix: '', region, endpoint };
  const authentication = { type: 's3_access_key', access_key_id, secret_access_key };
  await made(admin('POST', '/data-connections', connection('store-one', { details, authentication })));
  await made(owner('POST', '/repositories/hermit', repository('gauges', { meta: largestMeta })));
  await made(owner('PUT', '/repositories/hermit/gauges', { meta: largestMeta, state: 'listed' }));
  for (const name of ['hermit', 'publisher']) await made(owner('PUT', `/accounts/${name}/profile`, largestProfile));
  await table.stopStream();
  const large = Array.from({ length: largeRepositories }, (_, at) =>
    newRepository('publisher', `large-${at}`, { meta: largestMeta, published: moment(at), updated: moment(at) }),
  );
  await table.putAll(large.map(encodeRepository));
  const client = new DynamoDBClient(engineOfThisFile());
  const store = createStore(openTable(client, table.tableName));
  await storeVersions(store, hostile);
  const builder = new SegmentBuilder();
  for (const each of large) builder.add(entryOf(each));
  for (const each of madeCatalogue(catalogueSize).repositories()) builder.add(entryOf(each));
  const index = { index_id: systemRandom.uuid(), as_of: new Date().toISOString(), repositories: builder.size };
  await store.searchIndex.useIndex(encodeSegment(builder.finish()), index);
  client.destroy();
}

/** Prefixes of keys. Two versions with keys of such a prefix cost as much as possible to compare. */
export const comparedKeys = {
  short: 'a',
  usual: 'measurements/2026/08/level-of-the-gauge-',
  long: 'a'.repeat(1000),
  controls: '\u0001'.repeat(1000),
  letters: '\ufdfa'.repeat(330),
} as const;

/**
 * Stores two versions of `hermit/gauges` for each kind of key. Both versions have the same keys, but all objects
 * differ.
 */
async function storeVersions(store: Store, { storage, setPart }: HostileStorage): Promise<void> {
  const [repository] = await store.repositoryLists.named('hermit', ['gauges']);
  const mirror = repository?.data.mirrors[repository.data.primary_mirror];
  const connection = await store.requestData.findDataConnection(mirror?.data_connection_id ?? '');
  if (repository === undefined || mirror === undefined || connection === undefined) throw new Error('not stored');
  const { data_connection_id, uid: connection_uid } = connection;
  for (const [kind, beginning] of Object.entries(comparedKeys)) {
    for (const name of ['a', 'b']) {
      const pages = Array.from({ length: limits.comparedPagesMax }, (_, page) => {
        const first = page * limits.manifestPageEntries;
        const entries = Array.from({ length: limits.manifestPageEntries }, (__, at) => ({
          key: beginning + String(first + at).padStart(9, '0'),
          ...{
            size: at,
            etag: `${name}${at}`.padEnd(32, 'e'),
            version_id: 'v'.repeat(32),
            modified: 1_790_000_000_000,
          },
        }));
        const part = encodePage(entries);
        setPart(partName(part.sha256), part.bytes);
        return { first: entries[0]?.key ?? '', sha256: part.sha256, entries: entries.length };
      });
      const index = encodeIndex(pages);
      setPart(partName(index.sha256), index.bytes);
      const version = {
        ...{ version_uid: randomUUID(), name: `${kind}-${name}`, state: 'ready' as const, notes: '' },
        ...{ created_at: moment(0), frozen_at: moment(0), keys: 1, bytes: 1, index_sha256: index.sha256 },
        ...{ versions_uid: versionsUidOf(repository), created_by: 'owner' },
        storage: { data_connection_id, connection_uid, bucket: storage.bucket, prefix: mirror.prefix },
      };
      await store.repositoryVersions.create(version, repository, auditEvent('hermit'));
    }
  }
}
