import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve } from '../service/http-server.ts';

/** Every name of the storage contains this text in upper or lower case. No name of the client does. */
export const mark = /leaky/i;

export const names = {
  bucket: 'leaky-bucket',
  base_prefix: 'leaky-prefix/',
  region: 'eu-leaky-7',
  access_key_id: 'AKLEAKYKEYID',
  secret_access_key: 'leaky-secret',
  host: 'leaky-bucket.s3.eu-leaky-7.example.com',
};

const url = `https://${names.host}/${names.bucket}/${names.base_prefix}`;

/** Headers that reveal the storage or a server in front of it. IDs of versions and uploads are random and are shown. */
export const leakyHeaders: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    `x-powered-by x-amz-request-id x-amz-copy-source-version-id x-amz-abort-rule-id x-amz-replication-status
    x-amz-request-charged x-amz-delete-marker x-amz-server-side-encryption-context x-amz-object-lock-mode
    x-amz-server-side-encryption-bucket-key-enabled x-amz-object-lock-legal-hold x-amz-error-code x-served-by
    x-leaky p3p x-amz-access-point-alias x-amz-cf-pop x-minio-deployment-id x-rgw-object-type x-oss-server-time x-ms-request-id
    x-goog-stored-content-encoding`
      .split(/\s+/)
      .map((name) => [name, 'LEAKY-value']),
  ),
  server: 'LeakyStore/1.0',
  'x-amz-id-2': 'bGVha3k=leaky',
  'x-amz-bucket-region': names.region,
  'x-amz-expiration': 'expiry-date="Fri, 01 Jan 2027 00:00:00 GMT", rule-id="leaky"',
  'x-amz-website-redirect-location': url,
  'x-amz-server-side-encryption-aws-kms-key-id': 'arn:aws:kms:eu-leaky-7:111122223333:key/leaky',
  'x-amz-error-message': `no ${names.bucket}`,
  'x-amz-error-detail-bucket': names.bucket,
  'x-amz-error-detail-key': names.base_prefix,
  'x-amz-bucket-location-name': names.region,
  'x-cache': 'Miss from leaky',
  location: url,
  'content-location': url,
  link: `<${url}>; rel="canonical"`,
  refresh: `0; url=${url}`,
  'set-cookie': 'leaky=1; Domain=leaky.example.com',
  'www-authenticate': 'Basic realm="leaky"',
  'alt-svc': 'h3="leaky.example.com:443"',
  'strict-transport-security': 'max-age=1; leaky',
  'content-security-policy': `report-uri ${url}`,
  'report-to': `{"endpoints":[{"url":"${url}"}]}`,
  nel: '{"report_to":"leaky"}',
  'server-timing': 'leaky;dur=1',
  'access-control-allow-origin': 'https://leaky.example.com',
  'access-control-expose-headers': 'x-leaky',
  warning: '199 leaky "x"',
  vary: 'x-leaky',
  age: '7',
};

export type Script = (request: IncomingMessage, body: Buffer, response: ServerResponse) => void;

export interface LeakyStorage {
  url: string;
  /** Decides the responses to the next requests. */
  script: Script;
  close(): Promise<void>;
}

/** Starts a storage that reads each request and answers as a test chooses. */
export async function startLeakyStorage(): Promise<LeakyStorage> {
  const { url, close } = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    storage.script(request, body, response);
  });
  const storage: LeakyStorage = { url, close, script: (_request, _body, response) => void response.end() };
  return storage;
}

const outside = `${names.base_prefix}outside`;
const fields = Object.entries({
  [names.bucket]: 'BucketName Bucket Name',
  [outside]: 'Key Prefix Marker StartAfter Resource KeyMarker NextKeyMarker',
  [names.host]: 'Endpoint CanonicalRequest',
  [names.region]: 'Region StringToSign',
  [names.access_key_id]: 'AWSAccessKeyId',
  [url]: 'Location',
  [names.base_prefix]: 'ArgumentValue',
  leaky: 'SignatureProvided HostId RequestId UploadIdMarker',
}).flatMap(([value, elements]) => elements.split(' ').map((name) => [name, value]));
const leakyFields = fields.map(([name, value]) => `<${name}>${value}</${name}>`).join('');
const leakyOwner = '<ID>leaky</ID><DisplayName>leaky</DisplayName><URI>leaky</URI>';

export function errorDocument(code: string): string {
  return `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>In ${names.bucket} no</Message>${leakyFields}</Error>`;
}

/** Returns the document of a successful operation, which contains many storage names. `key` is the requested key. */
export function successDocument(root: string, key: string): string {
  const entry = (name: string) => `<Key>${name}</Key><Owner>${leakyOwner}</Owner><Initiator>${leakyOwner}</Initiator>`;
  return [
    `<?xml version="1.0"?>\n<${root} xmlns="https://leaky.example.com/">`,
    leakyFields,
    '<UploadId>upload-1</UploadId><ETag>"e"</ETag><LastModified>2026-01-01T00:00:00.000Z</LastModified>',
    '<IsTruncated>true</IsTruncated><NextContinuationToken>leaky-token</NextContinuationToken>',
    `<ContinuationToken>leaky-token</ContinuationToken><NextMarker>${outside}</NextMarker>`,
    '<VersionId>leaky</VersionId><NextUploadIdMarker>upload-1</NextUploadIdMarker>',
    `<Owner>${leakyOwner}</Owner><Initiator>${leakyOwner}</Initiator><EncodingType>url</EncodingType>`,
    [key, outside, names.bucket].map((name) => `<Contents>${entry(name)}</Contents>`).join(''),
    [`${key}/`, `${outside}/`].map((name) => `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`).join(''),
    [key, outside].map((name) => `<Upload>${entry(name)}<UploadId>upload-1</UploadId></Upload>`).join(''),
    [key, outside]
      .map((name) => `<Version>${entry(name)}</Version><DeleteMarker>${entry(name)}</DeleteMarker>`)
      .join(''),
    `<ObjectParts><Location>${url}</Location><Part><Size>1</Size><Location>${url}</Location></Part></ObjectParts>`,
    `<Deleted>${entry(key)}<VersionId>leaky</VersionId></Deleted><Deleted>${entry(outside)}</Deleted>`,
    `<Error>${entry(key)}<Code>NoSuchBucket</Code><Message>no ${names.bucket}</Message></Error>`,
    `<Part><PartNumber>1</PartNumber><ETag>"p"</ETag><Location>${url}</Location></Part>`,
    `</${root}>`,
  ].join('');
}
