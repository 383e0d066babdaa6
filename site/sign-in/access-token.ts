import { currentSignIn, type SignIn, touchSignIn } from './stored.ts';

/** How long before expiry tokens are renewed, so that they do not expire during a request. */
const earlyMs = 60_000;

/**
 * Creates the function that returns the access token for the `Authorization` header. The function renews the token
 * shortly before it expires, and returns undefined when no user is signed in.
 *
 * @throws TypeError when the token has expired and the issuer is unreachable. `fetch` throws the same error without a
 * connection.
 */
export function createAccessToken(renew: (before: SignIn) => Promise<void>): () => Promise<string | undefined> {
  let renewing: Promise<void> | undefined;
  return async () => {
    const before = currentSignIn();
    if (before === undefined) return undefined;
    touchSignIn();
    if (before.expires_at - Date.now() > earlyMs) return before.access_token;
    renewing ??= renew(before).finally(() => {
      renewing = undefined;
    });
    await renewing;
    const renewed = currentSignIn();
    if (renewed !== undefined && renewed.expires_at < Date.now()) {
      throw new TypeError('the sign-in could not be renewed');
    }
    return renewed?.access_token;
  };
}
