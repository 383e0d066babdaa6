import { api, type Called } from '../api/client.ts';
import { type EventGroup, groupEvents } from '../audit-trail/descriptions.ts';
import { Sentence, Times } from '../audit-trail/sentence.tsx';
import { List, useList } from '../components/list.tsx';
import { hrefOf } from '../router.ts';

/**
 * Display names by ID. The map is empty, because administrators cannot read the other accounts' lists of keys and
 * members.
 */
const noNames = new Map<string, string>();

/** Lists the changes that administrators made in the site and in accounts of other users, newest first. */
export function View() {
  const list = useList(
    (query): Promise<Called<readonly EventGroup[]>> => api.GET('/administration/actions', { params: { query } }),
    [],
  );
  return (
    <>
      <p class="lead">
        The changes that only administrators could make, newest first. Each is also in the audit trail of its account.
        Events are stored for 400 days.
      </p>
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
        empty="No administrator has changed anything yet."
      />
    </>
  );
}
