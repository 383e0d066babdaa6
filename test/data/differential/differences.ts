/**
 * All permitted differences between an answer of the proxy and one of the storage, with reasons. All other parts must
 * be equal.
 */

/** Returns the names with their reasons. Each key of the table is a reason, and its value lists the names. */
const namesBy = (reasons: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(reasons).flatMap(([reason, names]) => names.split(' ').map((name) => [name, reason] as const)),
  );

/** Headers of a connection or of a single request, which are never compared. */
export const droppedHeaders = namesBy({
  'of the connection': 'connection keep-alive transfer-encoding',
  'of the moment': 'date',
  'each host names its own requests': 'x-amz-request-id',
  'names the software, a host or the region of the storage': 'server x-amz-id-2 x-amz-bucket-region',
  'of one storage, beside Content-Length': 'x-amz-object-size',
});

/** Headers that only the proxy sends. */
export const proxyHeaders = namesBy({
  'of the content delivery network and its cache': 'x-amz-cf-id via age x-cache',
  'pages of any origin may read': 'access-control-allow-origin access-control-expose-headers vary',
  'all uploads share one origin, so each is sandboxed': 'content-security-policy x-content-type-options',
});

/** `Cache-Control` of answers that the proxy creates itself. Only objects are cached. */
export const proxyCacheControl = 'no-store, stale-if-error=0';

/** XML elements that only the proxy or only the storage sends, or that name the owner of the storage. */
export const droppedElements = namesBy({
  'the account, not the owner of the storage': 'Owner Initiator',
  'the URL of the proxy': 'Location',
  'messages of errors are our own': 'Message',
  'white space between elements': '#text',
});

/** XML elements whose value differs between any two requests. */
export const opaqueElements = namesBy({
  'chosen by the storage at random': 'UploadId UploadIdMarker NextUploadIdMarker',
  'sealed by the proxy': 'NextContinuationToken ContinuationToken',
  'of the moment': 'LastModified Initiated',
});

/** XML elements in which a storage differs from S3 but the proxy does not. They are not compared for this storage. */
export const elementDifferences: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  versitygw: new Map([
    ['EncodingType', 'it tells an empty one and encodes nothing; the proxy encodes as requested'],
    ['Marker', 'it leaves out an empty one'],
    ['ContinuationToken', 'it tells one of its own where a list starts after a key'],
  ]),
};

type CallDifference = { proxied: readonly (number | string)[]; reason: string };

const absent = ['404 NoSuchKey', '404 undefined', '404 NoSuchKey'];

/** Requests that the proxy answers differently for a storage, with its answers and the reason. */
export const callDifferences: Readonly<Record<string, ReadonlyMap<string, CallDifference>>> = {
  versitygw: new Map([
    [
      'CopyObject: if it is not what it is',
      { proxied: ['412 PreconditionFailed', ...absent], reason: 'it says 304 of a source, where S3 has 412' },
    ],
    [
      'a key named "trailing slash/"',
      {
        proxied: ['400 InvalidRequest', ...absent, 200, 200, 200, '404 undefined'],
        reason: 'a folder of its holds no data, and its code for that is none of S3',
      },
    ],
    [
      `a key named ${JSON.stringify('tab\tand\u0001control')}`,
      {
        proxied: [200, 200, 200, 200, 200, '400 InvalidRequest', 200],
        reason: 'it repeats a prefix with another character for one that XML cannot hold',
      },
    ],
    [
      'DeleteObjects of no XML',
      { proxied: ['400 MalformedXML'], reason: 'it says InvalidRequest, where S3 has MalformedXML' },
    ],
    [
      'lists: the folder is filled',
      {
        proxied: [200, ...Array(4).fill('409 InvalidRequest'), ...Array(8).fill(200)],
        reason: 'below a file there is no file, and its code for that is none of S3',
      },
    ],
    [
      'lists: an encoding that is none',
      { proxied: ['400 InvalidArgument'], reason: 'it reads no encoding-type at all, where S3 refuses' },
    ],
    [
      'lists: a token that is none',
      { proxied: ['400 InvalidArgument'], reason: 'it takes any text for a key to go on from, where S3 refuses' },
    ],
    ['lists: access control', { proxied: ['501 NotImplemented'], reason: 'rights are those of the account' }],
    ['lists: a policy', { proxied: ['501 NotImplemented'], reason: 'rights are those of the account' }],
  ]),
};
