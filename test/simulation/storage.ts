import { hash } from 'node:crypto';
import { ServiceError } from '../../lib/domain/errors.ts';
import type { FetchStorage } from '../../lib/s3/storage-fetch.ts';
import type { Kernel } from './kernel.ts';
import type { Random } from './random.ts';

interface StoredVersion {
  name: string;
  version_id: string;
  /**
   * The time of the object in milliseconds since the Unix epoch. For a multipart upload, the time at which the upload
   * began.
   */
  modified: number;
  /** The content of the version. Undefined for a delete marker. */
  content: string | undefined;
  etag: string;
}

interface Upload {
  name: string;
  upload_id: string;
  initiated: number;
  content: string;
}

/** The page size of lists. It is small, so that most freezes read several pages. */
const pageMax = 3;
const attemptsMs = 3000;
const lateMs = 25_000;

/**
 * A bucket with object versioning in memory. It answers the requests of background jobs, of lists, and of reads of a
 * version, as the S3 API Reference describes them. Names are the complete names in the bucket.
 */
export class SimulatedStorage {
  /** Every change of a current object, in order. */
  readonly log: { at: number; name: string; content: string | undefined }[] = [];
  /** The names in each request that deletes several objects, and the prefix of each list request. */
  readonly deletions: { at: number; names: string[] }[] = [];
  readonly lists: { at: number; prefix: string }[] = [];
  readonly uploads: Upload[] = [];
  /** Until this time, some requests to the storage get no answer, although half of them take effect. */
  failsUntil = 0;
  readonly #kernel: Kernel;
  readonly #random: Random;
  /** The versions of each object, newest first. */
  readonly #versions = new Map<string, StoredVersion[]>();
  #count = 0;

  constructor(kernel: Kernel, random: Random) {
    this.#kernel = kernel;
    this.#random = random;
  }

  /** Copies all objects of another storage. */
  load(storage: SimulatedStorage): void {
    this.log.push(...storage.log);
    for (const [name, versions] of storage.#versions) this.#versions.set(name, versions);
    this.#count = storage.#count;
  }

  put(name: string, content: string | undefined, modified = this.#kernel.now, etag = hash('md5', content ?? '')) {
    this.#count += 1;
    const version = { name, version_id: `${this.#count}`, modified, content, etag };
    this.#versions.set(name, [version, ...(this.#versions.get(name) ?? [])]);
    this.log.push({ at: this.#kernel.now, name, content });
    return version;
  }

  begin(name: string, content: string): void {
    this.#count += 1;
    this.uploads.push({ name, upload_id: `${this.#count}`.padStart(6, '0'), initiated: this.#kernel.now, content });
  }

  complete(upload: Upload): void {
    this.uploads.splice(this.uploads.indexOf(upload), 1);
    this.put(upload.name, upload.content, upload.initiated, `${hash('md5', upload.content)}-1`);
  }

  /** Returns a version of an object. Without an ID, returns the current object. */
  find(name: string, versionId?: string | null): StoredVersion | undefined {
    const versions = this.#versions.get(name) ?? [];
    const found = versionId ? versions.find(({ version_id }) => version_id === versionId) : versions[0];
    return found?.content === undefined ? undefined : found;
  }

  /** Returns the current objects below a prefix, in the order of their names. */
  current(prefix: string): StoredVersion[] {
    const all = [...this.#versions.values()].flatMap(([newest]) => newest ?? []);
    const found = all.filter(({ name, content }) => content !== undefined && name.startsWith(prefix));
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  readonly fetch: FetchStorage = async ({ method, rawPath, rawQuery }, body) => {
    await this.#kernel.wait(1 + this.#random.below(30));
    const isFailing = this.#kernel.now < this.failsUntil && this.#random.chance(0.5);
    if (isFailing) this.#kernel.met('storage without an answer');
    if (isFailing && this.#random.chance(0.5)) return this.#lose();
    // A deletion of many objects can take effect late, when its client still waits for the answer.
    if (isFailing && method === 'POST') await this.#kernel.wait(this.#random.below(lateMs));
    const answer = this.#answer(method, decodeURIComponent(rawPath.slice(1)), new URLSearchParams(rawQuery), body);
    if (isFailing) return this.#lose();
    await this.#kernel.wait(1 + this.#random.below(30));
    return answer;
  };

  async #lose(): Promise<never> {
    await this.#kernel.wait(attemptsMs);
    throw new ServiceError('unavailable', 'The simulated storage did not answer.');
  }

  #answer(method: string, name: string, query: URLSearchParams, body: Uint8Array) {
    const answered = (status: number, headers: Record<string, string> = {}, content = Buffer.alloc(0)) => ({
      status,
      headers,
      body: content,
    });
    const idOf = ({ version_id }: StoredVersion) => ({ 'x-amz-version-id': version_id });
    if (method === 'PUT') return answered(200, idOf(this.put(name, Buffer.from(body).toString('latin1'))));
    if (method === 'DELETE') return answered(204, idOf(this.put(name, undefined)));
    if (query.has('versions')) return answered(200, {}, Buffer.from(this.#listVersions(query)));
    if (query.has('delete')) return answered(200, {}, Buffer.from(this.#deleteAll(Buffer.from(body).toString())));
    if (name === '' && query.has('prefix') && !query.has('uploads'))
      return answered(200, {}, Buffer.from(this.#listObjects(query)));
    if (query.has('uploads')) return answered(200, {}, Buffer.from(this.#listUploads(query)));
    const found = this.find(name, query.get('versionId'));
    if (found === undefined) return answered(404, {}, Buffer.from('<Error><Code>NoSuchKey</Code></Error>'));
    const headers = {
      ...idOf(found),
      'last-modified': new Date(found.modified).toUTCString(),
      'content-length': String(found.content?.length),
      etag: `"${found.etag}"`,
    };
    return answered(200, headers, method === 'HEAD' ? undefined : Buffer.from(found.content ?? '', 'latin1'));
  }

  /**
   * Deletes all objects of a `DeleteObjects` request. The bucket has object versioning, so it writes delete markers.
   */
  #deleteAll(document: string): string {
    const names = [...document.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, name = '']) => name);
    this.deletions.push({ at: this.#kernel.now, names });
    for (const name of names) this.put(name, undefined);
    const deleted = names.map((name) => `<Deleted><Key>${name}</Key><DeleteMarker>true</DeleteMarker></Deleted>`);
    return `<DeleteResult>${deleted.join('')}</DeleteResult>`;
  }

  /** Lists the current objects, for list versions 1 and 2. */
  #listObjects(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? '';
    this.lists.push({ at: this.#kernel.now, prefix });
    const after = query.get('marker') ?? query.get('continuation-token') ?? query.get('start-after') ?? '';
    const rest = this.current(prefix).filter(({ name }) => name > after);
    const page = rest.slice(0, pageMax);
    const next = rest.length > pageMax ? encodeURIComponent(page.at(-1)?.name ?? '') : undefined;
    const listed = page.map(
      ({ name, modified, content = '', etag }) =>
        `<Contents><Key>${encodeURIComponent(name)}</Key>${dated('LastModified', modified)}<ETag>"${etag}"</ETag><Size>${content.length}</Size></Contents>`,
    );
    const position = next && `<NextMarker>${next}</NextMarker><NextContinuationToken>${next}</NextContinuationToken>`;
    return `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${next !== undefined}</IsTruncated>${position ?? ''}${listed.join('')}</ListBucketResult>`;
  }

  #listVersions(query: URLSearchParams): string {
    const all = [...this.#versions].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, versions]) => versions);
    const render = ({ name, version_id, modified, content, etag }: StoredVersion) => {
      const kind = content === undefined ? 'DeleteMarker' : 'Version';
      const object = content === undefined ? '' : `<Size>${content.length}</Size><ETag>"${etag}"</ETag>`;
      return `<${kind}><Key>${encodeURIComponent(name)}</Key><VersionId>${version_id}</VersionId>${dated('LastModified', modified)}${object}</${kind}>`;
    };
    const idOf = ({ version_id }: StoredVersion) => version_id;
    return listed('ListVersionsResult', all, query, { id: 'VersionId', idOf, render });
  }

  #listUploads(query: URLSearchParams): string {
    const all = this.uploads.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const render = ({ name, upload_id, initiated }: Upload) =>
      `<Upload><Key>${encodeURIComponent(name)}</Key><UploadId>${upload_id}</UploadId>${dated('Initiated', initiated)}</Upload>`;
    const idOf = ({ upload_id }: Upload) => upload_id;
    return listed('ListMultipartUploadsResult', all, query, { id: 'UploadId', idOf, render });
  }
}

/** S3 lists times in whole seconds. */
function dated(element: string, milliseconds: number): string {
  return `<${element}>${new Date(Math.floor(milliseconds / 1000) * 1000).toISOString()}</${element}>`;
}

/** Returns one page of a list that continues after the last item of the page before. */
function listed<Item extends { name: string }>(
  root: string,
  all: readonly Item[],
  query: URLSearchParams,
  { id, idOf, render }: { id: 'VersionId' | 'UploadId'; idOf: (item: Item) => string; render: (item: Item) => string },
): string {
  const [key, after] = [
    query.get('key-marker'),
    query.get(id === 'VersionId' ? 'version-id-marker' : 'upload-id-marker'),
  ];
  const last = all.findIndex((item) => item.name === key && idOf(item) === after);
  // The upload at the end of the last page may be complete by now.
  const follows = (item: Item) => item.name > (key ?? '') || (item.name === key && idOf(item) > (after ?? ''));
  const isAfter = (item: Item, at: number) => key === null || (last < 0 ? follows(item) : at > last);
  const rest = all.filter((item, at) => item.name.startsWith(query.get('prefix') ?? '') && isAfter(item, at));
  const page = rest.slice(0, pageMax);
  const end = page.at(-1);
  const next =
    end === undefined || rest.length <= pageMax
      ? ''
      : `<NextKeyMarker>${encodeURIComponent(end.name)}</NextKeyMarker><Next${id}Marker>${idOf(end)}</Next${id}Marker>`;
  const isTruncated = `<IsTruncated>${next !== ''}</IsTruncated>`;
  return `<${root}><EncodingType>url</EncodingType>${isTruncated}${next}${page.map(render).join('')}</${root}>`;
}
