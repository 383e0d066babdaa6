/**
 * Everything in which an answer of the proxy may differ from the storage's own, each with its reason. What is not here
 * must be equal.
 */

/** Headers that belong to a connection or to one request, compared nowhere. */
export const droppedHeaders: ReadonlyMap<string, string> = new Map([
  ['connection', 'of the connection'],
  ['keep-alive', 'of the connection'],
  ['transfer-encoding', 'of the connection'],
  ['date', 'of the moment'],
  ['server', 'names the software of the storage'],
  ['x-amz-request-id', 'each host names its own requests'],
  ['x-amz-id-2', 'names a host of the storage'],
  ['x-amz-bucket-region', 'names the place of the storage'],
  ['x-amz-object-size', 'of one storage, beside Content-Length'],
]);

/** Headers that only the proxy has. */
export const proxyHeaders: ReadonlyMap<string, string> = new Map([
  ['x-amz-cf-id', 'of the content delivery network'],
  ['via', 'of the content delivery network'],
  ['access-control-allow-origin', 'pages of any origin may read'],
  ['access-control-expose-headers', 'pages of any origin may read'],
  ['vary', 'pages of any origin may read'],
  ['content-security-policy', 'all that was uploaded shares one origin, and is shown without one'],
  ['x-content-type-options', 'a browser takes nothing that was uploaded for more than it says it is'],
]);

/** Elements that are there on one side alone or say who owns the storage. */
export const droppedElements: ReadonlyMap<string, string> = new Map([
  ['Owner', 'the account, not the owner of the storage'],
  ['Initiator', 'the account, not the owner of the storage'],
  ['Location', 'the address of the proxy'],
  ['#text', 'white space between elements'],
]);

/** Elements that are there on both sides, of which no two are equal. */
export const opaqueElements: ReadonlyMap<string, string> = new Map([
  ['UploadId', 'chosen by the storage at random'],
  ['UploadIdMarker', 'chosen by the storage at random'],
  ['NextUploadIdMarker', 'chosen by the storage at random'],
  ['NextContinuationToken', 'sealed by the proxy'],
  ['ContinuationToken', 'sealed by the proxy'],
  ['LastModified', 'of the moment'],
  ['Initiated', 'of the moment'],
]);

type CallDifference = { proxied: readonly (number | string)[]; reason: string };

/** Calls that the proxy answers otherwise before a storage: what it answers each request with, and why. */
export const callDifferences: Readonly<Record<string, ReadonlyMap<string, CallDifference>>> = {
  versitygw: new Map([
    [
      'CopyObject: if it is not what it is',
      {
        proxied: ['412 PreconditionFailed', '404 NoSuchKey', '404 undefined', '404 NoSuchKey'],
        reason: 'it says 304 of a source, where S3 has 412',
      },
    ],
  ]),
};
