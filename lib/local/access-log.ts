import type { IncomingMessage, ServerResponse } from 'node:http';
import { carriesServiceAccountKey } from '../domain/service-accounts/key-in-url.ts';

/** A completed request, without its query and without headers that hold secrets. */
export interface AccessLogEntry {
  method: string;
  /** Percent-encoded, as received. A fixed text replaces a path with a service-account key. */
  path: string;
  status: number;
  duration_ms: number;
  /** Request id of a management request, as sent to the client. */
  request_id: string | undefined;
  /** Access key id that a signed or presigned request claims. */
  access_key_id: string | undefined;
}

const pathLengthMax = 200;

/** Reports a request when its response is complete or its client has gone. */
export function reportWhenClosed(
  request: IncomingMessage,
  response: ServerResponse,
  onAccess: (answered: AccessLogEntry) => void,
): void {
  const startedAt = performance.now();
  const { method = '', url = '' } = request;
  response.once('close', () =>
    onAccess({
      method,
      path: shownPath(url),
      status: response.statusCode,
      duration_ms: Math.round(performance.now() - startedAt),
      request_id: response.getHeader('apigw-requestid')?.toString(),
      access_key_id: accessKeyIdOf(request),
    }),
  );
}

function shownPath(url: string): string {
  if (carriesServiceAccountKey(url)) return '(a URL with a key in it)';
  const [path = ''] = url.split('?');
  const visible = path.replace(/[^\x21-\x7e]/g, '?');
  return visible.length > pathLengthMax ? `${visible.slice(0, pathLengthMax)}…` : visible;
}

function accessKeyIdOf({ headers, url = '' }: IncomingMessage): string | undefined {
  const credential = /\bCredential=([A-Z0-9]{8,32})\//.exec(headers.authorization ?? '');
  return (credential ?? /[?&]X-Amz-Credential=([A-Z0-9]{8,32})(?:\/|%2F)/i.exec(url))?.[1];
}
