import { useState } from 'preact/hooks';
import { formatDay } from '../../../lib/pages/site/format.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { SecretDialog } from '../components/dialogs.tsx';
import { Form } from '../components/form.tsx';
import { LinkForm, NewLinkDialog } from '../components/link-form.tsx';
import { List, type LoadPage, useList } from '../components/list.tsx';
import { useAction } from '../components/once.ts';
import { hrefOf } from '../router.ts';
import { roleLabels, roleOptions } from './roles.ts';

type InvitationLink = Schemas['ListedInvitationLink'];
type Link = Schemas['ListedLink'];
type Role = Schemas['MembershipRole'];

const stateLabels = { open: 'Open', used: 'Used', expired: 'Expired', ended: 'Ended' } as const;

interface InvitationLinksProps {
  of: string;
  keys: readonly string[];
  roles: readonly Role[];
  mayCreate: boolean;
  load: LoadPage<InvitationLink>;
  create: (role: Role) => Promise<{ invitation_link_id: string; secret: string }>;
  revoke: (invitation_link_id: string) => Promise<unknown>;
}

/** Lists the invitation links of an account or a repository. Users with the permission create and revoke them. */
export function InvitationLinks({ of, keys, roles, mayCreate, load, create, revoke }: InvitationLinksProps) {
  const list = useList(load, keys);
  const [values, setValues] = useState({ role: 'read_data' as Role });
  const [url, setUrl] = useState<string>();
  const { act, busy } = useAction(list.reload);
  const mail = `Open this link to become a member of ${of}. It works once, within 14 days:\n\n${url}`;
  return (
    <section>
      <h2>Invitation links</h2>
      {mayCreate && (
        <Form
          summary="Create an invitation link"
          submitLabel="Create link"
          values={values}
          onChange={setValues}
          onSubmit={async () => {
            const { invitation_link_id, secret } = await create(values.role);
            setUrl(`${location.origin}${hrefOf(`/invitation-links/${invitation_link_id}`)}#${secret}`);
            await list.reload();
          }}
          fields={[{ name: 'role', label: 'Role', options: roleOptions(roles) }]}
        />
      )}
      <List
        list={list}
        label={`Invitation links of ${of}`}
        columns={[
          { title: 'Role', cell: ({ role }) => roleLabels[role].name },
          {
            title: 'State',
            isLabeled: true,
            cell: ({ state, used_by }) => `${stateLabels[state]}${used_by ? ` by ${used_by}` : ''}`,
          },
          { title: 'Created by', isLabeled: true, cell: (each) => each.created_by_name ?? each.created_by },
          { title: 'Expires', isLabeled: true, cell: ({ expires_at }) => formatDay(expires_at) },
          {
            title: 'Actions',
            cell: ({ state, role, created_by, invitation_link_id: id }) =>
              state === 'open' && (
                <Button
                  kind="small"
                  label="Revoke"
                  of={`the link of ${created_by} for ${roleLabels[role].one}`}
                  {...busy}
                  onClick={() => void act(() => revoke(id), 'Revoked.')}
                />
              ),
          },
        ]}
        empty="There is no invitation link yet. Create one for a user whose account you do not know."
      />
      {url !== undefined && (
        <SecretDialog title="The invitation link" values={[['Link', url]]} onClose={() => setUrl(undefined)}>
          <p>
            The first user who opens it and accepts becomes a member.{' '}
            <a href={`mailto:?subject=${encodeURIComponent(`Invitation to ${of}`)}&body=${encodeURIComponent(mail)}`}>
              Write a mail with the link
            </a>
          </p>
        </SecretDialog>
      )}
    </section>
  );
}

/** Lists the links to the data of a repository. */
export function DataLinks({ account_id, repository_id }: { account_id: string; repository_id: string }) {
  const path = { account_id, repository_id };
  const list = useList(
    (query) => api.GET('/repositories/{account_id}/{repository_id}/links', { params: { path, query } }),
    [account_id, repository_id],
  );
  const [url, setUrl] = useState<string>();
  const { act, busy } = useAction(list.reload);
  const revoke = ({ link_id }: Link) =>
    dataOf(
      api.DELETE('/repositories/{account_id}/{repository_id}/links/{link_id}', {
        params: { path: { ...path, link_id } },
      }),
    );
  return (
    <section>
      <h2>Links to data</h2>
      <p class="soft">Readers of a link need no account. They read the files that it shows, and nothing else.</p>
      <LinkForm
        location={path}
        summary="Share a link"
        onCreated={(created) => {
          setUrl(created);
          return list.reload();
        }}
      />
      <List
        list={list}
        label="Links to data"
        columns={[
          { title: 'Folder or file', cell: ({ prefix }) => prefix || 'All files' },
          { title: 'Note', isLabeled: true, cell: ({ note }) => note },
          { title: 'State', isLabeled: true, cell: ({ state }) => stateLabels[state] },
          { title: 'Created by', isLabeled: true, cell: (each) => each.created_by_name ?? each.created_by },
          { title: 'Expires', isLabeled: true, cell: ({ expires_at }) => formatDay(expires_at) },
          {
            title: 'Last used',
            isLabeled: true,
            cell: (each) => (each.last_used_at ? formatDay(each.last_used_at) : 'Never'),
          },
          {
            title: 'Actions',
            cell: (each) =>
              each.state === 'open' && (
                <Button
                  kind="small"
                  label="Revoke"
                  of={each.note || each.prefix || 'the link to all files'}
                  {...busy}
                  onClick={() => void act(() => revoke(each), 'Revoked.')}
                />
              ),
          },
        ]}
        empty="There is no link yet."
      />
      {url !== undefined && <NewLinkDialog url={url} onClose={() => setUrl(undefined)} />}
    </section>
  );
}
