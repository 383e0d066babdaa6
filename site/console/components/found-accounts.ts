import { useEffect, useState } from 'preact/hooks';
import type { Schemas } from '../api/client.ts';

type FoundAccount = Pick<Schemas['Account'], 'account_id' | 'profile'>;

const typedMin = 3;
const pauseMs = 300;

/**
 * Searches accounts by the beginning of their ID or name, when the user pauses typing. Returns IDs and names, which a
 * field suggests. `search` is called again only when `typed` or `scope` changes.
 */
export function useFoundAccounts(
  typed: string,
  search: (prefix: string) => Promise<readonly FoundAccount[]>,
  scope = '',
): readonly (readonly [string, string])[] {
  const [found, setFound] = useState<readonly (readonly [string, string])[]>([]);
  useEffect(() => {
    const prefix = typed.trim();
    if (prefix.length < typedMin || found.some(([id]) => id === prefix)) return;
    let isLate = false;
    const timer = setTimeout(async () => {
      try {
        const accounts = await search(prefix);
        if (!isLate) setFound(accounts.map(({ account_id, profile }) => [account_id, profile.name || account_id]));
      } catch {
        // Ignore errors, because users can type the ID without suggestions.
      }
    }, pauseMs);
    return () => {
      isLate = true;
      clearTimeout(timer);
    };
  }, [typed, scope]);
  return found;
}
