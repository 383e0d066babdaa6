import { type ReceivedAnswer, send } from '../lib/local/http-client.ts';
import { type SignerOptions, signWithSmithy, type UnsignedRequest } from '../lib/sigv4/signed-request.ts';
import type { Credentials } from './data-clients.ts';

interface SendOptions extends SignerOptions {
  /** Headers outside the signature. */
  unsignedHeaders?: Record<string, string>;
}

/** Signs a request and sends it unchanged, for requests that no standard client sends. */
export async function sendSigned(
  { dataUrl }: { dataUrl: string },
  { accessKeyId, secretAccessKey, sessionToken = '' }: Credentials,
  request: Omit<UnsignedRequest, 'host'>,
  { unsignedHeaders = {}, signedAt = Date.now(), ...options }: SendOptions = {},
): Promise<ReceivedAnswer> {
  const { host, port } = new URL(dataUrl);
  const credentials = { accessKeyId, secretAccessKey, sessionToken };
  const signed = await signWithSmithy({ ...request, host }, { ...credentials, signedAt, ...options });
  return send(Number(port), {
    method: signed.method,
    path: signed.rawQuery === '' ? signed.rawPath : `${signed.rawPath}?${signed.rawQuery}`,
    headers: { ...signed.headers, ...unsignedHeaders },
    ...(request.body === undefined ? {} : { body: request.body }),
  });
}

export function sendAnonymous(
  { dataUrl }: { dataUrl: string },
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<ReceivedAnswer> {
  const sent = { method, path, headers, ...(body === undefined ? {} : { body }) };
  return send(Number(new URL(dataUrl).port), sent);
}
