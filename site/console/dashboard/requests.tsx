import { formatDay } from '../../../lib/pages/site/format.ts';
import { api, dataOf } from '../api/client.ts';
import { Bounded } from '../components/bounded.tsx';
import { Button } from '../components/button.tsx';
import { Loaded, type Loading, useLoading } from '../components/loaded.tsx';
import { useAction } from '../components/once.ts';
import { loadUser } from '../signed-in-user.ts';
import { roleLabels } from '../views/roles.ts';
import { NamedAccount, OfferedRepository, type Transfer, useTransferAnswers } from '../views/transfer-offer.tsx';
import { type AccountRights, type Membership, nameOf } from './scope.ts';

const shownAtFirst = 5;

/** Lists the invitations of the user. */
export function Invitations({ invited }: { invited: readonly Membership[] }) {
  const { act, busy } = useAction(loadUser);
  if (invited.length === 0) return null;
  return (
    <section class="block">
      <h2>Invitations</h2>
      <Bounded items={invited} max={shownAtFirst} of="invitations">
        {(shown) => (
          <ul class="cards">
            {shown.map((each) => {
              const params = { path: { membership_id: each.membership_id } };
              const accept = () => dataOf(api.POST('/memberships/{membership_id}/accept', { params }));
              const reject = () => dataOf(api.POST('/memberships/{membership_id}/reject', { params }));
              const from = nameOf(each);
              const where = each.repository_id === undefined ? from : `${each.repository_id} of ${from}`;
              const of = `the invitation to ${where}`;
              return (
                <li class="card" key={each.membership_id}>
                  <p>
                    <strong>{from}</strong> invited you{each.repository_id !== undefined && ` to ${each.repository_id}`}{' '}
                    as {roleLabels[each.role].one}.{' '}
                    <span class="soft">
                      {each.membership_account_id}, {formatDay(each.state_changed)}
                    </span>
                  </p>
                  <p class="actions">
                    <Button
                      kind="button"
                      label="Accept"
                      of={of}
                      {...busy}
                      onClick={() => void act(accept, `You are a member of ${where} now.`)}
                    />
                    <Button
                      kind="plain"
                      label="Reject"
                      of={of}
                      {...busy}
                      onClick={() => void act(reject, 'You rejected the invitation.')}
                    />
                  </p>
                </li>
              );
            })}
          </ul>
        )}
      </Bounded>
    </section>
  );
}

interface TransferRequestsProps {
  rights: Loading<readonly AccountRights[]>;
  /** Reload the repositories, because an accepted transfer adds one. */
  onAnswer: () => Promise<unknown>;
}

/** Lists the transfer requests to the user's account and to the organizations that the user owns. */
export function TransferRequests({ rights, onAnswer }: TransferRequestsProps) {
  return (
    <Quiet loading={rights}>
      {(accounts) => {
        const receivers = accounts.filter(({ may }) => may('listTransfers')).map(({ account_id }) => account_id);
        return receivers.length > 0 && <Received receivers={receivers} onAnswer={onAnswer} />;
      }}
    </Quiet>
  );
}

function Received({ receivers, onAnswer }: { receivers: readonly string[] } & Pick<TransferRequestsProps, 'onAnswer'>) {
  const loading = useLoading(() => loadReceived(receivers), receivers);
  const { answers, acceptDialog } = useTransferAnswers(() => Promise.all([loading.reload(), onAnswer()]));
  return (
    <>
      <Quiet loading={loading}>
        {(open) =>
          open.length > 0 && (
            <section class="block">
              <h2>Transfer requests</h2>
              <Bounded items={open} max={shownAtFirst} of="transfer requests">
                {(shown) => (
                  <ul class="cards">
                    {shown.map((each) => (
                      <li class="card" key={each.transfer_id}>
                        <p>
                          <NamedAccount id={each.account_id} name={each.account_name} /> wants to transfer{' '}
                          <OfferedRepository offer={each} /> to{' '}
                          {each.to === receivers[0] ? 'you' : <NamedAccount id={each.to} name={each.to_name} />}.{' '}
                          <span class="soft">Until {formatDay(each.expires_at)}</span>
                        </p>
                        <p class="actions">{answers(each, { accept: 'button', decline: 'plain' })}</p>
                      </li>
                    ))}
                  </ul>
                )}
              </Bounded>
            </section>
          )
        }
      </Quiet>
      {acceptDialog}
    </>
  );
}

async function loadReceived(receivers: readonly string[]): Promise<Transfer[]> {
  const lists = await Promise.all(
    receivers.map((account_id) =>
      dataOf(api.GET('/accounts/{account_id}/transfers', { params: { path: { account_id } } })),
    ),
  );
  return lists.flatMap((list, at) => list.filter(({ state, to }) => state === 'offered' && to === receivers[at]));
}

/** Renders a value that rarely exists. Shows nothing while it loads, so that the page does not move. */
function Quiet<Value>(props: Parameters<typeof Loaded<Value>>[0]) {
  return props.loading.state.value.kind === 'loading' ? null : <Loaded {...props} />;
}
