/** One request of each operation that reaches storage, for tests that go through all of them. */
export interface OperationCase {
  name: string;
  method: string;
  /** After `/<account>`, of the repository `data`. */
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
  /** The root of storage's document, where our code reads it and answers itself; else the answer streams on. */
  relayedRoot?: string;
}

const parts =
  '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"e"</ETag></Part></CompleteMultipartUpload>';
const tags = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';

/** `account` is where the repository is, `data` the repository. */
export function everyOperation(account: string, repository: string): OperationCase[] {
  const path = `/${repository}/object`;
  const upload = { uploadId: 'upload-1' };
  const source = { 'x-amz-copy-source': `/${account}${path}` };
  const lists = (query: Record<string, string>) => ({ method: 'GET', path: '', query });
  return [
    { name: 'GetObject', method: 'GET', path },
    { name: 'GetObject with a range', method: 'GET', path, headers: { range: 'bytes=0-1' } },
    { name: 'GetObject of a version', method: 'GET', path, query: { versionId: 'v' } },
    { name: 'HeadObject', method: 'HEAD', path },
    { name: 'PutObject', method: 'PUT', path, body: 'x' },
    { name: 'DeleteObject', method: 'DELETE', path },
    { name: 'GetObjectTagging', method: 'GET', path, query: { tagging: '' } },
    { name: 'PutObjectTagging', method: 'PUT', path, query: { tagging: '' }, body: tags },
    { name: 'DeleteObjectTagging', method: 'DELETE', path, query: { tagging: '' } },
    { name: 'UploadPart', method: 'PUT', path, query: { ...upload, partNumber: '1' }, body: 'x' },
    { name: 'AbortMultipartUpload', method: 'DELETE', path, query: upload },
    { name: 'CopyObject', method: 'PUT', path, headers: source, relayedRoot: 'CopyObjectResult' },
    {
      name: 'UploadPartCopy',
      method: 'PUT',
      path,
      query: { ...upload, partNumber: '1' },
      headers: source,
      relayedRoot: 'CopyPartResult',
    },
    {
      name: 'CreateMultipartUpload',
      method: 'POST',
      path,
      query: { uploads: '' },
      relayedRoot: 'InitiateMultipartUploadResult',
    },
    {
      name: 'CompleteMultipartUpload',
      method: 'POST',
      path,
      query: upload,
      body: parts,
      relayedRoot: 'CompleteMultipartUploadResult',
    },
    { name: 'ListParts', method: 'GET', path, query: upload, relayedRoot: 'ListPartsResult' },
    {
      name: 'DeleteObjects',
      method: 'POST',
      path: '',
      query: { delete: '' },
      body: `<Delete><Object><Key>${repository}/object</Key></Object></Delete>`,
      relayedRoot: 'DeleteResult',
    },
    {
      name: 'ListMultipartUploads',
      ...lists({ uploads: '', prefix: `${repository}/` }),
      relayedRoot: 'ListMultipartUploadsResult',
    },
    { name: 'ListObjects', ...lists({ prefix: `${repository}/` }), relayedRoot: 'ListBucketResult' },
    {
      name: 'ListObjectsV2',
      ...lists({ 'list-type': '2', prefix: `${repository}/`, 'fetch-owner': 'true' }),
      relayedRoot: 'ListBucketResult',
    },
    {
      name: 'ListObjectsV2 by folder',
      ...lists({ 'list-type': '2', prefix: `${repository}/`, delimiter: '/' }),
      relayedRoot: 'ListBucketResult',
    },
  ];
}
