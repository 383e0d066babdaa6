import { limits } from '../domain/limits.ts';

/** Descriptions of fields that several named schemas share. */

const creatorDescriptions = {
  created_by: 'The account that made the key; null of a key that is older than this field.',
  created_by_name: 'What that account calls itself in its public profile; null without a name.',
  created_by_is_member: 'Whether that account has a part in the owning account, or in the repository, still.',
} as const;

export const membershipDescriptions = {
  account_id: 'The member.',
  membership_account_id: 'The account that the membership belongs to.',
  repository_id: 'Set for a membership of one repository.',
  state_changed: 'When the state last changed.',
} as const;

export const repositoryDescriptions = {
  account_id: 'The owner.',
  featured: 'A number that a catalogue may order by.',
  data: 'Which data connection holds the objects, below which prefix.',
  published: 'When it was created.',
  updated: 'When its record was last changed through the API.',
} as const;

export const transferDescriptions = {
  account_id: 'Who offers the repository.',
  repository_id: 'The repository, which keeps its ID.',
  to: 'To whom.',
  state_changed: 'When the state last changed.',
  expires_at: 'When the offer ends if nobody answers.',
} as const;

export const apiKeyDescriptions = {
  ...creatorDescriptions,
  account_id: 'The owning account.',
  repository_id: 'Set for a key of one repository.',
  disabled: 'True once the key is revoked.',
  name: { description: 'Your label.', minLength: 1, maxLength: limits.apiKeyNameLengthMax },
} as const;

export const connectionDescriptions = {
  prefix_template:
    'Where a repository is placed below the base prefix: path segments ending in `/`, among them `{{repository.account_id}}` and `{{repository.repository_id}}`.',
  name: { minLength: 1, maxLength: 128 },
  allowed_data_modes: 'The data modes of repositories that may be placed here.',
  required_flag: 'The flag that an account needs to create repositories on it.',
} as const;

export const serviceAccountKeyDescriptions = {
  ...creatorDescriptions,
  label: { minLength: 1, maxLength: limits.serviceAccountKeyLabelLengthMax },
  expires_at: 'Null when it never expires.',
  last_used_at: 'When it was last exchanged for credentials, to the minute; null when never.',
  newer_key_in_use: 'A key issued later has been used: this one can probably go.',
} as const;
