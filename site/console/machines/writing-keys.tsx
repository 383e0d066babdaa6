import { Lines, Table } from '../components/list.tsx';
import { LoadingNote, useLoading } from '../components/loaded.tsx';
import { lastUse } from './key-parts.tsx';

/** An active key that can no longer write after federated-only writes are turned on. */
interface StoppedKey {
  name: string;
  /** The service account to which the key belongs, or the ID of an API key. */
  of: string;
  /** The last use of the key. Undefined for an API key, because the API does not record it. */
  last_used_at: string | null | undefined;
}

export interface StoppedKeys {
  keys: readonly StoppedKey[];
  hasMore: boolean;
}

/** Lists the keys that will no longer be able to write. Shown before a user turns on federated-only writes. */
export function KeysThatStop({ load }: { load: () => Promise<StoppedKeys> }) {
  const state = useLoading(load, []).state.value;
  if (state.kind === 'loading') return <LoadingNote />;
  if (state.kind === 'failed') return <p class="notice problem">{state.problem.message}</p>;
  const { keys, hasMore } = state.value;
  if (keys.length === 0 && !hasMore) return <p>No active key can write now.</p>;
  return (
    <>
      <Table
        label="Keys that can no longer write"
        items={keys}
        columns={[
          { title: 'Key', cell: ({ name, of }) => <Lines of={[name, of]} /> },
          {
            title: 'Last used',
            isLabeled: true,
            cell: ({ last_used_at }) => (last_used_at === undefined ? 'not recorded' : lastUse({ last_used_at })),
          },
        ]}
      />
      {hasMore && <p>There may be more keys.</p>}
    </>
  );
}
