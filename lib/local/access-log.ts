import type { IncomingMessage, ServerResponse } from 'node:http';
import { carriesServiceAccountKey } from '../domain/service-accounts/service-account-key.ts';

/** A request that was answered, as far as it may be shown: no query, no header that holds a secret. */
export interface AnsweredRequest {
  method: string;
  /** Percent-encoded as it came; a word in its place where it held a key. */
  path: string;
  status: number;
  duration_ms: number;
  /** Of a request to the management API, as the client was told it. */
  request_id: string | undefined;
  /** Of a signed request, presigned ones too: who says to have signed it. */
  access_key_id: string | undefined;
}

const pathLengthMax = 200;

/** Tells of the request once its answer has gone out, or its client has. */
export function whenAnswered(
  request: IncomingMessage,
  response: ServerResponse,
  onAnswered: (answered: AnsweredRequest) => void,
): void {
  const startedAt = performance.now();
  const { method = '', url = '' } = request;
  response.once('close', () =>
    onAnswered({
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
