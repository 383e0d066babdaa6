import type { LocalService } from '../../lib/local/service.ts';
import { type ReceivedAnswer, send } from '../lib/local/http-client.ts';
import { roleArn } from './data-clients.ts';

/** Returns the complete response as text, with `ID` for parts that are always different. */
export function wireOf({ status, headers, body }: ReceivedAnswer): string {
  const { date: _, ...kept } = headers;
  const requestId = String(headers['x-amz-request-id']);
  return JSON.stringify([status, kept, body.toString()]).replaceAll(requestId, 'ID');
}

/** Sends an exchange for the seeded service account with the given fields, without a client that would correct them. */
export function postExchange(
  { dataUrl }: Pick<LocalService, 'dataUrl'>,
  fields: Record<string, string>,
): Promise<ReceivedAnswer> {
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn(),
    RoleSessionName: 'raw',
    ...fields,
  }).toString();
  return send(Number(new URL(dataUrl).port), {
    method: 'POST',
    path: '/.sts',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(body) },
    body,
  });
}
