import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Schemas } from '../api/client.ts';
import { configuration } from '../configuration.ts';
import { hrefOf } from '../router.ts';
import type { AccountScope, RepositoryScope } from '../scopes.ts';
import { setTitle } from '../tab-title.ts';
import { Minute } from './time.tsx';

type Disabled = Pick<Schemas['Account'], 'disabled' | 'disabled_by' | 'disabled_at' | 'disabled_reason'>;

/** Tells users that their own account is disabled. */
export function OwnBanner({ account }: { account: Schemas['Account'] }) {
  return <DisabledBanner subject="Your account" state={account} account_id={account.account_id} />;
}

export function AccountBanner({ scope: { account_id, account, name, may } }: { scope: AccountScope }) {
  const enablePath = may('enableAccount') ? `/accounts/${account_id}/settings/danger-zone` : undefined;
  return account && <DisabledBanner subject={name} state={account} account_id={account_id} enablePath={enablePath} />;
}

/** Shows that a repository or its account is disabled, or the time at which the repository will be deleted. */
export function RepositoryBanner({ scope }: { scope: RepositoryScope }) {
  const { account_id, repository_id, repository, disabledAccount, title, may } = scope;
  const settings = `/repositories/${account_id}/${repository_id}/settings/danger-zone`;
  if (repository.delete_at !== undefined)
    return (
      <DeletionBanner deleteAt={repository.delete_at} restorePath={may('restoreRepository') ? settings : undefined} />
    );
  if (disabledAccount !== undefined)
    return <DisabledBanner subject={`The account ${account_id}`} state={disabledAccount} account_id={account_id} />;
  const enablePath = may('enableRepository') ? settings : undefined;
  return <DisabledBanner subject={title} state={repository} account_id={account_id} enablePath={enablePath} />;
}

/** Shows a link from the old path of a transferred repository to its new path. */
export function MovedPage({ scope }: { scope: RepositoryScope }) {
  const { account_id, repository_id, repository, title } = scope;
  const path = `${repository.account_id}/${repository.repository_id}`;
  useEffect(() => setTitle(`${title} · ${configuration.site_name}`), [title]);
  return (
    <>
      <h1 tabindex={-1}>{title}</h1>
      <p>
        This repository was transferred from{' '}
        <strong>
          {account_id}/{repository_id}
        </strong>{' '}
        to <strong>{path}</strong>. Replace the old path in links, scripts, and settings of clients.
      </p>
      <p class="actions">
        <a class="button" href={hrefOf(`/repositories/${path}`)}>
          Go to {path}
        </a>
      </p>
    </>
  );
}

interface DisabledBannerProps {
  /** The name of the disabled account or repository, as the subject of a sentence. */
  subject: string;
  state: Disabled;
  /** The account whose owners can enable the disabled resource. */
  account_id: string;
  /** The view in which users enable the resource. Undefined for users who may not enable it. */
  enablePath?: string | undefined;
}

/** Explains why a resource is disabled, since when, and who can enable it. */
function DisabledBanner({ subject, state, account_id, enablePath }: DisabledBannerProps) {
  if (!state.disabled) return null;
  const isByAdmin = state.disabled_by === 'admin';
  return (
    <Banner title={`${subject} is disabled`}>
      <p>
        {isByAdmin ? 'An administrator of this site' : 'An owner or a maintainer'} disabled it
        {state.disabled_at !== undefined && (
          <>
            {' '}
            on <Minute time={Date.parse(state.disabled_at)} />
          </>
        )}
        . Nobody can read or write its data.
      </p>
      {state.disabled_reason !== undefined && (
        <blockquote>
          <bdi>{state.disabled_reason}</bdi>
        </blockquote>
      )}
      <p>
        {enablePath !== undefined ? (
          <>
            You can <a href={hrefOf(enablePath)}>enable it again in the settings</a>.
          </>
        ) : isByAdmin ? (
          <>
            To have it enabled, contact <OperatorContact />.
          </>
        ) : (
          <>
            To have it enabled, contact an owner of <a href={hrefOf(`/accounts/${account_id}/people`)}>{account_id}</a>.
          </>
        )}
      </p>
    </Banner>
  );
}

/** Shows when a repository will be deleted, and how users can prevent this. */
function DeletionBanner({ deleteAt, restorePath }: { deleteAt: string; restorePath: string | undefined }) {
  return (
    <Banner title="This repository will be deleted">
      <p>
        It is disabled, and will be deleted with its versions after <Minute time={Date.parse(deleteAt)} />.
      </p>
      <p>
        {restorePath === undefined ? (
          'Until then, its owners can take the deletion back.'
        ) : (
          <>
            Until then, you can <a href={hrefOf(restorePath)}>take the deletion back in the settings</a>.
          </>
        )}
      </p>
    </Banner>
  );
}

function Banner({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="notice problem banner" aria-label={title}>
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </section>
  );
}

/**
 * Shows a link to the operator of the site. A contact that is neither an email address nor a web page is shown as text.
 */
function OperatorContact() {
  const { site_contact: contact, site_name: site } = configuration;
  if (contact === undefined) return <>the operator of {site}</>;
  const href = contact.includes('@') && !contact.includes('/') ? `mailto:${contact}` : contact;
  return <a href={href}>{contact}</a>;
}
