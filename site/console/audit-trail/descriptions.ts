import type { Schemas } from '../api/client.ts';
import { accessOptions } from '../machines/access.ts';
import { dataModeLabels } from '../views/data-modes.ts';
import { roleLabels } from '../views/roles.ts';

export type Kind = Schemas['AuditKind'];

/** What happened, by the thing it happened to. The order is that of the filter. */
export const kindLabels: Readonly<Record<Kind, string>> = {
  'account.created': 'Account created',
  'account.disabled': 'Account disabled',
  'account.enabled': 'Account enabled again',
  'account.deleted': 'Account deleted',
  'account.flags_set': 'Flags set',
  'account.repository_limit_set': 'Limit of repositories set',
  'account.blocked': 'Account blocked',
  'account.unblocked': 'Account unblocked',
  'profile.updated': 'Profile changed',
  'api_key.created': 'API key created',
  'api_key.revoked': 'API key revoked',
  'api_key.revoked_as_found': 'API key revoked, since somebody found it',
  'api_key.found': 'API key found in public',
  'membership.invited': 'Somebody invited',
  'membership.accepted': 'Invitation accepted',
  'membership.rejected': 'Invitation rejected',
  'membership.revoked': 'Membership ended',
  'membership.expired': 'Invitation ran out',
  'membership.role_changed': 'Role changed',
  'membership.keys_left': 'Keys left behind by a member who went',
  'data_connection.created': 'Data connection made',
  'data_connection.updated': 'Data connection changed',
  'data_connection.disabled': 'Data connection made read-only',
  'data_connection.tested': 'Data connection tested',
  'repository.created': 'Repository created',
  'repository.updated': 'Repository changed',
  'repository.disabled': 'Repository disabled',
  'repository.enabled': 'Repository enabled again',
  'repository.data_mode_changed': 'Who reads a repository changed',
  'repository.deleted': 'Repository deleted',
  'transfer.offered': 'Repository offered',
  'transfer.accepted': 'Offered repository accepted',
  'transfer.declined': 'Offered repository declined',
  'transfer.withdrawn': 'Offer withdrawn',
  'transfer.ended': 'Offer ran out',
  'service_account.created': 'Service account created',
  'service_account.updated': 'Service account changed',
  'service_account.disabled': 'Service account disabled',
  'service_account.enabled': 'Service account enabled again',
  'service_account.deleted': 'Service account deleted',
  'service_account_key.issued': 'Key of a service account issued',
  'service_account_key.expiry_changed': 'Expiry of a key changed',
  'service_account_key.revoked': 'Key of a service account revoked',
  'service_account_key.revoked_as_found': 'Key of a service account revoked, since somebody found it',
  'service_account_key.found': 'Key of a service account found in public',
  'grant.set': 'Grant given',
  'grant.removed': 'Grant removed',
  'workflow.trusted': 'Workflow trusted',
  'workflow.removed': 'Workflow trusted no more',
  'workflow.pinned': 'Workflow pinned to its repository',
  'sign_in.refused': 'Sign-in of a service account refused',
  'data_credentials.issued': 'Credentials for data issued',
};

type Event = Schemas['AuditEvent'];

/** For what credentials were issued, as the event says it. */
const purposeWords: Readonly<Record<string, string | undefined>> = {
  page: 'Files opened in the console',
  link: 'Link to a file made, for whoever has it',
  tool: 'Signed in by a tool',
  workflow: 'Signed in by a CI job',
};

/** Of a later release there may be others, which have no words yet. */
export function describeEvent({ kind, subject }: Pick<Event, 'kind' | 'subject'>): string {
  const purpose = kind === 'data_credentials.issued' ? purposeWords[subject['to'] ?? ''] : undefined;
  return purpose ?? (kindLabels as Readonly<Record<string, string | undefined>>)[kind] ?? kind;
}

/** From which kind of caller it came. */
export function describeCaller({ kind, actor }: Pick<Event, 'kind' | 'actor'>): string {
  if (actor.account_id === null) {
    if (kind.endsWith('found')) return 'anyone, without signing in';
    if (kind === 'workflow.pinned' || kind === 'data_credentials.issued') return 'a CI job';
    return kind === 'sign_in.refused' ? 'software that was not let in' : 'Sluice itself';
  }
  if (actor.access_key_id !== undefined) return 'with an API key';
  return actor.acting_as === 'platform_admin' ? 'as an administrator of the platform' : 'signed in';
}

const subjectWords: Readonly<Record<string, string>> = {
  access: 'access',
  access_key_id: 'API key',
  account_id: 'account',
  blocked_account_id: 'account',
  data_connection_id: 'data connection',
  data_mode: 'who reads it',
  key_id: 'key',
  membership_id: 'membership',
  repository_id: 'repository',
  service_account_id: 'service account',
  transfer_id: 'offer',
  workflow_id: 'workflow',
};

export function subjectName(name: string): string {
  return subjectWords[name] ?? name.replaceAll('_', ' ');
}

type Words = ReadonlyMap<string, string>;
const namesIn = (words: Readonly<Record<string, { name: string }>>): Words =>
  new Map(Object.entries(words).map(([value, { name }]) => [value, name]));

/** Values that the other views call by a name of their own. */
const valueWords: ReadonlyMap<string, Words> = new Map([
  ['access', new Map<string, string>(accessOptions)],
  ['data_mode', namesIn(dataModeLabels)],
  ['role', namesIn(roleLabels)],
]);

/** A value as the other views say it; an ID as it is. */
export function valueName(name: string, value: string): string {
  return valueWords.get(name)?.get(value) ?? value;
}

/** Where in the console the thing of an ID is; undefined for what has no view of its own. */
export function pathOfSubject(
  name: string,
  value: string,
  subject: Readonly<Record<string, string>>,
  trailOf: string,
): string | undefined {
  const part = encodeURIComponent(value);
  // What was told of a repository names its account, if that is another than the trail's.
  if (name === 'repository_id') return `/repositories/${encodeURIComponent(ownerIn(subject, trailOf))}/${part}`;
  if (name === 'repository' && /^[a-z0-9-]+\/[a-z0-9-]+$/.test(value)) return `/repositories/${value}`;
  const isAccount = name === 'account_id' || name === 'blocked_account_id';
  // Of credentials it is what they are for.
  if (isAccount || (name === 'to' && subject['transfer_id'] !== undefined)) return `/accounts/${part}`;
  if (name === 'service_account_id') return pathOfServiceAccount(value);
  return name === 'data_connection_id' ? `/data-connections/${part}` : undefined;
}

function ownerIn(subject: Readonly<Record<string, string>>, trailOf: string): string {
  // Of a membership the account is the member.
  return subject['membership_id'] === undefined ? (subject['account_id'] ?? trailOf) : trailOf;
}

/** Owned ones are `<owner>--<name>`; logins of the platform have no view. */
function pathOfServiceAccount(value: string): string | undefined {
  const [owner, own] = value.split('--', 2);
  if (!owner || !own) return undefined;
  return `/accounts/${encodeURIComponent(owner)}/service-accounts/${encodeURIComponent(own)}`;
}
