import { useState } from 'preact/hooks';
import { repositoryPath } from '../../../lib/pages/site/links.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs.tsx';
import { Form } from '../components/form.tsx';
import { notify } from '../components/notices.tsx';
import { useAction } from '../components/once.ts';
import { dropMembership } from '../signed-in-user.ts';

export type Transfer = Schemas['ListedTransfer'];

/**
 * Shows an account's ID and then its display name. The ID comes first because a display name is free text and can
 * imitate another account.
 */
export function NamedAccount({ id, name }: { id: string; name: string | null | undefined }) {
  return (
    <>
      <strong>{id}</strong>
      {name && (
        <>
          {' '}
          <span class="soft">
            (<bdi>{name}</bdi>)
          </span>
        </>
      )}
    </>
  );
}

/**
 * Links to the repository's public page while the transfer request is open. Later there is no link, because another
 * repository may have the same name.
 */
export function OfferedRepository({ offer: { account_id, repository_id, state } }: { offer: Transfer }) {
  const name = `${account_id}/${repository_id}`;
  return state === 'offered' ? <a href={repositoryPath({ account_id, repository_id })}>{name}</a> : name;
}

/**
 * Returns the buttons that accept or decline a transfer request to this account, and a dialog. The view must render
 * both.
 */
export function useTransferAnswers(reload: () => Promise<unknown>) {
  const { act, busy } = useAction(reload);
  const [accepting, setAccepting] = useState<Transfer>();
  const answers = (offer: Transfer, kinds: { accept: 'button' | 'small'; decline: 'plain' | 'small' }) => {
    const of = `${offer.account_id}/${offer.repository_id}`;
    const params = { path: { transfer_id: offer.transfer_id } };
    const decline = () => dataOf(api.POST('/transfers/{transfer_id}/decline', { params }));
    return (
      <>
        <Button kind={kinds.accept} label="Accept …" of={of} {...busy} onClick={() => setAccepting(offer)} />
        <Button
          kind={kinds.decline}
          label="Decline"
          of={of}
          {...busy}
          onClick={() => void act(decline, 'You declined the transfer request.')}
        />
      </>
    );
  };
  const acceptDialog = accepting && (
    <AcceptDialog offer={accepting} onAccepted={reload} onClose={() => setAccepting(undefined)} />
  );
  return { answers, acceptDialog, act };
}

interface AcceptDialogProps {
  offer: Transfer;
  onAccepted: () => Promise<unknown>;
  onClose: () => void;
}

/** Explains the effect before the user accepts: the account then publishes content that another account created. */
function AcceptDialog({ offer, onAccepted, onClose }: AcceptDialogProps) {
  const { transfer_id, account_id, account_name, repository_id, to } = offer;
  const accept = async () => {
    await dataOf(api.POST('/transfers/{transfer_id}/accept', { params: { path: { transfer_id } } }));
    dropMembership({ account_id, repository_id });
    await onAccepted();
    notify(`The repository is ${to}/${repository_id} now.`);
    onClose();
  };
  return (
    <Dialog title={`Accept ${repository_id}?`} onClose={onClose}>
      <p>
        <NamedAccount id={account_id} name={account_name} /> wants to transfer <OfferedRepository offer={offer} /> to
        you. Check the account ID, because anyone can choose any display name. Look at the repository's page first. You
        may not see the data of a private repository.
      </p>
      <ul class="stops">
        <li>
          The repository becomes <code>{`${to}/${repository_id}`}</code>. Its data is published under your account's
          name, and its visibility does not change.
        </li>
        <li>You are responsible for its content. Only an owner of your account can delete or transfer it.</li>
        <li>Its keys, grants and memberships end.</li>
      </ul>
      <Form onSubmit={accept} submitLabel="Accept repository" onCancel={onClose} />
    </Dialog>
  );
}
