import { api, type Called } from '../api/client.ts';
import { type EventGroup, groupEvents } from '../audit-trail/descriptions.ts';
import { Sentence, Times } from '../audit-trail/sentence.tsx';
import { List, useList } from '../components/list.tsx';
import { hrefOf } from '../router.ts';
import type { ViewProps } from '../routes.ts';
import { filled, Search, searchIn } from './search.tsx';

/**
 * Display names by ID. The map is empty, because administrators cannot read the other accounts' lists of keys and
 * members.
 */
const noNames = new Map<string, string>();

const hint = 'Type the start of the ID or name, then choose the account.';

/** Lists the changes that administrators made in the site and in accounts of other users, newest first. */
export function View({ query }: ViewProps) {
  const found = searchIn(query, 'actor_account_id', 'account_id');
  const { actor_account_id, account_id } = found;
  const list = useList(
    (page): Promise<Called<readonly EventGroup[]>> =>
      api.GET('/administration/actions', { params: { query: { ...page, ...filled(found) } } }),
    [actor_account_id, account_id],
  );
  return (
    <>
      <p class="lead">
        The changes that only administrators could make, newest first. Each is also in the audit trail of its account.
        Events are stored for 400 days.
      </p>
      <Search
        path="/administration/activity"
        search={found}
        fields={[
          { name: 'actor_account_id', label: 'Administrator', hint, isAccount: true },
          { name: 'account_id', label: 'Changed account', hint, isAccount: true },
        ]}
        all="Show all activity"
      />
      <List
        list={list}
        label="Activity of administrators"
        arrange={groupEvents}
        columns={[
          { title: 'Time', class: 'when', cell: (event) => <Times event={event} /> },
          {
            title: 'Event',
            cell: (event) => <Sentence event={event} account_id={event.account_id} names={noNames} />,
          },
          {
            title: 'Account',
            isLabeled: true,
            cell: ({ account_id, actor }) =>
              account_id === actor.account_id ? (
                'This site'
              ) : (
                <a href={hrefOf(`/accounts/${account_id}`)}>{account_id}</a>
              ),
          },
        ]}
        empty={
          actor_account_id === '' && account_id === ''
            ? 'No administrator has changed anything yet.'
            : 'No activity matches the search. Choose whole account IDs.'
        }
      />
    </>
  );
}
