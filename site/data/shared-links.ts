import type { DataCredentials } from './credentials.ts';
import { pathOfKey, type RepositoryPath } from './keys.ts';
import { sign } from './sender.ts';

export interface SharedLink {
  url: string;
  /**
   * The link's expiry time, by the clock of this machine. It is never later than the expiry of the link's credentials.
   */
  endsAt: number;
}

interface LinkOptions {
  dataUrl: string;
  location: RepositoryPath;
  key: string;
  /** The requested lifetime of the link in seconds. */
  seconds: number;
  /** True if the browser must save the file instead of showing it. */
  isDownload?: boolean | undefined;
  /**
   * The content type that the answer to the link must have. Set for a file that the page itself shows, which the
   * browser then does not cache. Undefined for the type that storage returns.
   */
  contentType?: string | undefined;
}

/**
 * Signs a link with which anyone can read one object without sign-in.
 * The link contains the ID and the encrypted token of read-only credentials for this repository, and a signature for
 * this object only. It does not contain the secret key.
 */
export async function signLink(
  { dataUrl, location, key, seconds, isDownload = false, contentType }: LinkOptions,
  credentials: DataCredentials,
  now: number = Date.now(),
): Promise<SharedLink> {
  const lasts = Math.max(1, Math.min(seconds, Math.floor((credentials.endsAt - now) / 1000)));
  const saved = isDownload ? '&response-content-disposition=attachment' : '';
  const typed =
    contentType === undefined
      ? ''
      : `&response-cache-control=no-store&response-content-type=${encodeURIComponent(contentType)}`;
  const url = `${dataUrl}/${location.account_id}/${location.repository_id}/${pathOfKey(key)}?X-Amz-Expires=${lasts}${saved}${typed}`;
  const signed = await sign({ method: 'GET', url, signQuery: true }, credentials, now + credentials.clockAheadMs);
  return { url: signed.url, endsAt: now + lasts * 1000 };
}
