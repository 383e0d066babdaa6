import { formatDay } from '../../../lib/pages/site/format.ts';
import { api, dataOf } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { List, useList } from '../components/list.tsx';
import type { AccountViewProps } from '../routes.ts';
import { NamedAccount, OfferedRepository, type Transfer, useTransferAnswers } from './transfer-offer.tsx';

/** Lists the transfer requests that this account has sent and received. */
export function View({ account: { account_id } }: AccountViewProps) {
  const list = useList(
    (query) => api.GET('/accounts/{account_id}/transfers', { params: { path: { account_id }, query } }),
    [account_id],
  );
  const { answers, acceptDialog, act } = useTransferAnswers(list.reload);
  const withdraw = ({ transfer_id }: Transfer) =>
    act(
      () => dataOf(api.POST('/transfers/{transfer_id}/withdraw', { params: { path: { transfer_id } } })),
      'You withdrew the transfer request.',
    );
  const actions = (each: Transfer) => {
    if (each.state !== 'offered') return null;
    if (each.to === account_id) return answers(each, { accept: 'small', decline: 'small' });
    const of = `${each.account_id}/${each.repository_id}`;
    return <Button kind="small" label="Withdraw" of={of} onClick={() => void withdraw(each)} />;
  };
  return (
    <>
      <List
        list={list}
        label="Transfers"
        columns={[
          { title: 'Repository', cell: (each) => <OfferedRepository offer={each} /> },
          {
            title: 'From and to',
            isLabeled: true,
            cell: (each) => (
              <>
                <NamedAccount id={each.account_id} name={each.account_name} /> →{' '}
                <NamedAccount id={each.to} name={each.to_name} />
              </>
            ),
          },
          {
            title: 'State',
            isLabeled: true,
            cell: ({ state, expires_at, state_changed }) => (
              <>
                {state === 'offered' ? 'requested' : state}{' '}
                <span class="soft">
                  {state === 'offered' ? `until ${formatDay(expires_at)}` : formatDay(state_changed)}
                </span>
              </>
            ),
          },
          { title: 'Actions', cell: (each) => <div class="row-actions">{actions(each)}</div> },
        ]}
        empty="There is no transfer request. To transfer a repository, open its settings."
      />
      {acceptDialog}
    </>
  );
}
