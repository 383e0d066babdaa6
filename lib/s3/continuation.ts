import { ServiceError } from '../domain/errors.ts';
import { openSealedText, sealText } from '../domain/sealed-text.ts';
import type { SecretVersions } from '../domain/secret-versions.ts';

/** Where a list goes on: storage's own token, or a key of the repository after which a page was cut short here. */
export type Continuation = { kind: 'storage'; token: string } | { kind: 'after'; after: string };

/** Continuation tokens of one repository's lists. */
export interface Continuations {
  format(continuation: Continuation): string;
  /** Throws ServiceError `invalid_request` for what `format` never made for this repository. */
  parse(token: string): Continuation;
}

/** Many stores put the key into their token, prefix and all, so that it is sealed on its way through the client. */
export function sealedContinuations(
  repository: { account_id: string; repository_id: string },
  versions: SecretVersions,
  now: number,
): Continuations {
  const scope = JSON.stringify(['list', repository.account_id, repository.repository_id]);
  return {
    format: (continuation) =>
      continuation.kind === 'storage'
        ? `s-${sealText(continuation.token, scope, versions, now)}`
        : `k-${Buffer.from(continuation.after, 'utf8').toString('base64url')}`,
    parse(token) {
      const rest = token.slice(2);
      if (token.startsWith('k-') && /^[A-Za-z0-9_-]+$/.test(rest)) {
        return { kind: 'after', after: Buffer.from(rest, 'base64url').toString('utf8') };
      }
      const opened = token.startsWith('s-') ? openSealedText(rest, scope, versions) : undefined;
      if (opened !== undefined) return { kind: 'storage', token: opened };
      throw new ServiceError('invalid_request', 'The continuation token is not one that this list returned.');
    },
  };
}
