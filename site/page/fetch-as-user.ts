import { createAccessToken } from '../sign-in/access-token.ts';
import { renewInFrame } from '../sign-in/renew-in-frame.ts';

const accessToken = createAccessToken(renewInFrame);

/**
 * Returns a response of the API to the signed-in user. Returns undefined when no user is signed in or the API refuses
 * the request. The page works without this data.
 */
export async function fetchAsUser<Data>(path: string): Promise<{ data: Data; hasMore: boolean } | undefined> {
  try {
    const token = await accessToken();
    if (token === undefined) return undefined;
    const response = await fetch(`/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) return undefined;
    return { data: (await response.json()) as Data, hasMore: response.headers.get('link') !== null };
  } catch {
    return undefined;
  }
}
