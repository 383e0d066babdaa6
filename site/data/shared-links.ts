import { AwsV4Signer } from 'aws4fetch';
import type { DataCredentials } from './credentials.ts';
import { pathOfKey, type RepositoryPath } from './keys.ts';
import { amzDate } from './sender.ts';

export interface SharedLink {
  url: string;
  /** Expiry by the clock of this machine, never later than the expiry of the credentials. */
  endsAt: number;
}

interface LinkOptions {
  dataUrl: string;
  place: RepositoryPath;
  key: string;
  /** Requested lifetime. */
  seconds: number;
  /** True when the browser saves the file instead of showing it. */
  isDownload?: boolean;
}

/**
 * Signs a link to one object for anyone, without sign-in. The link contains the ID and the sealed token of read-only
 * credentials for this repository, and a signature for this object only. It does not contain the secret key.
 */
export async function signLink(
  { dataUrl, place, key, seconds, isDownload = false }: LinkOptions,
  credentials: DataCredentials,
  now: number = Date.now(),
): Promise<SharedLink> {
  const lasts = Math.max(1, Math.min(seconds, Math.floor((credentials.endsAt - now) / 1000)));
  const { url } = await new AwsV4Signer({
    method: 'GET',
    url: `${dataUrl}/${place.account_id}/${place.repository_id}/${pathOfKey(key)}?X-Amz-Expires=${lasts}${isDownload ? '&response-content-disposition=attachment' : ''}`,
    service: 's3',
    region: 'us-east-1',
    signQuery: true,
    datetime: amzDate(now + credentials.clockAheadMs),
    accessKeyId: credentials.accessKeyId,
    secretAccessKey: credentials.secretAccessKey,
    sessionToken: credentials.sessionToken,
  }).sign();
  return { url: url.toString(), endsAt: now + lasts * 1000 };
}
