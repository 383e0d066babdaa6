import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { answerOf, api, dataOf, pageQuery } from '../api/client.ts';
import { List, useList } from '../components/list.tsx';
import { notify, notifyRefusal } from '../components/notices.tsx';
import type { AccountViewProps } from '../routes.ts';
import { AcceptDialog, NamedAccount, OfferedRepository, type Transfer } from './transfer-offer.tsx';

/** Lists the repositories that this account offers to others or is offered. */
export function View({ account: { account_id } }: AccountViewProps) {
  const list = useList(
    (cursor) =>
      answerOf(
        api.GET('/accounts/{account_id}/transfers', {
          params: { path: { account_id }, query: pageQuery(cursor) },
        }),
      ),
    [account_id],
  );
  const [accepting, setAccepting] = useState<Transfer>();
  const answer = async (send: () => Promise<unknown>, done: string) => {
    try {
      await send();
      notify(done);
    } catch (error) {
      notifyRefusal(error);
    }
    await list.reload();
  };
  const buttons = (each: Transfer) => {
    if (each.state !== 'offered') return null;
    const params = { path: { transfer_id: each.transfer_id } };
    if (each.to !== account_id) {
      return (
        <button
          type="button"
          class="small"
          onClick={() =>
            answer(() => dataOf(api.POST('/transfers/{transfer_id}/withdraw', { params })), 'You withdrew the offer.')
          }
        >
          Withdraw
        </button>
      );
    }
    return (
      <>
        <button
          type="button"
          class="small"
          aria-label={`Accept ${each.account_id}/${each.repository_id} …`}
          onClick={() => setAccepting(each)}
        >
          Accept …
        </button>
        <button
          type="button"
          class="small"
          onClick={() =>
            answer(() => dataOf(api.POST('/transfers/{transfer_id}/decline', { params })), 'You declined the offer.')
          }
        >
          Decline
        </button>
      </>
    );
  };
  const row = (each: Transfer) => (
    <>
      <td>
        <OfferedRepository offer={each} />
      </td>
      <td data-label="From and to">
        <NamedAccount id={each.account_id} name={each.account_name} /> →{' '}
        <NamedAccount id={each.to} name={each.to_name} />
      </td>
      <td data-label="State">
        {each.state}{' '}
        <span class="soft">
          {each.state === 'offered' ? `until ${formatDay(each.expires_at)}` : formatDay(each.state_changed)}
        </span>
      </td>
      <td>
        <div class="row-actions">{buttons(each)}</div>
      </td>
    </>
  );
  return (
    <>
      <List
        list={list}
        label="Transfers"
        columns={['Repository', 'From and to', 'State', 'Answer']}
        row={row}
        empty={<p>Nothing is offered. A repository is offered to another account in its settings.</p>}
      />
      {accepting !== undefined && (
        <AcceptDialog offer={accepting} onAccepted={list.reload} onClose={() => setAccepting(undefined)} />
      )}
    </>
  );
}
