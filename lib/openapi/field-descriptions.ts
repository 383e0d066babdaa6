import { limits } from '../domain/limits.ts';

/** Descriptions of fields that several named schemas have in common. */

const creatorDescriptions = {
  created_by: 'The account that created the key; null when unknown.',
  created_by_name: 'The display name of that account; null without one.',
  created_by_is_member: 'True while that account is a member of the owner or of the repository.',
} as const;

export const disablingDescriptions = {
  disabled_by: 'The role of the user who disabled it. Only administrators enable what an administrator disabled.',
  disabled_at: 'The time at which it was disabled. Absent if it is enabled.',
  disabled_reason: 'The reason that the user gave who disabled it.',
} as const;

export const membershipDescriptions = {
  account_id: 'The member.',
  membership_account_id: 'The account that the membership belongs to.',
  repository_id: 'Set for a membership of one repository.',
  state_changed: 'The time of the last change of state.',
} as const;

export const invitationLinkDescriptions = {
  account_id: 'The account that invites, or the owner of the repository.',
  repository_id: 'The repository to which the link invites; absent for a link to an account.',
  state: '`used` after one user joined with the link.',
  used_by: 'The user who joined with the link.',
} as const;

export const linkDescriptions = {
  prefix: 'The files that the link shows: empty for all, a folder that ends in `/`, or one exact key.',
  state: '`ended` while the creator cannot create links there, and after something was disabled.',
} as const;

export const repositoryDescriptions = {
  ...disablingDescriptions,
  account_id: 'The owner.',
  featured: 'The order among featured repositories, lowest first; 0 means not featured.',
  data: 'The data connections that hold the objects, with their prefixes.',
  published: 'The time of creation.',
  updated: 'The time of the last change through the API.',
  delete_at: 'The time at which the disabled repository will be deleted, unless its owners restore it before.',
} as const;

export const versionDescriptions = {
  name: 'The name, which is part of the URLs of the version.',
  notes: 'Text for readers of the version.',
  frozen_at: 'The instant of the version, by the clock of the storage. Present once the version was ready.',
  keys: 'The number of objects.',
  bytes: 'The size of all objects.',
  index_sha256: 'The SHA-256 of the index of the stored list of objects.',
  failure: 'Present in the state `failed`.',
  withdrawal: 'Present in the state `withdrawn`.',
  doi: 'The DOI of the version, if it has one.',
} as const;

export const transferDescriptions = {
  account_id: 'The current owner.',
  repository_id: 'The repository, which keeps its ID.',
  to: 'The receiving account.',
  state_changed: 'The time of the last change of state.',
  expires_at: 'The time at which an unanswered request expires.',
} as const;

export const apiKeyDescriptions = {
  ...creatorDescriptions,
  account_id: 'The owning account.',
  repository_id: 'Set for a key of one repository.',
  disabled: 'True once the key is revoked.',
  name: { description: 'The label of the key.', minLength: 1, maxLength: limits.apiKeyNameLengthMax },
} as const;

export const connectionDescriptions = {
  prefix_template:
    'The template of repository prefixes below the base prefix: path segments that end in `/`, with `{{repository.account_id}}` and `{{repository.repository_id}}`.',
  name: { minLength: 1, maxLength: 128 },
  allowed_data_modes: 'The data modes that repositories on this connection may have.',
  required_flag: 'The flag that an account needs to create repositories on it.',
} as const;

export const shownConnectionDescriptions = {
  ...connectionDescriptions,
  owner_account_id: 'The account that owns the connection; absent for a connection of the platform.',
  state: 'A `draft` holds no repositories until its test shows that the owner controls the storage.',
} as const;

export const endingDescriptions = {
  sessions_ended:
    'The credentials that were issued earlier and are now refused: `none`, those of this key or workflow (`source`), or `all` of the service account.',
  warning: 'Present when the next ending would end all sessions of the service account.',
} as const;

export const serviceAccountSettingsDescriptions = {
  end_sessions_on_revocation:
    'True when revoking a key or removing a workflow also ends the sessions that it issued, and when a key is reported as leaked.',
  federated_only: 'True when credentials that came from a key may read but not write.',
} as const;

export const serviceAccountDescriptions = {
  description: { maxLength: limits.serviceAccountDescriptionLengthMax },
  ...serviceAccountSettingsDescriptions,
} as const;

export const settingsDescriptions = {
  federated_only: 'True when credentials that came from a service-account key or an API key may read but not write.',
} as const;

export const serviceAccountKeyDescriptions = {
  ...creatorDescriptions,
  label: { minLength: 1, maxLength: limits.serviceAccountKeyLabelLengthMax },
  expires_at: 'The time of expiry; null means never.',
  last_used_at: 'The last sign-in with the key, to the minute; null means never.',
  ...endingDescriptions,
  leak: 'Present in lists for a key that was revoked as leaked: the time and URL of the report, and the repositories that sessions of the service account may write (`writable_repositories`, at most 100). It is empty if the key never signed in.',
  newer_key_in_use: 'True when a newer key of the service account is in use. This key can then probably be revoked.',
} as const;

export const workflowDescriptions = {
  issuer: 'The `iss` claim of the tokens of the CI system.',
  pinned:
    "The CI system's numeric ids of the repository and its owner, and when the first sign-in pinned them. Null before that, and where the subject carries the ids.",
  repository: 'The repository in the CI system.',
  subject: 'The `sub` claim that a token must have.',
  last_used_as: 'The name of the repository at the last sign-in. It differs from `repository` after a rename.',
} as const;

export const issuerDescriptions = {
  issuer: 'The exact `iss` claim of its tokens.',
  created_by: 'The account that registered it.',
  key_ids: 'The IDs of its keys, from the last successful fetch.',
  keys_fetched_at: 'The last successful fetch. The keys stay valid for 24 hours from this time.',
  last_attempt_at: 'The last attempt to fetch the keys.',
  last_failure: 'The reason why the last attempt failed; null if it succeeded.',
  last_used_at: 'The last sign-in with a token of the issuer, to the day; null means never.',
} as const;
