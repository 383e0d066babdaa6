import { answerOf, api, type Schemas } from '../api/client.ts';
import { problemOf } from '../api/problem.ts';
import { LoadingNote, useLoading } from '../components/loaded.tsx';
import { hrefOf } from '../router.ts';
import { createdKeysPath } from './created-keys-path.ts';

/**
 * The names of valid keys that a leaving user created. The value is `hidden` when the current user may not see them.
 */
type Left = { names: readonly string[]; isMore: boolean } | 'hidden';

interface KeysLeftProps {
  account_id: string;
  /** The repository, if the leaving user has a role in this repository only. */
  repository_id: string | undefined;
  /** The account ID of the user who leaves. */
  creator: string;
  isMe: boolean;
}

const namesShown = 3;

/** Warns that keys which a user created stay valid after the user leaves. Links to the view that revokes them. */
export function KeysLeft({ account_id, repository_id, creator, isMe }: KeysLeftProps) {
  const loading = useLoading<Left>(() => keysLeft({ account_id, repository_id, creator }), [account_id, creator]);
  const state = loading.state.value;
  if (state.kind === 'loading') return <LoadingNote />;
  const who = isMe ? 'you' : creator;
  if (state.kind === 'failed' || state.value === 'hidden') {
    return (
      <p>{`Keys that ${who} created here stay valid. Maintainers of ${account_id} can revoke them under “API keys”.`}</p>
    );
  }
  const { names, isMore } = state.value;
  if (names.length === 0 && !isMore) return <p>{`${isMe ? 'You have' : `${creator} has`} no valid key here.`}</p>;
  const rest = names.length - namesShown;
  const shown = names.slice(0, namesShown).map((name) => `“${name}”`);
  return (
    <p>
      Keys that {who} created stay valid: {shown.join(', ')}
      {isMore ? ' and more' : rest > 0 ? ` and ${rest} more` : ''}. Revoke the keys that nobody needs:{' '}
      <a href={hrefOf(createdKeysPath(account_id, creator))}>keys that {who} created</a>.
    </p>
  );
}

/** Loads the first page of the keys that the user created. The warning about valid keys names only these. */
async function keysLeft({ account_id, repository_id, creator }: Omit<KeysLeftProps, 'isMe'>): Promise<Left> {
  const params = { path: { account_id }, query: { created_by: creator, limit: 100 } };
  try {
    const { data, next } = await answerOf(api.GET('/accounts/{account_id}/keys', { params }));
    const isOfThis = (key: Schemas['CreatedKey']) => repository_id === undefined || key.repository_id === repository_id;
    const live = data.filter((key) => key.state === 'active' && isOfThis(key));
    return { names: live.map(({ name }) => name), isMore: next !== undefined };
  } catch (error) {
    if (problemOf(error).code === 'access_denied') return 'hidden';
    throw error;
  }
}
