import { formatDay } from '../../../lib/pages/site/format.ts';
import type { Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { Lines } from '../components/list.tsx';
import { useAction } from '../components/once.ts';
import { localMinute } from '../components/time.tsx';

type Key = Schemas['ServiceAccountKey'];

export const expiryOptions = [
  ['90d', 'In 90 days'],
  ['30d', 'In 30 days'],
  ['1y', 'In a year'],
  ['never', 'Never'],
] as const satisfies readonly (readonly [Schemas['KeyExpiry'], string])[];

/** Returns the expiry of a key as text. Returns an empty text for a revoked key. */
export function describeExpiry({ state, expires_at }: Pick<Key, 'state' | 'expires_at'>): string {
  if (state === 'revoked') return '';
  if (expires_at === null) return 'never expires';
  return `${state === 'expired' ? 'since' : 'until'} ${formatDay(expires_at)}`;
}

export function KeyState(key: Pick<Key, 'state' | 'expires_at'>) {
  const badge = <span class={`badge ${key.state === 'active' ? 'live' : 'over'}`}>{key.state}</span>;
  return <Lines of={[badge, describeExpiry(key)]} />;
}

export function lastUse({ last_used_at }: Pick<Key, 'last_used_at'>): string {
  return last_used_at === null ? 'never' : localMinute(Date.parse(last_used_at));
}

/** Shows who created a key, and whether this user is still a member. */
export function Creator(key: Pick<Key, 'created_by' | 'created_by_name' | 'created_by_is_member'>) {
  if (key.created_by === null) return <span class="soft">unknown</span>;
  const former = key.created_by_is_member === false && <span class="badge over">no longer a member</span>;
  return <Lines of={[key.created_by_name || key.created_by, key.created_by, former]} />;
}

interface LostKeyProps {
  id: string;
  name: string;
  /** Revokes the key. Throws `Problem`. */
  revoke: () => Promise<void>;
}

/** Offers to revoke a key whose creation response was lost. Nobody knows the secret of this key. */
export function LostKey({ id, name, revoke }: LostKeyProps) {
  const { act, busy } = useAction(async () => undefined);
  return (
    <div class="notice problem" role="alert">
      <p>
        The key “{name}” was created, but the response with its secret was lost. The secret cannot be shown again.
        Revoke this key, then create another: <code>{id}</code>
      </p>
      <Button
        kind="small"
        label="Revoke the lost key"
        {...busy}
        onClick={() => void act(revoke, 'The key is revoked. Create another one.')}
      />
    </div>
  );
}
