import { formatDay } from '../../../lib/pages/site/format.ts';
import type { Schemas } from '../api/client.ts';
import { localMinute } from '../components/time.tsx';

type Key = Schemas['ServiceAccountKey'];

export const expiryOptions = [
  ['90d', 'In 90 days'],
  ['30d', 'In 30 days'],
  ['1y', 'In a year'],
  ['never', 'Never, until somebody ends it'],
] as const satisfies readonly (readonly [Schemas['KeyExpiry'], string])[];

/** Returns the expiry of a key as text. Empty for a revoked key. */
export function endOf({ state, expires_at }: Pick<Key, 'state' | 'expires_at'>): string {
  if (state === 'revoked') return '';
  if (expires_at === null) return 'never expires';
  return `${state === 'expired' ? 'since' : 'until'} ${formatDay(expires_at)}`;
}

export const stateLabels: Readonly<Record<Key['state'], string>> = {
  active: 'active',
  revoked: 'ended',
  expired: 'expired',
};

export function lastUse({ last_used_at }: Pick<Key, 'last_used_at'>): string {
  return last_used_at === null ? 'never' : localMinute(Date.parse(last_used_at));
}
