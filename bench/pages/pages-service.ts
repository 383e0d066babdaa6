import { createServer } from 'node:http';
import { listenOnLoopback } from '../../lib/local/ports.ts';
import { seedNames } from '../../lib/local/seed.ts';
import { publishSeedData } from '../../lib/local/seed-data.ts';
import { runAsChild } from '../child-process.ts';
import { managementClient, startSeededService } from '../seeded-service.ts';

export interface PagesService {
  apiUrl: string;
  /** The paths of the measured pages, by a name for their content. */
  pages: Readonly<Record<string, string>>;
}

const filesInFolder = 100_000;
const filler = 30;

// Emulates storage that can list a folder with any number of keys. The benchmark measures the service that uses it.
const storage = createServer((request, response) => {
  response.end(listOf(new URL(request.url ?? '/', 'http://storage').searchParams));
});
const endpoint = `http://127.0.0.1:${await listenOnLoopback(storage, 0)}`;
const service = await startSeededService({ withDataSet: true });
await publishSeedData(service);
const admin = await managementClient(service, seedNames.admin.identity_id);
const user = await managementClient(service, seedNames.user.identity_id);
const collection = `/repositories/${seedNames.organization_id}`;
const meta = { description: 'Water levels of a day, every six minutes', tags: 'tides', license: 'CC0-1.0' };

await admin('POST', '/data-connections', {
  data_connection_id: 'full-store',
  name: 'A storage with many files',
  read_only: true,
  allowed_data_modes: ['open'],
  details: { provider: 's3', bucket: 'full', base_prefix: '', region: 'eu-west-1', endpoint },
});
for (let at = 0; at < filler; at += 1) {
  const repository_id = at === 0 ? 'many-files' : `series-${at}`;
  const body = { repository_id, data_mode: 'open', meta: { ...meta, title: `Series ${at}` } };
  await user('POST', collection, { ...body, data_connection_id: 'full-store' });
  await user('PUT', `${collection}/${repository_id}`, { meta: body.meta, state: 'listed' });
}

const { organization_id, data_repository_id } = seedNames;
const repository = `/${organization_id}/${data_repository_id}`;
const pages: PagesService['pages'] = {
  front: '/',
  search: '/-/search?q=series',
  account: `/${organization_id}`,
  repository,
  [`folder of ${filesInFolder.toLocaleString('en')}`]: `/${organization_id}/many-files/all/`,
  file: `${repository}/countries.csv`,
  sitemap: '/sitemap.xml',
};
runAsChild({ apiUrl: service.apiUrl, pages } satisfies PagesService, async () => {
  await service.close();
  storage.closeAllConnections();
  storage.close();
});

function listOf(query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const from = Number(query.get('continuation-token') ?? 0);
  const end = Math.min(filesInFolder, from + Number(query.get('max-keys') ?? 1000));
  const contents = Array.from({ length: end - from }, (_, at) => {
    const key = `${prefix}file-${String(from + at).padStart(6, '0')}.csv`;
    return `<Contents><Key>${key}</Key><Size>7</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`;
  });
  const isCut = end < filesInFolder;
  const next = isCut ? `<NextContinuationToken>${end}</NextContinuationToken>` : '';
  return `<ListBucketResult><IsTruncated>${isCut}</IsTruncated>${next}<KeyCount>${end - from}</KeyCount>${contents.join('')}</ListBucketResult>`;
}
