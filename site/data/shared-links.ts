import { AwsV4Signer } from 'aws4fetch';
import type { DataCredentials } from './credentials.ts';
import { pathOfKey, type RepositoryPath } from './keys.ts';
import { amzDate } from './sender.ts';

export interface SharedLink {
  url: string;
  /** When it stops working, by the clock of this machine: never later than the credentials that signed it. */
  endsAt: number;
}

interface LinkOptions {
  dataUrl: string;
  place: RepositoryPath;
  key: string;
  /** How long it should work. */
  seconds: number;
  /** The browser saves the file, and shows nothing of it. */
  isDownload?: boolean;
}

/**
 * A link to one object for whoever has it, without signing in. It holds the id and the sealed token of credentials that
 * may only read this repository, and a signature over this object alone; the secret that signs is not in it.
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
