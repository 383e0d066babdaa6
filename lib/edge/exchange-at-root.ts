import type { EdgeRequest } from '../domain/data/decision.ts';
import { virtualHostAccount } from '../s3/resource.ts';

/**
 * Returns true for a credential exchange at `/`. The AWS SDK for Java drops the path of `AWS_ENDPOINT_URL_STS`. S3 has
 * form POSTs at `/` only on virtual hosts, and an exchange has no query, so no other request matches.
 */
export function isExchangeAtRoot(
  request: Pick<EdgeRequest, 'method' | 'rawPath' | 'rawQuery' | 'headers'>,
  virtualHostBase: string | undefined,
): boolean {
  if (request.rawPath !== '/' || request.method !== 'POST' || request.rawQuery !== '') return false;
  const [mediaType = ''] = (request.headers['content-type'] ?? '').split(';');
  const isForm = mediaType.trim().toLowerCase() === 'application/x-www-form-urlencoded';
  return isForm && virtualHostAccount(request, virtualHostBase) === undefined;
}
