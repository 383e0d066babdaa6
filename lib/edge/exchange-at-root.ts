import type { EdgeRequest } from '../domain/data/decision.ts';
import { virtualHostAccount } from '../s3/resource.ts';

/**
 * Whether a request at `/` is one for the credential exchange: the AWS SDK for Java drops the path of
 * `AWS_ENDPOINT_URL_STS`. S3 has no POST of a form there but below a host that is named after a bucket, and an exchange
 * has no query, so nothing else is taken for one.
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
