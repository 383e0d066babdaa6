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
 * Labels of the event `data_credentials.issued`. The key is the purpose of the credentials, in the event's field `to`.
 */
const purposeWords: Readonly<Record<string, string | undefined>> = {
  page: 'Files opened in the console',
  link: 'Link to a file created',
  tool: 'Sign-in with a tool',
  workflow: 'Sign-in of a CI job',
};

/** Returns the label of an event. For an unknown event kind of a newer API version, returns the kind itself. */
export function describeEvent({ kind, subject }: Pick<Event, 'kind' | 'subject'>): string {
  const purpose = kind === 'data_credentials.issued' ? purposeWords[subject['to'] ?? ''] : undefined;
  return purpose ?? (kindLabels as Readonly<Record<string, string | undefined>>)[kind] ?? kind;
}

/** Returns how the caller authenticated. */
export function describeCaller({ kind, actor }: Pick<Event, 'kind' | 'actor'>): string {
  if (actor.account_id === null) {
    if (kind.endsWith('found')) return 'anyone, without sign-in';
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
  // An event has the ID of the repository's owner only if the owner is not the account of this audit trail.
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
