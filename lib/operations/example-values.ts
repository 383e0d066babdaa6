import type { Account, AccountProfile, BlockedAccount } from '../domain/accounts/accounts.ts';
import type { ApiKey, CreatedKey } from '../domain/accounts/api-keys.ts';
import type { InvitationLink } from '../domain/accounts/invitation-links.ts';
import type { ListedMembership, Membership } from '../domain/accounts/memberships.ts';
import type { AuditEvent } from '../domain/changes/audit.ts';
import type { LeakVerdict } from '../domain/changes/leaked-key-reports.ts';
import type { RegisteredIssuer } from '../domain/ci/registered-issuers.ts';
import type { DataConnection, ShownConnection } from '../domain/data/data-connections.ts';
import type { FileDeletion } from '../domain/data/file-deletions.ts';
import type { Inventory } from '../domain/data/inventory.ts';
import type { ListedRepository, Repository } from '../domain/data/repositories.ts';
import type { RepositoryVersion, Verification } from '../domain/data/repository-versions.ts';
import type { Transfer } from '../domain/data/transfers.ts';
import { clientSettings as settingsFor } from '../domain/service-accounts/client-settings.ts';
import type { Grant, ServiceAccount, ServiceAccountKey } from '../domain/service-accounts/service-accounts.ts';
import type { TrustedWorkflow } from '../domain/service-accounts/trusted-workflows.ts';
import { type CounterReport, counterReport } from '../domain/usage/counter-report.ts';
import type { UsageCounts } from '../domain/usage/usage.ts';
import { exampleIds } from './operation.ts';

/**
 * The values in all examples of the API. They are about an institute that measures tides, its owner ada, and grace,
 * whom ada invites.
 */

const moment = '2026-08-03T09:30:00.000Z';

export const version: RepositoryVersion = {
  version_uid: '5c1f8e0a-7b2d-4c3e-9f60-1d2e3f4a5b6c',
  name: exampleIds.version_name,
  state: 'freezing',
  notes: 'All gauges until the end of July',
  created_at: moment,
};

export const freezeProgress = { keys: 0, bytes: 0, stored_versions: 0 };

export const readyVersion: RepositoryVersion = {
  ...version,
  state: 'ready',
  frozen_at: '2026-08-03T09:30:02.000Z',
  keys: 1204,
  bytes: 73_400_320,
  index_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};

export const verification: Verification = {
  ...{ state: 'running', started_at: moment },
  ...{ checked: 0, missing: 0, changed: 0, problems: [] },
};

export const startedInventory: Inventory = { state: 'running', progress: { files: 0 } };

export const fileDeletion: FileDeletion = {
  ...{ deletion_id: exampleIds.deletion_id, account_id: exampleIds.account_id, repository_id: 'old-gauges' },
  ...{ state: 'waiting', created_at: moment, starts_at: '2026-08-03T09:31:00.000Z', files_deleted: 0 },
};

export const withdrawal = { reason: 'The gauge of Bergen was calibrated wrongly', withdrawn_at: moment };
export const risCitation = `TY  - DATA\r
AU  - Tide Institute\r
TI  - Tide gauges\r
PY  - 2026\r
DA  - 2026/08/03\r
PB  - Sluice\r
ET  - 2026-08\r
UR  - https://data.example.org/tide-institute/tide-gauges?version=2026-08\r
KW  - tides\r
KW  - sea level\r
N1  - Tide Institute (2026). Tide gauges (Version 2026-08). Sluice. https://data.example.org/tide-institute/tide-gauges?version=2026-08\r
ER  - \r
`;
export const typedDoi = { doi: '10.5281/zenodo.1234567', source: 'typed', state: 'typed' } as const;
export const registeredDoi = {
  doi: `10.5438/${version.version_uid}`,
  source: 'datacite',
  state: 'findable',
} as const;
export const withdrawnVersion: RepositoryVersion = { ...readyVersion, state: 'withdrawn', withdrawal };

export const disabled = {
  disabled: true,
  disabled_by: 'owner',
  disabled_at: moment,
  disabled_reason: 'The gauges are calibrated anew',
} as const;

export const profile: AccountProfile = {
  name: 'Tide Institute',
  bio: 'Sea level, every ten minutes',
  location: 'Bergen',
  url: 'https://tides.example.org/',
};

export const organization: Account = {
  account_id: 'tide-institute',
  account_type: 'organization',
  identity_id: 'organization:tide-institute',
  disabled: false,
  profile,
  flags: [],
};

const { identity_id: _identity, ...shownOrganization } = organization;
export const listedAccount = { ...shownOrganization, created_at: moment };

export const user: Account = {
  account_id: 'ada',
  account_type: 'user',
  identity_id: 'f3a1c0de-ada0-4000-8000-000000000001',
  disabled: false,
  profile: { name: 'Ada' },
  flags: ['create_organizations'],
};

export const invitation: Membership = {
  membership_id: exampleIds.membership_id,
  account_id: 'grace',
  membership_account_id: 'tide-institute',
  role: 'write_data',
  state: 'invited',
  state_changed: moment,
};

export const linkSecret = 'shown only in the response that creates the link';
const invitationLink: InvitationLink = {
  invitation_link_id: exampleIds.invitation_link_id,
  account_id: 'tide-institute',
  role: 'read_data',
  state: 'open',
  created_by: 'ada',
  created_at: moment,
  expires_at: '2026-08-17T09:30:00.000Z',
};
export const createdInvitationLink = { ...invitationLink, secret: linkSecret };
export const listedInvitationLink = { ...invitationLink, created_by_name: 'Ada' };
/** The invitation links in the examples of revocation. */
export const revokedLinkIds = {
  account: 'c1e5a7d3-4b2f-4d6c-8e90-1f3a5b7c9d20',
  repository: '3f7b9d20-6e1a-4c8d-b5f4-7a9c1e3d5b60',
} as const;
const ofRepository = { invitation_link_id: revokedLinkIds.repository, repository_id: exampleIds.repository_id };
export const createdRepositoryInvitationLink = {
  ...createdInvitationLink,
  ...ofRepository,
  secret: 'shown only in this response',
};
export const listedRepositoryInvitationLink = { ...listedInvitationLink, ...ofRepository };
export const dataLinkSecret = 'shown only in the response that makes the link';
const link = {
  link_id: exampleIds.link_id,
  account_id: 'tide-institute',
  repository_id: 'tide-gauges',
  prefix: 'hourly/',
  note: 'For the reviewers',
  state: 'open',
  created_by: 'ada',
  created_at: moment,
  expires_at: '2026-08-10T09:30:00.000Z',
  last_used_at: null,
} as const;
export const createdLink = { ...link, secret: dataLinkSecret };
export const listedLink = { ...link, created_by_name: 'Ada' };
export const linkCredentials = {
  access_key_id: 'SCTAEXAMPLEEXAMPLEEX',
  secret_access_key: 'shown only in the response that issues it',
  session_token: 'shown only in the response that issues it',
  expires_at: '2026-08-03T09:45:00.000Z',
  account_id: 'tide-institute',
  account_name: 'Tide Institute',
  repository_id: 'tide-gauges',
  title: 'Tide gauges',
  prefix: 'hourly/',
  created_by: 'ada',
  created_by_name: 'Ada',
  link_expires_at: link.expires_at,
};

export const shownInvitation = {
  account_id: 'tide-institute',
  account_name: 'Tide Institute',
  role: 'read_data',
  created_by: 'ada',
  created_by_name: 'Ada',
  expires_at: invitationLink.expires_at,
} as const;

export const declinedInvitation: Membership = {
  ...invitation,
  membership_id: '52d1f7c4-8a1d-4a55-b1c9-3c7f0a9be621',
  account_id: 'edith',
};

export const repositoryInvitation: Membership = {
  ...invitation,
  membership_id: 'e2c4a6b8-0d1f-4e3a-9b5c-7d9e1f2a3b4c',
  repository_id: 'tide-gauges',
};

export const ownership: Membership = {
  ...invitation,
  membership_id: '9f0c2a7e-1d7b-4c5e-8f43-6a1b2c3d4e5f',
  account_id: 'ada',
  role: 'owners',
  state: 'member',
};

/** Adds the display names that only responses of lists contain. */
export function listed(membership: Membership): ListedMembership {
  const names = { ada: 'Ada', grace: 'Grace' };
  const account_name = new Map(Object.entries(names)).get(membership.account_id) ?? null;
  return { ...membership, account_name, membership_account_name: profile.name ?? null };
}

export const blockedAccount: BlockedAccount = { account_id: 'edith', blocked_at: moment };

export const accountApiKey: ApiKey = {
  access_key_id: exampleIds.access_key_id,
  account_id: 'tide-institute',
  disabled: false,
  expires: '2031-01-31T12:00:00.000Z',
  name: 'dashboard',
  created_by: 'ada',
  created_by_name: 'Ada',
  created_by_is_member: true,
};

export const repositoryApiKey: ApiKey = {
  ...accountApiKey,
  access_key_id: 'SCAKEXAMPLEEXAMPLE45',
  repository_id: 'tide-gauges',
  name: 'mirror',
};

/** A placeholder for a secret in examples. It has the length of a real secret. */
export const apiKeySecret = 'example'.padEnd(64, '0');

export const dataConnection: DataConnection = {
  data_connection_id: 'ocean-store',
  name: 'Ocean store',
  prefix_template: '{{repository.account_id}}/{{repository.repository_id}}/',
  read_only: false,
  allowed_data_modes: ['open', 'private'],
  details: { provider: 's3', bucket: 'example-ocean-store', base_prefix: 'sluice/', region: 'eu-north-1' },
};

const connectionAuthentication: DataConnection['authentication'] = {
  type: 's3_access_key',
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  secret_access_key: 'example-secret-access-key',
};

export const newDataConnection: DataConnection = { ...dataConnection, authentication: connectionAuthentication };

const ownConnection: DataConnection = {
  ...dataConnection,
  data_connection_id: 'institute-store',
  name: 'Store of the institute',
  details: { ...dataConnection.details, bucket: 'example-tide-institute' },
};

export const newAccountConnection: DataConnection = { ...ownConnection, authentication: connectionAuthentication };
export const createdAccountConnection: ShownConnection = {
  ...newAccountConnection,
  owner_account_id: 'tide-institute',
  authentication_type: 's3_access_key',
  state: 'draft',
};
export const accountConnection: ShownConnection = {
  ...ownConnection,
  owner_account_id: 'tide-institute',
  authentication_type: 's3_access_key',
  state: 'ready',
};

export const connectionTest = {
  data_connection_id: 'ocean-store',
  tested_at: moment,
  checks: [
    {
      check: 'address',
      state: 'passed',
      code: 'ok',
      message: 'The name of the storage has an address that the service may connect to.',
    },
    { check: 'reach', state: 'passed', code: 'ok', message: 'The storage answers.' },
    { check: 'region', state: 'passed', code: 'ok', message: 'The bucket is in the region of the connection.' },
    {
      check: 'list',
      state: 'failed',
      code: 'access_denied',
      message: 'The storage does not allow it to these credentials.',
    },
  ],
} as const;

export const repository: Repository = {
  account_id: 'tide-institute',
  repository_id: 'tide-gauges',
  state: 'listed',
  data_mode: 'open',
  featured: 0,
  meta: {
    title: 'Tide gauges',
    description: 'Sea level at 42 gauges, every ten minutes',
    tags: 'tides, sea level',
    license: 'CC-BY-4.0',
    contact: 'gauges@tides.example',
    keywords: ['tides', 'sea level'],
  },
  data: {
    primary_mirror: 'ocean-store',
    mirrors: { 'ocean-store': { data_connection_id: 'ocean-store', prefix: 'tide-institute/tide-gauges/' } },
  },
  published: moment,
  updated: moment,
  disabled: false,
};

export const listedRepository: ListedRepository = {
  ...repository,
  account_name: 'Tide Institute',
  contents: {
    files: 214,
    bytes: 48_211_907,
    is_complete: true,
    newest_change: '2026-08-16T22:14:03.000Z',
    formats: ['parquet', 'csv'],
  },
};

const { data: _data, ...repositoryWithoutPlace } = listedRepository;
export const disabledRepository = { ...repositoryWithoutPlace, ...disabled };

export const transfer: Transfer = {
  transfer_id: exampleIds.transfer_id,
  account_id: 'tide-institute',
  repository_id: 'tide-gauges',
  to: 'grace',
  state: 'offered',
  state_changed: moment,
  created_at: moment,
  expires_at: '2026-08-17T09:30:00.000Z',
};

export const listedTransfer = { ...transfer, account_name: 'Tide Institute', to_name: 'Grace' };

export const declinedTransfer: Transfer = {
  ...transfer,
  transfer_id: '8d2e0f4a-5c6b-4e7f-9081-2b3c4d5e6f70',
  to: 'ada',
};

export const acceptedTransfer: Transfer = {
  ...transfer,
  transfer_id: '9e3f1a5b-6d7c-4f80-a192-3c4d5e6f7081',
};
const { data: _, ...repositoryWithoutStorage } = repository;

export { repositoryWithoutStorage };

export const description = { description: 'Uploads the readings of the day' };
export const newServiceAccount = { name: 'nightly-sync', ...description };

export const serviceAccount: ServiceAccount = {
  service_account_id: 'tide-institute--nightly-sync',
  owner_account_id: 'tide-institute',
  ...newServiceAccount,
  disabled: false,
  end_sessions_on_revocation: false,
  federated_only: false,
  created_at: moment,
};

export const writingKey = {
  kind: 'service_account_key',
  service_account_id: 'tide-institute--nightly-sync',
  key_id: exampleIds.key_id,
  name: 'build server',
  expires_at: '2026-11-01T09:30:00.000Z',
  last_used_at: null,
} as const;

export const serviceAccountKey: ServiceAccountKey = {
  key_id: exampleIds.key_id,
  label: 'build server',
  state: 'active',
  expires_at: '2026-11-01T09:30:00.000Z',
  last_used_at: null,
  created_at: moment,
  newer_key_in_use: false,
  created_by: 'ada',
  created_by_name: 'Ada',
  created_by_is_member: true,
};

export const createdKeys: CreatedKey[] = [
  {
    kind: 'api_key',
    access_key_id: accountApiKey.access_key_id,
    name: accountApiKey.name,
    state: 'active',
    expires_at: accountApiKey.expires,
    created_at: moment,
  },
  {
    kind: 'service_account_key',
    service_account_id: 'tide-institute--nightly-sync',
    key_id: serviceAccountKey.key_id,
    name: serviceAccountKey.label,
    state: 'active',
    expires_at: serviceAccountKey.expires_at,
    created_at: moment,
  },
];

export const dataProxyUrl = 'https://data.example.org';
export const clientSettings = settingsFor({
  service_account_id: exampleIds.service_account_id,
  data_proxy_url: dataProxyUrl,
  audience: dataProxyUrl,
  ci_issuers: [],
});

/** A service account key for examples. It has the correct form but was never issued. */
export const foundKey = 'sck_EXAMPLEexampleEXAMPLEexample001nLRYa';

export const foundPair = { access_key_id: 'SCAKEXAMPLEEXAMPLE23', secret_access_key: 'EXAMPLEexample01'.repeat(4) };

export const foundMatch = {
  token: foundKey,
  type: 'sluice_service_account_key',
  url: 'https://github.com/tide-institute/pipelines/blob/main/.env',
  source: 'content',
};

export const foundVerdict: LeakVerdict = {
  token_hash: 'DKI+SsyuA0dH6Rn4PUDjVjYIYPH+RFvoSDeADfoQa6M=',
  token_type: foundMatch.type,
  label: 'true_positive',
};

export const issuedKey: ServiceAccountKey = { ...serviceAccountKey, key: foundKey };
export const lastingKey: ServiceAccountKey = { ...serviceAccountKey, expires_at: null };

export const workflow = { repository: 'tide-institute/pipelines', branch: 'main' };

export const trustedWorkflow: TrustedWorkflow = {
  workflow_id: exampleIds.workflow_id,
  issuer: 'https://token.actions.githubusercontent.com',
  kind: 'github',
  ...workflow,
  subject: 'repo:tide-institute/pipelines:ref:refs/heads/main',
  created_at: moment,
  pinned: null,
  last_used_at: null,
  last_used_as: null,
};

export const newIssuer = { issuer: 'https://gitlab.tides.example', kind: 'gitlab' } as const;

export const registeredIssuer: RegisteredIssuer = {
  issuer_id: exampleIds.issuer_id,
  ...newIssuer,
  created_at: moment,
  created_by: 'ada',
  key_ids: ['4f2a'],
  keys_fetched_at: moment,
  last_attempt_at: moment,
  last_failure: null,
  last_used_at: null,
};

export const listedIssuer = { ...registeredIssuer, created_by_name: 'Ada', trust_count: 0 };

export const grant: Grant = { repository_id: repository.repository_id, access: 'read_write' };

export const listedGrant = { ...grant, repository_title: repository.meta.title };

const usageCounts: UsageCounts = {
  requests: 940,
  downloads: 310,
  bytes: 7_200_000_000,
  visitors: 84,
  total_requests: 402,
  unique_requests: 97,
};

export const usage = {
  by: 'month',
  from: '2025-09',
  to: '2026-08',
  periods: [
    {
      period: '2026-08',
      is_final: true,
      requests: 940,
      downloads: 310,
      bytes: 7_200_000_000,
      visitors: 84,
      clients: { tools: usageCounts },
      countries: [{ country: 'DE', downloads: 310, visitors: 84 }],
    },
  ],
} as const;

export const usageFiles = {
  period: '2026-08',
  is_final: true,
  files: [{ path: 'levels/2026.parquet', requests: 610, downloads: 204, bytes: 5_100_000_000 }],
};

export const usageTable =
  'period,clients,requests,downloads,bytes,visitors,total_requests,unique_requests,is_final\r\n2026-08,tools,940,310,7200000000,84,402,97,true\r\n';

export const usageReport: CounterReport = counterReport({
  site: { name: 'Tide data', url: 'https://data.example' },
  account: { account_id: repository.account_id, profile: { name: 'Tide institute' } },
  repository,
  from: '2026-08',
  to: '2026-08',
  periods: [{ ...usage.periods[0], countries: [] }],
  now: Date.parse('2026-09-03T00:00:00Z'),
});

export const usageBadge = '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="downloads/month: 310"></svg>';

const auditEvent: AuditEvent = {
  event_id: 'c1d2e3f4-a5b6-4c7d-8e9f-0a1b2c3d4e5f',
  time: moment,
  kind: 'repository.created',
  account_id: 'tide-institute',
  actor: { account_id: 'ada' },
  subject: { account_id: 'tide-institute', repository_id: 'tide-gauges' },
  request_id: 'JKJaXmPLvHcESHA=',
};

export const listedAuditEvent = { ...auditEvent, actor: { ...auditEvent.actor, account_name: 'Ada' } };

export const administrativeAction = {
  ...auditEvent,
  kind: 'account.repository_limit_set',
  actor: { account_id: 'site-admin', acting_as: 'platform_admin', account_name: null },
  subject: { repositories_max: '2000' },
} as const;
