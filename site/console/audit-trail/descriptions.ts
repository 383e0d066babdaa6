import type { Schemas } from '../api/client.ts';
import { accessOptions } from '../machines/access.ts';
import { dataModeLabels } from '../views/data-modes.ts';
import { roleLabels } from '../views/roles.ts';

export type Kind = Schemas['AuditKind'];

/** Labels of the audit events by event kind, grouped by the resource. The filter lists them in the same order. */
export const kindLabels: Readonly<Record<Kind, string>> = {
  'account.created': 'Account created',
  'account.disabled': 'Account disabled',
  'account.enabled': 'Account enabled again',
  'account.deleted': 'Account deleted',
  'account.flags_set': 'Flags set',
  'account.repository_limit_set': 'Repository limit set',
  'account.blocked': 'Account blocked',
  'account.unblocked': 'Account unblocked',
  'profile.updated': 'Profile changed',
  'api_key.created': 'API key created',
  'api_key.revoked': 'API key revoked',
  'api_key.revoked_as_found': 'API key revoked after a leak report',
  'api_key.found': 'API key leaked',
  'membership.invited': 'Member invited',
  'membership.accepted': 'Invitation accepted',
  'membership.rejected': 'Invitation rejected',
  'membership.revoked': 'Membership ended',
  'membership.expired': 'Invitation expired',
  'membership.role_changed': 'Role changed',
  'membership.keys_left': 'Valid keys of a former member',
  'invitation_link.created': 'Invitation link created',
  'invitation_link.revoked': 'Invitation link revoked',
  'link.created': 'Link to data created',
  'link.first_used': 'Link to data used for the first time',
  'link.revoked': 'Link to data revoked',
  'data_connection.created': 'Data connection created',
  'data_connection.updated': 'Data connection changed',
  'data_connection.disabled': 'Data connection made read-only',
  'data_connection.enabled': 'Data connection enabled again',
  'data_connection.tested': 'Data connection tested',
  'data_connection.proved': 'Control of the storage shown',
  'data_connection.demoted': 'Data connection made a draft, because others can use its role',
  'data_connection.failed': 'Storage of a data connection failed',
  'data_connection.deleted': 'Data connection deleted',
  'repository.created': 'Repository created',
  'repository.updated': 'Repository changed',
  'repository.disabled': 'Repository disabled',
  'repository.enabled': 'Repository enabled again',
  'repository.data_mode_changed': 'Visibility changed',
  'repository.featured': 'Place on the front page changed',
  'repository.deletion_scheduled': 'Deletion of a repository scheduled',
  'repository.restored': 'Deletion of a repository taken back',
  'repository.deleted': 'Repository deleted',
  'repository.inventory_requested': 'Count of the files requested',
  'file_deletion.started': 'Deletion of files started',
  'file_deletion.ended': 'Files deleted',
  'file_deletion.stopped': 'Deletion of files stopped',
  'version.created': 'Version created',
  'version.ready': 'Version frozen',
  'version.failed': 'Version could not be frozen',
  'version.withdrawn': 'Version withdrawn',
  'version.doi_changed': 'DOI of a version changed',
  'version.doi_submitted': 'DOI of a version sent to DataCite',
  'version.verification_started': 'Verification of a version started',
  'version.verified': 'Version verified',
  'version.damaged': 'Version with missing or changed objects',
  'version.verification_failed': 'Version could not be verified',
  'transfer.offered': 'Transfer requested',
  'transfer.accepted': 'Transfer accepted',
  'transfer.declined': 'Transfer declined',
  'transfer.withdrawn': 'Transfer request withdrawn',
  'transfer.ended': 'Transfer request expired',
  'service_account.created': 'Service account created',
  'service_account.updated': 'Service account changed',
  'service_account.sessions_ended': 'Sessions of a key or workflow ended',
  'service_account.disabled': 'Service account disabled',
  'service_account.enabled': 'Service account enabled again',
  'service_account.deleted': 'Service account deleted',
  'service_account_key.issued': 'Service account key created',
  'service_account_key.expiry_changed': 'Service account key expiry changed',
  'service_account_key.revoked': 'Service account key revoked',
  'service_account_key.revoked_as_found': 'Service account key revoked after a leak report',
  'service_account_key.found': 'Service account key leaked',
  'grant.set': 'Grant set',
  'grant.removed': 'Grant removed',
  'workflow.trusted': 'Workflow trusted',
  'workflow.removed': 'Trusted workflow removed',
  'issuer.registered': 'Issuer registered',
  'issuer.deleted': 'Issuer deleted',
  'workflow.pinned': 'Workflow pinned to its repository',
  'sign_in.refused': 'Sign-in of a service account refused',
  'data_credentials.issued': 'Data credentials issued',
};

type Event = Schemas['AuditEvent'];

/**
 * The predicate of the sentence that describes an event. The subject of the sentence is the actor. `{field}` stands for
 * a field of the event. A part in brackets is omitted if the event lacks its field.
 */
export const sentences: Readonly<Record<Kind, string>> = {
  'account.created': 'created the account {account_id}',
  'account.disabled': 'disabled the account {account_id}[: {reason}]',
  'account.enabled': 'enabled the account {account_id} again',
  'account.deleted': 'deleted the account {account_id}',
  'account.flags_set': 'changed the flags of {account_id}',
  'account.repository_limit_set': 'changed how many repositories {account_id} may have',
  'account.blocked': 'blocked invitations from {blocked_account_id}',
  'account.unblocked': 'allowed invitations from {blocked_account_id} again',
  'profile.updated': 'changed the profile of {account_id}',
  'api_key.created': 'created the API key {access_key_id}[ of the repository {repository_id}]',
  'api_key.revoked': 'revoked the API key {access_key_id}[ of the repository {repository_id}]',
  'api_key.revoked_as_found': 'reported the leaked API key {access_key_id}, which was then revoked',
  'api_key.found': 'reported the leaked API key {access_key_id}',
  'membership.invited': 'invited {account_id}[ to the repository {repository_id}][ as {role}]',
  'membership.accepted': 'accepted an invitation[ to the repository {repository_id}][ as {role}]',
  'membership.rejected': 'declined an invitation[ to the repository {repository_id}][ as {role}]',
  'membership.revoked': 'ended the membership of {account_id}[ in the repository {repository_id}]',
  'membership.expired': 'ended the invitation of {account_id}[ to the repository {repository_id}], because it expired',
  'membership.role_changed': 'changed the role of {account_id}[ in the repository {repository_id}][ to {role}]',
  'membership.keys_left': 'found valid keys of the former member {account_id}',
  'invitation_link.created': 'created an invitation link[ to the repository {repository_id}][ for the role {role}]',
  'invitation_link.revoked': 'revoked an invitation link[ to the repository {repository_id}][ for the role {role}]',
  'data_connection.created': 'connected the storage {data_connection_id}',
  'data_connection.updated': 'changed the storage connection {data_connection_id}',
  'data_connection.disabled': 'made the storage connection {data_connection_id} read-only',
  'data_connection.enabled': 'enabled the storage connection {data_connection_id} again',
  'data_connection.tested': 'tested the storage connection {data_connection_id}',
  'data_connection.proved': 'showed control of the storage of {data_connection_id}',
  'data_connection.demoted': 'made {data_connection_id} a draft, because others can use its role',
  'data_connection.failed': 'could not use the storage of {data_connection_id}',
  'data_connection.deleted': 'deleted the storage connection {data_connection_id}',
  'repository.created': 'created the repository {repository_id}',
  'repository.updated': 'changed the repository {repository_id}',
  'repository.disabled': 'disabled the repository {repository_id}[: {reason}]',
  'repository.enabled': 'enabled the repository {repository_id} again',
  'repository.data_mode_changed': 'changed the visibility of the repository {repository_id}[ to {data_mode}]',
  'repository.featured': 'changed the position of the repository {repository_id} on the front page',
  'repository.deletion_scheduled': 'scheduled the deletion of the repository {repository_id}',
  'repository.restored': 'took the deletion of the repository {repository_id} back',
  'repository.deleted': 'deleted the repository {repository_id}',
  'repository.inventory_requested': 'requested a count of the files in {repository_id}',
  'file_deletion.started': 'began to delete the files of the repository {repository_id}',
  'file_deletion.ended': 'deleted the files of the repository {repository_id}',
  'file_deletion.stopped': 'stopped the deletion of the files of the repository {repository_id}',
  'version.created': 'began the version {name} of the repository {repository_id}',
  'version.ready': 'froze the version {name} of the repository {repository_id}',
  'version.failed': 'could not freeze the version {name} of the repository {repository_id}',
  'version.withdrawn': 'withdrew the version {name} of the repository {repository_id}',
  'version.doi_changed': 'changed the DOI of the version {name} of {repository_id}',
  'version.doi_submitted': 'sent the DOI of the version {name} of {repository_id} to DataCite',
  'version.verification_started': 'began to verify the version {name} of {repository_id}',
  'version.verified': 'verified the version {name} of {repository_id}',
  'version.damaged': 'found missing or changed objects in the version {name} of {repository_id}',
  'version.verification_failed': 'could not verify the version {name} of {repository_id}',
  'transfer.offered': 'offered the repository {repository_id} to {to}',
  'transfer.accepted': 'accepted the transfer of the repository {repository_id}',
  'transfer.declined': 'declined the transfer of the repository {repository_id}',
  'transfer.withdrawn': 'withdrew the offer of the repository {repository_id} to {to}',
  'transfer.ended': 'ended the offer of the repository {repository_id} to {to}',
  'service_account.created': 'created the service account {service_account_id}',
  'service_account.updated': 'changed the service account {service_account_id}',
  'service_account.sessions_ended': 'ended sessions of the service account {service_account_id}',
  'service_account.disabled': 'disabled the service account {service_account_id}',
  'service_account.enabled': 'enabled the service account {service_account_id} again',
  'service_account.deleted': 'deleted the service account {service_account_id}',
  'service_account_key.issued': 'created the key {key_id} of {service_account_id}',
  'service_account_key.expiry_changed': 'changed the expiry of the key {key_id} of {service_account_id}',
  'service_account_key.revoked': 'revoked the key {key_id} of {service_account_id}',
  'service_account_key.revoked_as_found':
    'reported the leaked key {key_id} of {service_account_id}, which was then revoked',
  'service_account_key.found': 'reported the leaked key {key_id} of {service_account_id}',
  'grant.set': 'gave {service_account_id} access to the repository {repository_id}[: {access}]',
  'grant.removed': 'removed the access of {service_account_id} to the repository {repository_id}',
  'workflow.trusted': 'trusted the workflow {workflow_id} to sign in as {service_account_id}',
  'workflow.removed': 'removed the trust in the workflow {workflow_id} of {service_account_id}',
  'issuer.registered': 'registered the issuer {issuer}',
  'issuer.deleted': 'deleted the issuer {issuer}',
  'workflow.pinned': 'signed in first and pinned the workflow {workflow_id} to its repository',
  'link.created': 'created a link to data of the repository {repository_id}',
  'link.first_used': 'opened a link to data of the repository {repository_id} for the first time',
  'link.revoked': 'revoked a link to data of the repository {repository_id}',
  'sign_in.refused': 'could not sign in as {service_account_id}',
  'data_credentials.issued': 'got credentials for data[ of the repository {repository_id}]',
};

/** Sentences of `data_credentials.issued`, by the purpose of the credentials. */
const purposeSentences: Readonly<Record<string, string | undefined>> = {
  page: 'opened files[ of the repository {repository_id}]',
  link: 'created a link to a file[ of the repository {repository_id}]',
  tool: 'signed in with a tool',
  workflow: 'signed in[ as {service_account_id}]',
};

/** A piece of a sentence: text, or a field of the event. */
export type Piece = { text: string } | { field: string; value: string };

/** Returns the pieces of the sentence about an event. An unknown kind of a newer API version is shown by its name. */
export function sentenceOf({ kind, subject }: Pick<Event, 'kind' | 'subject'>): readonly Piece[] {
  const purpose = kind === 'data_credentials.issued' ? purposeSentences[subject['to'] ?? ''] : undefined;
  const known: Readonly<Record<string, string | undefined>> = sentences;
  const template = purpose ?? known[kind] ?? `did “${kind}”`;
  const kept = template.replaceAll(/\[([^[\]]*)\]/g, (_, part: string) =>
    fieldsIn(part).every((field) => subject[field] !== undefined) ? part : '',
  );
  return kept.split(/(\{\w+\})/).flatMap((part): Piece[] => {
    const [field] = fieldsIn(part);
    if (field === undefined) return part === '' ? [] : [{ text: part }];
    return [{ field, value: subject[field] ?? '' }];
  });
}

function fieldsIn(template: string): string[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, field = '']) => field);
}

/** An event, with the number of equal events directly before it and the time of the earliest one. */
export type EventGroup = Event & { repeats?: { count: number; since: string } };

/** Groups successive events in which one actor did the same to one resource. `events` are sorted newest first. */
export function groupEvents(events: readonly Event[]): readonly EventGroup[] {
  const groups: EventGroup[] = [];
  for (const event of events) {
    const last = groups.at(-1);
    if (last === undefined || sameness(last) !== sameness(event)) groups.push({ ...event });
    else last.repeats = { count: (last.repeats?.count ?? 1) + 1, since: event.time };
  }
  return groups;
}

function sameness({ kind, account_id, actor, subject }: Event): string {
  return JSON.stringify([kind, account_id, actor.account_id, actor.access_key_id, Object.entries(subject).toSorted()]);
}

/** Returns how the caller authenticated. */
export function describeCaller({ kind, actor }: Pick<Event, 'kind' | 'actor'>): string {
  if (actor.account_id === null) {
    if (kind.endsWith('found')) return 'somebody without sign-in';
    if (kind === 'workflow.pinned' || kind === 'data_credentials.issued') return 'a CI job';
    return kind === 'sign_in.refused' ? 'refused software' : 'Sluice';
  }
  if (actor.access_key_id !== undefined) return 'with an API key';
  return actor.acting_as === 'platform_admin' ? 'as an administrator' : 'signed in';
}

const subjectWords: Readonly<Record<string, string>> = {
  access: 'access',
  access_key_id: 'API key',
  account_id: 'account',
  blocked_account_id: 'account',
  data_connection_id: 'data connection',
  data_mode: 'visibility',
  issuer_id: 'registered issuer',
  key_id: 'key',
  membership_id: 'membership',
  repository_id: 'repository',
  service_account_id: 'service account',
  transfer_id: 'transfer',
  workflow_id: 'workflow',
};

export function subjectName(name: string): string {
  return subjectWords[name] ?? name.replaceAll('_', ' ');
}

type Words = ReadonlyMap<string, string>;
const namesIn = (words: Readonly<Record<string, { name: string }>>): Words =>
  new Map(Object.entries(words).map(([value, { name }]) => [value, name]));

/** Labels for the values of event fields, by field name. Other views of the console use the same labels. */
const valueWords: ReadonlyMap<string, Words> = new Map([
  ['access', new Map<string, string>(accessOptions)],
  ['data_mode', namesIn(dataModeLabels)],
  ['role', namesIn(roleLabels)],
]);

/** Returns the label of a field's value. Values without a label, such as IDs, are returned unchanged. */
export function valueName(name: string, value: string): string {
  return valueWords.get(name)?.get(value) ?? value;
}

/** Returns the console path of the resource with this ID, or undefined if it has no view. */
export function pathOfSubject(
  name: string,
  value: string,
  subject: Readonly<Record<string, string>>,
  trailOf: string,
): string | undefined {
  const part = encodeURIComponent(value);
  // An event contains the ID of the repository's owner only if the owner is not the account of this audit trail.
  if (name === 'repository_id') return `/repositories/${encodeURIComponent(ownerIn(subject, trailOf))}/${part}`;
  if (name === 'repository' && /^[a-z0-9-]+\/[a-z0-9-]+$/.test(value)) return `/repositories/${value}`;
  const isAccount = name === 'account_id' || name === 'blocked_account_id';
  // In a transfer, `to` is an account. In other events, `to` is the purpose of issued credentials.
  if (isAccount || (name === 'to' && subject['transfer_id'] !== undefined)) return `/accounts/${part}`;
  if (name === 'service_account_id') return pathOfServiceAccount(value);
  return name === 'data_connection_id' ? `/data-connections/${part}` : undefined;
}

function ownerIn(subject: Readonly<Record<string, string>>, trailOf: string): string {
  // In a membership event, `account_id` is the ID of the member. The repository then belongs to the account of this
  // trail.
  return subject['membership_id'] === undefined ? (subject['account_id'] ?? trailOf) : trailOf;
}

/** Returns the path for an ID of the form `<owner>--<name>`. Platform logins have no owner in their ID and no view. */
function pathOfServiceAccount(value: string): string | undefined {
  const [owner, own] = value.split('--', 2);
  if (!owner || !own) return undefined;
  return `/accounts/${encodeURIComponent(owner)}/service-accounts/${encodeURIComponent(own)}`;
}
