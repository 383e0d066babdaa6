import { ServiceError } from '../errors.ts';
import { carriesServiceAccountKey, keyInUrlMessage } from './key-in-url.ts';
import { isServiceAccountKeyShaped } from './service-account-key.ts';

/** Rejects a URL that contains a secret, before all other checks. The error contains no part of the URL. */
export function refuseSecretInUrl({ rawPath, rawQuery }: { rawPath: string; rawQuery: string }): void {
  if (carriesServiceAccountKey(`${rawPath}?${rawQuery}`)) throw new ServiceError('invalid_request', keyInUrlMessage);
  // Reject an identity token in the query. Old clients put the whole exchange request into the URL, and then every log
  // on the way contains the token.
  const token = /(?:^|&)WebIdentityToken=([^&]*)/i.exec(rawQuery)?.[1];
  if (token === undefined) return;
  const isKey = isServiceAccountKeyShaped(token.replace(/%5f/gi, '_').replace(/^(?:\s|\+|%[0-9a-f]{2})+/i, ''));
  throw new ServiceError(
    'invalid_request',
    isKey ? keyInUrlMessage : 'The web identity token must be sent in the request body, not the URL',
  );
}
