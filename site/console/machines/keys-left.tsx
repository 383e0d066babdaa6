import { answerOf, api, type Schemas } from '../api/client.ts';
import { problemOf } from '../api/problem.ts';
import { type Loading, useLoading } from '../components/loaded.tsx';
import { hrefOf } from '../router.ts';
import { texts } from '../texts.ts';
import { createdKeysPath } from './created-keys.tsx';

/** Names of valid keys. `hidden` when the user may not see them. */
type Left = { names: readonly string[]; isMore: boolean } | 'hidden';

interface KeysLeftProps {
  account_id: string;
  /** The repository, if the role is for one repository only. */
  repository_id: string | undefined;
  /** The account ID of the user who leaves. */
  maker: string;
  isMe: boolean;
}

const namesShown = 3;

/** Warns about keys that stay valid after a user leaves, with a link to revoke them. */
export function KeysLeft({ account_id, repository_id, maker, isMe }: KeysLeftProps) {
  const loading: Loading<Left> = useLoading(() => keysLeft({ account_id, repository_id, maker }), [account_id, maker]);
  const who = isMe ? 'you' : maker;
  const state = loading.state.value;
  if (state.kind === 'loading')
    return (
      <p class="soft" role="status">
        {texts.loading}
      </p>
    );
  const left = state.kind === 'failed' ? 'hidden' : state.value;
  if (left === 'hidden') {
    return (
      <p>{`Keys that ${who} made here go on working. Whoever manages ${account_id} sees them under “API keys” and ends those that nobody needs.`}</p>
    );
  }
  const { names, isMore } = left;
  if (names.length === 0 && !isMore)
    return <p>{`${isMe ? 'You leave' : `${maker} leaves`} no key behind that works.`}</p>;
  const rest = names.length - namesShown;
  const more = isMore ? ' and more' : rest > 0 ? ` and ${rest} more` : '';
  return (
    <p>
      Keys that {who} made go on working:{' '}
      {names.slice(0, namesShown).map((name, index) => (
        <>
          {index > 0 && ', '}“{name}”
        </>
      ))}
      {more}.{isMe ? ' End those that nobody needs before you go:' : ' End those that nobody needs:'}{' '}
      <a href={hrefOf(createdKeysPath(account_id, maker))}>keys that {who} made</a>.
    </p>
  );
}

/** Loads the first page of the user's keys. Nobody reads more names than that. */
async function keysLeft({ account_id, repository_id, maker }: Omit<KeysLeftProps, 'isMe'>): Promise<Left> {
  const params = { path: { account_id }, query: { created_by: maker, limit: 100 } };
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
