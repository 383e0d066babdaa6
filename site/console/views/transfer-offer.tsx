import { repositoryPath } from '../../../lib/pages/site/links.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Dialog } from '../components/dialogs.tsx';
import { Form } from '../components/form.tsx';
import { notify } from '../components/notices.tsx';

export type Transfer = Schemas['ListedTransfer'];

/**
 * Shows an account by its ID, followed by its display name. Only the ID is trustworthy, because display names are free
 * text.
 */
export function NamedAccount({ id, name }: { id: string; name: string | null | undefined }) {
  return (
    <>
      <strong>{id}</strong>
      {name ? (
        <>
          {' '}
          <span class="soft">
            (<bdi>{name}</bdi>)
          </span>
        </>
      ) : (
        ''
      )}
    </>
  );
}

/** Links to the public page while the offer is open. Later, the name may belong to another repository. */
export function OfferedRepository({ offer: { account_id, repository_id, state } }: { offer: Transfer }) {
  const name = `${account_id}/${repository_id}`;
  return state === 'offered' ? <a href={repositoryPath({ account_id, repository_id })}>{name}</a> : name;
}

interface AcceptDialogProps {
  offer: Transfer;
  onAccepted: () => Promise<unknown>;
  onClose: () => void;
}

/** Explains the effect before the user accepts, because the account then publishes content of another author. */
export function AcceptDialog({ offer, onAccepted, onClose }: AcceptDialogProps) {
  const { transfer_id, account_id, account_name, repository_id, to } = offer;
  const accept = async () => {
    await dataOf(api.POST('/transfers/{transfer_id}/accept', { params: { path: { transfer_id } } }));
    await onAccepted();
    notify(`The repository is ${to}/${repository_id} now.`);
    onClose();
  };
  return (
    <Dialog title={`Accept ${repository_id}?`} onClose={onClose}>
      <p>
        <NamedAccount id={account_id} name={account_name} /> offers <OfferedRepository offer={offer} />. A name is what
        an account calls itself: go by the ID. Look at the page first; of a private repository it may show you nothing.
      </p>
      <ul class="stops">
        <li>
          It becomes{' '}
          <code>
            {to}/{repository_id}
          </code>
          . Its data is published under your account's name, to those who may read it now.
        </li>
        <li>You answer for what is in it. Only an owner here can delete it or offer it to another.</li>
        <li>Its keys, grants and memberships end.</li>
      </ul>
      <Form onSubmit={accept} submitLabel="Accept the repository" onCancel={onClose}>
        {() => null}
      </Form>
    </Dialog>
  );
}
