import { formatDay } from '../../../lib/pages/site/format.ts';
import { answerOf, api, pageQuery, type Schemas } from '../api/client.ts';
import { List, useList } from '../components/list.tsx';
import { hrefOf } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';
import { describeAudience, modeTerm } from './data-modes.ts';

type Repository = Schemas['Repository'];

/** Lists the repositories of an account. */
export function View({ account: { account_id, account, may } }: AccountViewProps) {
  const list = useList(
    (cursor) =>
      answerOf(
        api.GET('/repositories/{account_id}', {
          params: { path: { account_id }, query: pageQuery(cursor) },
        }),
      ),
    [account_id],
  );
  const create =
    may('createRepository') && account?.account_type !== 'service' ? (
      <p>
        <a class="button" href={hrefOf(`/accounts/${account_id}/new-repository`)}>
          New repository
        </a>
      </p>
    ) : null;
  const row = (each: Repository) => (
    <>
      <td>
        <a href={hrefOf(`/repositories/${account_id}/${each.repository_id}`)}>
          {each.meta.title || each.repository_id}
        </a>
        <br />
        <span class="soft">{each.repository_id}</span>
      </td>
      <td data-label={modeTerm}>{each.disabled ? 'Disabled: nobody' : describeAudience(each)}</td>
      <td class="when" data-label="Updated">
        {formatDay(each.updated ?? each.published)}
      </td>
    </>
  );
  return (
    <>
      {create}
      <List
        list={list}
        label="Repositories"
        columns={['Repository', modeTerm, 'Updated']}
        row={row}
        empty={
          create === null ? (
            <p>There is no repository that you may read.</p>
          ) : (
            <p>There is no repository yet. Make one: it is the place of one data set, and gets a URL of its own.</p>
          )
        }
      />
    </>
  );
}
