import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import type { SignableRequest } from '../../../lib/sigv4/canonical.ts';

/** Requests of an independent signer, from the AWS SDK for JavaScript. */

export const signingTime = Date.parse('2026-03-01T10:00:00Z');

export interface UnsignedRequest {
  method?: string;
  host?: string;
  /** Not encoded. */
  path?: string;
  /** Not encoded. */
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

export interface SignerOptions {
  accessKeyId?: string;
  secretAccessKey?: string;
  sessionToken?: string;
  region?: string;
  service?: string;
  /** Signs in the URL, which expires after this many seconds, instead of in a header. */
  expiresIn?: number;
  signedAt?: number;
}

export async function signWithSmithy(unsigned: UnsignedRequest, options: SignerOptions = {}): Promise<SignableRequest> {
  const { service = 's3', region = 'eu-central-1', expiresIn, signedAt = signingTime } = options;
  const signer = new SignatureV4({
    service,
    region,
    sha256: Sha256,
    uriEscapePath: service !== 's3',
    applyChecksum: true,
    credentials: {
      accessKeyId: options.accessKeyId ?? 'AKEXAMPLE',
      secretAccessKey: options.secretAccessKey ?? 'example secret',
      ...(options.sessionToken === undefined ? {} : { sessionToken: options.sessionToken }),
    },
  });
  const request = {
    method: unsigned.method ?? 'GET',
    protocol: 'https:',
    hostname: unsigned.host ?? 'data.example.org',
    path: encodeText(unsigned.path ?? '/').replaceAll('%2F', '/'),
    query: { ...unsigned.query },
    headers: { host: unsigned.host ?? 'data.example.org', ...unsigned.headers },
    body: unsigned.body,
  };
  const signingDate = new Date(signedAt);
  const signed =
    expiresIn === undefined
      ? await signer.sign(request, { signingDate })
      : // The body of a presigned upload is unknown when an S3 client signs the URL.
        await signer.presign(
          { ...request, headers: { ...request.headers, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } },
          { signingDate, expiresIn },
        );
  return {
    method: signed.method,
    rawPath: signed.path,
    rawQuery: Object.entries(signed.query ?? {})
      .map(([name, value]) => `${encodeText(name)}=${encodeText(String(value))}`)
      .join('&'),
    headers: Object.fromEntries(Object.entries(signed.headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
}

function encodeText(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
