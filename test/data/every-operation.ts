import type { OperationName } from '../../lib/s3/operations.ts';

/** Example requests for each operation that reaches storage, for tests of all these operations. */
export interface OperationCase {
  name: string;
  method: string;
  /** The path after `/<account>`. The repository is `data`. */
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
  /**
   * The root element of storage's document, if our code reads it and answers itself. Empty when storage sends no
   * document. Undefined when the response is streamed.
   */
  relayedRoot?: string;
}

type ReachingStorage = Exclude<
  OperationName,
  'ListBuckets' | 'HeadBucket' | 'CreateBucket' | 'GetBucketLocation' | 'GetBucketVersioning' | 'CompareVersions'
>;
type NamedLater = Omit<OperationCase, 'name'> & { variant?: string };

const parts =
  '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"e"</ETag></Part></CompleteMultipartUpload>';
const tags = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';

/**
 * Returns a request for each operation. `account` is the path of the account, and `repository` the path of the
 * repository.
 */
export function everyOperation(account: string, repository: string): OperationCase[] {
  const path = `/${repository}/object`;
  const upload = { uploadId: 'upload-1' };
  const versionId = 'v';
  const source = { 'x-amz-copy-source': `/${account}${path}` };
  const attributes = { 'x-amz-object-attributes': 'ETag,ObjectParts,ObjectSize' };
  const get = { method: 'GET', path };
  const head = { method: 'HEAD', path };
  const put = { method: 'PUT', path };
  const post = { method: 'POST', path };
  const remove = { method: 'DELETE', path };
  const list = { method: 'GET', path: '', relayedRoot: 'ListBucketResult' };
  const prefix = `${repository}/`;
  const cases: Record<ReachingStorage, NamedLater[]> = {
    GetObject: [
      get,
      { ...get, variant: 'with a range', headers: { range: 'bytes=0-1' } },
      { ...get, variant: 'of a version', query: { versionId } },
    ],
    HeadObject: [head, { ...head, variant: 'of a version', query: { versionId } }],
    PutObject: [{ ...put, body: 'x' }],
    DeleteObject: [remove],
    GetObjectAttributes: [
      { ...get, query: { attributes: '' }, headers: attributes, relayedRoot: 'GetObjectAttributesResponse' },
      {
        ...get,
        variant: 'of a version',
        query: { attributes: '', versionId },
        headers: attributes,
        relayedRoot: 'GetObjectAttributesResponse',
      },
    ],
    GetObjectTagging: [
      { ...get, query: { tagging: '' }, relayedRoot: 'Tagging' },
      { ...get, variant: 'of a version', query: { tagging: '', versionId }, relayedRoot: 'Tagging' },
    ],
    PutObjectTagging: [{ ...put, query: { tagging: '' }, body: tags, relayedRoot: '' }],
    DeleteObjectTagging: [{ ...remove, query: { tagging: '' }, relayedRoot: '' }],
    UploadPart: [{ ...put, query: { ...upload, partNumber: '1' }, body: 'x' }],
    AbortMultipartUpload: [{ ...remove, query: upload }],
    CopyObject: [{ ...put, headers: source, relayedRoot: 'CopyObjectResult' }],
    UploadPartCopy: [{ ...put, query: { ...upload, partNumber: '1' }, headers: source, relayedRoot: 'CopyPartResult' }],
    CreateMultipartUpload: [{ ...post, query: { uploads: '' }, relayedRoot: 'InitiateMultipartUploadResult' }],
    CompleteMultipartUpload: [{ ...post, query: upload, body: parts, relayedRoot: 'CompleteMultipartUploadResult' }],
    ListParts: [{ ...get, query: upload, relayedRoot: 'ListPartsResult' }],
    DeleteObjects: [
      {
        method: 'POST',
        path: '',
        query: { delete: '' },
        body: `<Delete><Object><Key>${repository}/object</Key></Object></Delete>`,
        relayedRoot: 'DeleteResult',
      },
    ],
    ListMultipartUploads: [{ ...list, query: { uploads: '', prefix }, relayedRoot: 'ListMultipartUploadsResult' }],
    ListObjectVersions: [{ ...list, query: { versions: '', prefix }, relayedRoot: 'ListVersionsResult' }],
    ListObjects: [{ ...list, query: { prefix } }],
    ListObjectsV2: [
      { ...list, query: { 'list-type': '2', prefix, 'fetch-owner': 'true' } },
      { ...list, variant: 'by folder', query: { 'list-type': '2', prefix, delimiter: '/' } },
    ],
  };
  return Object.entries(cases).flatMap(([operation, variants]) =>
    variants.map(({ variant, ...rest }) => ({
      name: variant === undefined ? operation : `${operation} ${variant}`,
      ...rest,
    })),
  );
}
