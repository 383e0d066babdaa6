import { signIn } from '../../service/data-clients.ts';
import { startSeededService } from '../../service/seeded-service.ts';
import { sendAnonymous, sendSigned } from '../../service/signed-requests.ts';
import { Recording } from './recording.ts';

interface Sent {
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
  /** The credentials that sign the request. `nobody` sends an unsigned request. */
  as?: 'writer' | 'reader' | 'nobody';
  expiresIn?: number;
  signedAt?: number;
  secretAccessKey?: string;
}

const bucket = '/tide-institute';
const open = `${bucket}/tide-gauges`;
const drafts = `${bucket}/raw-drafts`;

/** Records every S3 operation of the data proxy, and its refusals. */
export async function recordObjects(): Promise<Recording> {
  const service = await startSeededService();
  const recording = new Recording({ data: service.dataUrl, site: service.apiUrl });
  const credentials = {
    writer: await signIn(service, service.key),
    reader: await signIn(service, service.key, { role: 'ReadOnly' }),
  };
  const send = async (title: string, method: string, path: string, sent: Sent = {}) => {
    const { query = {}, headers = {}, body, as = 'writer', expiresIn, signedAt, secretAccessKey } = sent;
    const url = Object.keys(query).length === 0 ? path : `${path}?${new URLSearchParams(query)}`;
    const answer =
      as === 'nobody'
        ? await sendAnonymous(service, method, url, headers, body)
        : await sendSigned(
            service,
            credentials[as],
            { method, path, query, headers, ...(body === undefined ? {} : { body }) },
            {
              ...(expiresIn === undefined ? {} : { expiresIn }),
              ...(signedAt === undefined ? {} : { signedAt }),
              ...(secretAccessKey === undefined ? {} : { secretAccessKey }),
            },
          );
    recording.add(title, answer);
    return answer;
  };
  try {
    // One object.
    const stored = { 'content-type': 'text/csv', 'cache-control': 'max-age=60', 'x-amz-meta-station': 'brest' };
    const put = await send('PutObject', 'PUT', `${open}/a.csv`, { headers: stored, body: '0123456789' });
    const etag = String(put.headers['etag']);
    for (const key of ['list/2025/a', 'list/2025/b', 'list/about', 'list/Küste +%.csv'])
      await send(`PutObject ${key}`, 'PUT', `${open}/${key}`, { body: key });
    await send('PutObject with a checksum', 'PUT', `${drafts}/sum`, {
      headers: { 'x-amz-checksum-crc32': 'DUoRhQ==', 'x-amz-sdk-checksum-algorithm': 'CRC32' },
      body: 'hello world',
    });
    await send('PutObject with a wrong checksum', 'PUT', `${drafts}/sum`, {
      headers: { 'x-amz-checksum-crc32': 'AAAAAA==' },
      body: 'hello world',
    });
    await send('PutObject with a wrong MD5', 'PUT', `${drafts}/sum`, {
      headers: { 'content-md5': 'XUFAKrxLKna5cZ2REBfFkg==' },
      body: 'other',
    });
    await send('PutObject if absent, present', 'PUT', `${open}/a.csv`, {
      headers: { 'if-none-match': '*' },
      body: 'x',
    });
    await send('PutObject if matching, other', 'PUT', `${open}/a.csv`, { headers: { 'if-match': '"x"' }, body: 'x' });
    await send('PutObject by a reader', 'PUT', `${open}/a.csv`, { as: 'reader', body: 'x' });
    await send('PutObject by nobody', 'PUT', `${open}/a.csv`, { as: 'nobody', body: 'x' });
    await send('PutObject with an ACL', 'PUT', `${open}/a.csv`, { headers: { 'x-amz-acl': 'public-read' }, body: 'x' });
    await send('GetObject', 'GET', `${open}/a.csv`);
    await send('GetObject by nobody', 'GET', `${open}/a.csv`, { as: 'nobody' });
    await send('GetObject of another origin', 'GET', `${open}/a.csv`, {
      as: 'nobody',
      headers: { origin: 'https://a.example' },
    });
    await send('preflight', 'OPTIONS', `${open}/a.csv`, {
      as: 'nobody',
      headers: {
        origin: 'https://a.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'range',
      },
    });
    await send('HeadObject', 'HEAD', `${open}/a.csv`);
    await send('HeadObject, absent', 'HEAD', `${open}/absent`);
    for (const range of ['bytes=2-4', 'bytes=7-', 'bytes=-3', 'bytes=10-', 'bytes=0-1,4-5'])
      await send(`GetObject ${range}`, 'GET', `${open}/a.csv`, { headers: { range } });
    await send('GetObject, unchanged', 'GET', `${open}/a.csv`, { headers: { 'if-none-match': etag } });
    await send('GetObject, changed', 'GET', `${open}/a.csv`, { headers: { 'if-match': '"x"' } });
    await send('GetObject with another type', 'GET', `${open}/a.csv`, {
      query: { 'response-content-type': 'text/plain', 'response-content-disposition': 'attachment' },
    });
    await send('GetObject, absent', 'GET', `${open}/absent`);
    await send('GetObject of a private repository by nobody', 'GET', `${drafts}/sum`, { as: 'nobody' });
    await send('GetObject of an unknown repository', 'GET', `${bucket}/unknown/a`);
    await send('GetObject of an unknown account by nobody', 'GET', '/nobody/unknown/a', { as: 'nobody' });
    await send('GetObject with dot segments', 'GET', `${open}/../raw-drafts/sum`, { as: 'nobody' });
    await send('GetObject signed with another secret', 'GET', `${drafts}/sum`, { secretAccessKey: 'other' });
    await send('GetObject signed an hour ago', 'GET', `${drafts}/sum`, { signedAt: Date.now() - 3_600_000 });
    await send('GetObject, presigned', 'GET', `${drafts}/sum`, { expiresIn: 60 });
    await send('GetObject, presigned and expired', 'GET', `${drafts}/sum`, {
      expiresIn: 60,
      signedAt: Date.now() - 120_000,
    });
    await send('PutObject, presigned', 'PUT', `${drafts}/presigned`, { expiresIn: 60, body: 'x' });
    await send('GetObject of a browser, absent', 'GET', `${open}/absent`, {
      as: 'nobody',
      headers: { accept: 'text/html' },
    });
    await send('CopyObject', 'PUT', `${drafts}/copy`, { headers: { 'x-amz-copy-source': `${open}/a.csv` } });
    await send('CopyObject of what is absent', 'PUT', `${drafts}/copy`, {
      headers: { 'x-amz-copy-source': `${open}/absent` },
    });
    await send('CopyObject from a hidden repository', 'PUT', `${drafts}/copy`, {
      headers: { 'x-amz-copy-source': `${bucket}/unknown/a` },
    });
    const tagging = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';
    await send('PutObjectTagging', 'PUT', `${drafts}/copy`, { query: { tagging: '' }, body: tagging });
    await send('GetObjectTagging', 'GET', `${drafts}/copy`, { query: { tagging: '' } });
    await send('DeleteObjectTagging', 'DELETE', `${drafts}/copy`, { query: { tagging: '' } });
    await send('GetObjectAcl', 'GET', `${drafts}/copy`, { query: { acl: '' } });

    // Several objects.
    const list = { 'list-type': '2', prefix: 'tide-gauges/list/' };
    await send('ListObjectsV2', 'GET', bucket, { query: list });
    await send('ListObjectsV2 by folder', 'GET', bucket, { query: { ...list, delimiter: '/' } });
    await send('ListObjectsV2 encoded', 'GET', bucket, { query: { ...list, 'encoding-type': 'url' } });
    const page = await send('ListObjectsV2, first page', 'GET', bucket, { query: { ...list, 'max-keys': '2' } });
    const token = /<NextContinuationToken>([^<]+)/.exec(page.body.toString())?.[1] ?? '';
    await send('ListObjectsV2, second page', 'GET', bucket, { query: { ...list, 'continuation-token': token } });
    await send('ListObjectsV2 after a key', 'GET', bucket, {
      query: { ...list, 'start-after': 'tide-gauges/list/about' },
    });
    await send('ListObjectsV2 by nobody', 'GET', bucket, { query: list, as: 'nobody' });
    await send('ListObjectsV2 of a private repository by nobody', 'GET', bucket, {
      query: { ...list, prefix: 'raw-drafts/' },
      as: 'nobody',
    });
    await send('ListObjectsV2 of the bucket', 'GET', bucket, { query: { 'list-type': '2', delimiter: '/' } });
    await send('ListObjectsV2 with a wrong number', 'GET', bucket, { query: { ...list, 'max-keys': 'many' } });
    await send('ListObjects', 'GET', bucket, { query: { prefix: 'tide-gauges/list/', 'max-keys': '2' } });
    await send('ListObjects after a marker', 'GET', bucket, {
      query: { prefix: 'tide-gauges/list/', marker: 'tide-gauges/list/about' },
    });
    await send('ListBuckets', 'GET', '/');
    await send('ListBuckets by nobody', 'GET', '/', { as: 'nobody' });
    await send('HeadBucket', 'HEAD', bucket);
    await send('GetBucketLocation', 'GET', bucket, { query: { location: '' } });
    await send('CreateBucket', 'PUT', bucket);
    await send('CreateBucket of another', 'PUT', '/unknown-bucket');
    await send('GetBucketVersioning', 'GET', bucket, { query: { versioning: '' } });

    // Multipart uploads.
    const at = `${drafts}/parts`;
    const begun = await send('CreateMultipartUpload', 'POST', at, { query: { uploads: '' } });
    const uploadId = /<UploadId>([^<]+)/.exec(begun.body.toString())?.[1] ?? '';
    const part = await send('UploadPart', 'PUT', at, { query: { partNumber: '1', uploadId }, body: 'part one' });
    await send('UploadPartCopy', 'PUT', at, {
      query: { partNumber: '2', uploadId },
      headers: { 'x-amz-copy-source': `${open}/a.csv` },
    });
    await send('ListParts', 'GET', at, { query: { uploadId } });
    await send('ListMultipartUploads', 'GET', bucket, { query: { uploads: '', prefix: 'raw-drafts/' } });
    const complete = (tag: unknown) =>
      `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${tag}</ETag></Part></CompleteMultipartUpload>`;
    await send('CompleteMultipartUpload with a wrong part', 'POST', at, { query: { uploadId }, body: complete('"x"') });
    await send('CompleteMultipartUpload', 'POST', at, { query: { uploadId }, body: complete(part.headers['etag']) });
    await send('UploadPart of an unknown upload', 'PUT', at, { query: { partNumber: '1', uploadId: 'x' }, body: 'x' });
    const other = await send('CreateMultipartUpload, second', 'POST', at, { query: { uploads: '' } });
    const otherId = /<UploadId>([^<]+)/.exec(other.body.toString())?.[1] ?? '';
    await send('AbortMultipartUpload', 'DELETE', at, { query: { uploadId: otherId } });

    // Deletes.
    await send('DeleteObject', 'DELETE', `${drafts}/copy`);
    await send('DeleteObject, absent', 'DELETE', `${drafts}/copy`);
    await send('DeleteObject by a reader', 'DELETE', `${drafts}/sum`, { as: 'reader' });
    const keys = (...names: string[]) =>
      `<Delete>${names.map((name) => `<Object><Key>${name}</Key></Object>`).join('')}</Delete>`;
    const names = ['raw-drafts/sum', 'tide-gauges/list/about', 'unknown/a'];
    await send('DeleteObjects', 'POST', bucket, { query: { delete: '' }, body: keys(...names) });
    await send('DeleteObjects, quiet', 'POST', bucket, {
      query: { delete: '' },
      body: keys('raw-drafts/presigned').replace('<Delete>', '<Delete><Quiet>true</Quiet>'),
    });
    await send('DeleteObjects that is no XML', 'POST', bucket, { query: { delete: '' }, body: '<Delete><Object>' });

    // Invalid requests.
    await send('another method', 'PATCH', `${open}/a.csv`, { as: 'nobody' });
    await send('POST of an object', 'POST', `${open}/a.csv`, { body: 'x' });
    await send('SelectObjectContent', 'POST', `${open}/a.csv`, {
      query: { select: '', 'select-type': '2' },
      body: 'x',
    });
    return recording;
  } finally {
    await service.close();
  }
}
