import { ServiceError } from '../domain/errors.ts';

/** Where a list goes on: storage's own token, or a key of the repository after which a page was cut short here. */
export type Continuation = { kind: 'storage'; token: string } | { kind: 'after'; after: string };

export function formatContinuation(continuation: Continuation): string {
  return continuation.kind === 'storage'
    ? `s-${continuation.token}`
    : `k-${Buffer.from(continuation.after, 'utf8').toString('base64url')}`;
}

/** Throws ServiceError `invalid_request` for what `formatContinuation` never makes. */
export function parseContinuation(token: string): Continuation {
  const rest = token.slice(2);
  if (token.startsWith('s-') && rest !== '') return { kind: 'storage', token: rest };
  if (token.startsWith('k-') && /^[A-Za-z0-9_-]+$/.test(rest)) {
    return { kind: 'after', after: Buffer.from(rest, 'base64url').toString('utf8') };
  }
  throw new ServiceError('invalid_request', 'The continuation token is not one that a list here returned.');
}
