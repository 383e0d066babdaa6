import { roleOf, trust } from '../service/account-storage.ts';
import type { EdgeInstance } from './edge-instances.ts';
import {
  addMember,
  createRepository,
  createServiceAccount,
  createVersion,
  giveInRepository,
  grant,
  inviteGuest,
  inviteMember,
  issueApiKey,
  issueKey,
  newcomer,
  openRepository,
  type ProbeName,
  repository,
  type Stage,
  type StorageKind,
  secondOwner,
  share,
  signInAnew,
  signInUserAgain,
  storageKinds,
  trustWorkflow,
} from './stage.ts';

export interface Revocation {
  name: string;
  /** Resolves with the successful response of the management API. */
  revoke(stage: Stage, instance: EdgeInstance): Promise<unknown>;
  /** Restores the right in the service and in the test data, so that it can be revoked again. */
  restore(stage: Stage, instance: EdgeInstance): Promise<unknown>;
  /** Requests that must be refused after the revocation, or allowed after a right was given. */
  ends: readonly ProbeName[];
  /** Requests with the same test data that must never be refused during the measurement. */
  spares?: readonly ProbeName[];
  /** True if the change gives a right instead of revoking it. */
  turnsTo?: 'allowed';
  /** True if the stream consumer makes the change after the response. */
  needsStream?: true;
  /** The kinds of storage on which the tests measure this revocation. The default is storage with a stored key. */
  storage?: readonly StorageKind[];
  /** The status of the refusal if it is not 403: 503 if the storage is unavailable, and 404 for a withdrawn version. */
  refusedWith?: 404 | 503;
}

const ofServiceAccount = ({ serviceAccount }: Stage) => `/service-accounts/${serviceAccount}`;
const grantOf = (stage: Stage) => `${ofServiceAccount(stage)}/grants/${repository}`;
const renew =
  (part: (stage: Stage, instance: EdgeInstance) => Promise<Partial<Stage>>) =>
  async (stage: Stage, instance: EdgeInstance) =>
    Object.assign(stage, await part(stage, instance));
const signIns = ['exchange by key', 'exchange by workflow'] as const;
const byRepositoryKey = ["write by the repository's key", "read by the repository's key"] as const;
const byGuest = ['write by a member of the repository', 'read by a member of the repository'] as const;
const byLink = ['read by a link'] as const;
const inRepository = [...byRepositoryKey, ...byGuest] as const;
const byUser = ['write by a user', 'read by a user'] as const;
const byPage = ['write by narrowed credentials', 'read by narrowed credentials'] as const;
const byApiKey = ['write by API key', 'read by API key'] as const;
const everyAccess = [...(['write', 'read'] as const), ...byApiKey, ...byUser, ...byPage, ...inRepository] as const;
const everyRead = [...everyAccess, ...byLink] as const;
const guestMembership = ({ guestMembershipId }: Stage) => `/memberships/${guestMembershipId}`;

const bySibling = ['write by a sibling key', 'read by a sibling key'] as const;
const byWorkflow = ['write by a workflow', 'read by a workflow'] as const;
const bySession = ['write', 'read'] as const;
const readsByKeys = ['read', ...byApiKey.slice(1), ...byRepositoryKey.slice(1), ...byGuest.slice(1)] as const;
const writesByKeys = ['write by API key', "write by the repository's key", byGuest[0]] as const;
const setFederatedOnly = (path: (stage: Stage) => string, federated_only: boolean) => (stage: Stage) =>
  stage.users.owner('PATCH', path(stage), { federated_only });
const ofRepository = ({ organization }: Stage) => `/repositories/${organization}/${repository}`;
const ofConnection = ({ connection }: Stage) => `/data-connections/${connection}`;
const settingsOf = (stage: Stage) => `${ofRepository(stage)}/settings`;
const newKeyAndSessions = renew(async (stage, instance) => {
  const issued = await issueKey(stage);
  return { ...issued, ...(await signInAnew({ ...stage, ...issued }, instance)) };
});

async function setRole(stage: Stage, role_arn: string): Promise<void> {
  const { authentication, ...shown } = await stage.users.owner('GET', ofConnection(stage));
  await stage.users.owner('PUT', ofConnection(stage), { ...shown, authentication: { ...authentication, role_arn } });
}

/** Restores the trust policy of the role, and tests the connection. */
async function trustAgain(stage: Stage): Promise<void> {
  const { identity } = await stage.users.owner('GET', ofConnection(stage));
  await trust(stage.service, stage.connection, identity.trust_policy);
  await stage.users.owner('POST', `${ofConnection(stage)}/test`, { access: 'read_write' });
}

/** Enables the repository. Its links have ended, because it was disabled. */
const enableAndShare = renew(async (stage) => {
  await stage.users.admin('POST', `${ofRepository(stage)}/enable`);
  return share(stage);
});

/** Every kind of revocation, with the probes that it ends. */
export const revocations: readonly Revocation[] = [
  {
    name: 'a key is revoked',
    revoke: (stage) => stage.users.owner('DELETE', `${ofServiceAccount(stage)}/keys/${stage.keyId}`),
    restore: renew(issueKey),
    ends: ['exchange by key'],
  },
  {
    name: 'a key is found in public',
    revoke: ({ users, key }) => users.owner('POST', '/service-account-keys/revocations', { key }),
    restore: renew(issueKey),
    ends: ['exchange by key'],
  },
  {
    name: 'a workflow is removed',
    revoke: (stage) => stage.users.owner('DELETE', `${ofServiceAccount(stage)}/trusted-workflows/${stage.workflowId}`),
    restore: renew(trustWorkflow),
    ends: ['exchange by workflow'],
  },
  {
    name: 'a key is revoked with its sessions',
    revoke: (stage) => stage.users.owner('DELETE', `${ofServiceAccount(stage)}/keys/${stage.keyId}?end_sessions=true`),
    restore: newKeyAndSessions,
    ends: ['exchange by key', ...bySession],
    spares: [...bySibling, ...byWorkflow],
  },
  {
    name: 'a workflow is removed with its sessions',
    revoke: (stage) =>
      stage.users.owner('DELETE', `${ofServiceAccount(stage)}/trusted-workflows/${stage.workflowId}?end_sessions=true`),
    restore: renew(async (stage, instance) => {
      return { ...(await trustWorkflow(stage)), ...(await signInAnew(stage, instance)) };
    }),
    ends: ['exchange by workflow', ...byWorkflow],
    spares: [...bySession, ...bySibling],
  },
  {
    name: 'a key is found in public, and its sessions end by the setting',
    revoke: async (stage) => {
      await stage.users.owner('PATCH', `${ofServiceAccount(stage)}/settings`, { end_sessions_on_revocation: true });
      await stage.users.owner('POST', '/service-account-keys/revocations', { key: stage.key });
    },
    restore: newKeyAndSessions,
    ends: ['exchange by key', ...bySession],
    spares: [...bySibling, ...byWorkflow],
    needsStream: true,
  },
  {
    name: 'a service account becomes federated-only',
    revoke: setFederatedOnly((stage) => `${ofServiceAccount(stage)}/settings`, true),
    restore: setFederatedOnly((stage) => `${ofServiceAccount(stage)}/settings`, false),
    ends: ['write', 'write by a sibling key'],
    spares: ['read', ...byWorkflow, ...byApiKey],
  },
  {
    name: 'a repository becomes federated-only',
    revoke: setFederatedOnly(settingsOf, true),
    restore: setFederatedOnly(settingsOf, false),
    ends: ['write', 'write by a sibling key', ...writesByKeys],
    spares: [...readsByKeys, ...byWorkflow, ...byUser, ...byPage],
  },
  {
    name: 'a service account is disabled',
    storage: storageKinds,
    revoke: (stage) => stage.users.owner('POST', `${ofServiceAccount(stage)}/disable`),
    restore: renew(async (stage, instance) => {
      await stage.users.owner('POST', `${ofServiceAccount(stage)}/enable`);
      return signInAnew(stage, instance);
    }),
    ends: [...signIns, 'write', 'read'],
  },
  {
    name: 'a service account is deleted',
    revoke: (stage) => stage.users.owner('DELETE', ofServiceAccount(stage)),
    restore: renew(createServiceAccount),
    ends: [...signIns, 'write', 'read'],
  },
  {
    name: 'a grant is removed',
    storage: storageKinds,
    revoke: (stage) => stage.users.owner('DELETE', grantOf(stage)),
    restore: grant,
    ends: ['write', 'read'],
  },
  {
    name: 'a grant is changed to read',
    revoke: (stage) => stage.users.owner('PUT', grantOf(stage), { access: 'read' }),
    restore: grant,
    ends: ['write'],
  },
  {
    name: 'an API key is revoked',
    revoke: ({ users, apiKey }) => users.admin('DELETE', `/api-keys/${apiKey.access_key_id}`),
    restore: renew(issueApiKey),
    ends: byApiKey,
  },
  {
    name: 'an API key is found in public',
    revoke: ({ users, apiKey: { access_key_id, secret_access_key } }) =>
      users.owner('POST', '/service-account-keys/revocations', { access_key_id, secret_access_key }),
    restore: renew(issueApiKey),
    ends: byApiKey,
  },
  {
    name: "a user's account is disabled",
    revoke: ({ users, memberId }) => users.admin('POST', `/accounts/${memberId}/disable`),
    restore: renew(async (stage, instance) => {
      await stage.users.admin('POST', `/accounts/${stage.memberId}/enable`);
      return signInUserAgain(stage, instance);
    }),
    ends: ['exchange by a user', ...byUser, ...byPage, ...byApiKey],
  },
  {
    name: 'a membership is revoked',
    revoke: ({ users, membershipId }) => users.owner('POST', `/memberships/${membershipId}/revoke`),
    restore: renew(addMember),
    ends: [...byApiKey, ...byUser, ...byPage],
  },
  {
    name: 'a user deletes the account',
    revoke: ({ member, memberId }) => member('POST', `/accounts/${memberId}/delete`, { confirm: memberId }),
    restore: renew(addMember),
    ends: ['exchange by a user', ...byUser, ...byPage, ...byApiKey],
  },
  {
    name: 'a membership is changed to read_data',
    revoke: ({ users, membershipId }) => users.owner('POST', `/memberships/${membershipId}/update-role`, 'read_data'),
    restore: ({ users, membershipId }) => users.owner('POST', `/memberships/${membershipId}/update-role`, 'write_data'),
    ends: ['write by API key', 'write by a user', 'write by narrowed credentials'],
  },
  {
    name: 'a membership in a repository is revoked',
    revoke: (stage) => stage.users.owner('POST', `${guestMembership(stage)}/revoke`),
    restore: renew(giveInRepository),
    ends: byGuest,
  },
  {
    name: 'a member leaves a repository',
    revoke: (stage) => stage.guest('POST', `${guestMembership(stage)}/revoke`),
    restore: renew(giveInRepository),
    ends: byGuest,
  },
  {
    name: 'a member of a repository deletes the account',
    revoke: ({ guest, guestId }) => guest('POST', `/accounts/${guestId}/delete`, { confirm: guestId }),
    restore: renew(giveInRepository),
    ends: byGuest,
  },
  {
    name: 'a membership in a repository is changed to read_data',
    revoke: (stage) => stage.users.owner('POST', `${guestMembership(stage)}/update-role`, 'read_data'),
    restore: (stage) => stage.users.owner('POST', `${guestMembership(stage)}/update-role`, 'write_data'),
    ends: ['write by a member of the repository'],
  },
  {
    name: "a repository's key is revoked",
    revoke: ({ users, repositoryKey }) => users.owner('DELETE', `/api-keys/${repositoryKey.access_key_id}`),
    restore: renew(giveInRepository),
    ends: byRepositoryKey,
  },
  {
    name: 'a link is revoked',
    revoke: (stage) => stage.users.owner('DELETE', `${ofRepository(stage)}/links/${stage.linkId}`),
    restore: renew(share),
    ends: byLink,
    spares: [...byUser, ...byRepositoryKey],
  },
  {
    name: 'a repository is disabled',
    storage: storageKinds,
    revoke: ({ users, organization }) => users.owner('POST', `/repositories/${organization}/${repository}/disable`),
    restore: enableAndShare,
    ends: everyRead,
  },
  {
    name: 'a repository is disabled, enabled by another owner, and disabled by an administrator',
    revoke: async (stage) => {
      const path = `/repositories/${stage.organization}/${repository}`;
      const other = await secondOwner(stage);
      await stage.users.owner('POST', `${path}/disable`);
      await other('POST', `${path}/enable`);
      await stage.users.admin('POST', `${path}/disable`);
    },
    restore: enableAndShare,
    ends: everyRead,
  },
  {
    name: 'a repository is deleted, and made anew under its name',
    revoke: async (stage) => {
      const path = `/repositories/${stage.organization}/${repository}`;
      await stage.users.owner('POST', `${path}/disable`);
      await stage.users.owner('POST', `${path}/delete`, { confirm: `${stage.organization}/${repository}` });
      await createRepository(stage, repository, 'private');
    },
    restore: renew(async (stage, instance) => {
      await grant(stage);
      return { ...(await giveInRepository(stage)), ...(await signInUserAgain(stage, instance)) };
    }),
    // The member may use the new repository, but not with credentials that are limited to the old one.
    ends: ['write', 'read', ...byPage, ...inRepository, ...byLink],
  },
  {
    name: 'a repository is transferred',
    revoke: async ({ users, organization }) => {
      const [to, receiver] = await newcomer(users);
      const offered = await users.owner('POST', `/repositories/${organization}/${repository}/transfers`, { to });
      await receiver('POST', `/transfers/${offered.transfer_id}/accept`);
    },
    restore: renew(async (stage, instance) => {
      await createRepository(stage, repository, 'private');
      await grant(stage);
      return { ...(await giveInRepository(stage)), ...(await signInUserAgain(stage, instance)) };
    }),
    ends: everyRead,
  },
  {
    name: 'an open repository is closed',
    storage: storageKinds,
    revoke: ({ users, organization }) =>
      users.owner('PUT', `/repositories/${organization}/${openRepository}/data-mode`, { data_mode: 'private' }),
    restore: ({ users, organization }) =>
      users.owner('PUT', `/repositories/${organization}/${openRepository}/data-mode`, { data_mode: 'open' }),
    ends: ['read by anyone', 'read a version by anyone'],
  },
  {
    name: 'a version is withdrawn',
    revoke: ({ users, organization, versionName }) =>
      users.owner('POST', `/repositories/${organization}/${openRepository}/versions/${versionName}/withdraw`, {
        reason: 'The gauge was broken',
      }),
    restore: renew(createVersion),
    ends: ['read a version by anyone'],
    refusedWith: 404,
    spares: ['read by anyone'],
  },
  {
    name: 'the owning account is disabled',
    storage: storageKinds,
    revoke: ({ users, organization }) => users.owner('POST', `/accounts/${organization}/disable`),
    restore: renew(async (stage, instance) => {
      await stage.users.owner('POST', `/accounts/${stage.organization}/enable`);
      return { ...(await signInAnew(stage, instance)), ...(await share(stage)) };
    }),
    ends: [...signIns, 'write', 'read', ...byApiKey, ...byUser, ...byPage, ...byLink],
  },
  {
    // New sign-ins with the service account's keys succeed. Sessions from before stay refused.
    name: 'a service account is disabled, and another owner enables it again',
    revoke: async (stage) => {
      const other = await secondOwner(stage);
      await stage.users.owner('POST', `${ofServiceAccount(stage)}/disable`);
      await other('POST', `${ofServiceAccount(stage)}/enable`);
    },
    restore: renew(signInAnew),
    ends: ['write', 'read'],
  },
  {
    name: 'the owning account is disabled, and another owner enables it again',
    revoke: async (stage) => {
      const other = await secondOwner(stage);
      await stage.users.owner('POST', `/accounts/${stage.organization}/disable`);
      await other('POST', `/accounts/${stage.organization}/enable`);
    },
    restore: renew(async (stage, instance) => ({ ...(await signInAnew(stage, instance)), ...(await share(stage)) })),
    ends: ['write', 'read', ...byLink],
  },
  {
    name: 'a data connection is made read-only',
    storage: storageKinds,
    revoke: (stage) => stage.users.admin('DELETE', ofConnection(stage)),
    restore: (stage) => stage.users.admin('POST', `${ofConnection(stage)}/enable`),
    ends: ['write', 'write by API key', 'write by a user', 'write by narrowed credentials'],
    spares: ['read', 'read by anyone'],
  },
  {
    name: 'a data connection gets another role',
    storage: ['role'],
    revoke: (stage) => setRole(stage, 'arn:aws:iam::111122223333:role/another'),
    restore: async (stage) => {
      await setRole(stage, roleOf(stage.connection));
      await trustAgain(stage);
    },
    ends: [...everyAccess, 'read by anyone'],
    refusedWith: 503,
  },
  {
    name: 'a test of a data connection finds that everybody may use its role',
    storage: ['role'],
    revoke: async (stage) => {
      const { identity } = await stage.users.owner('GET', ofConnection(stage));
      const policy = identity.trust_policy.replace(/,\s*"[^"]*:sub": "[^"]*"/, '');
      await trust(stage.service, stage.connection, policy);
      await stage.users.owner('POST', `${ofConnection(stage)}/test`, { access: 'read' });
    },
    restore: trustAgain,
    ends: [...everyAccess, 'read by anyone'],
    refusedWith: 503,
  },
];

/** The kinds of changes that give a right. `restore` removes the right. */
const givenRights: readonly Revocation[] = [
  {
    name: 'a grant is given',
    revoke: grant,
    restore: (stage) => stage.users.owner('DELETE', grantOf(stage)),
    ends: [...bySession, ...bySibling],
  },
  {
    name: 'a grant is changed to read_write',
    revoke: grant,
    restore: (stage) => stage.users.owner('PUT', grantOf(stage), { access: 'read' }),
    ends: ['write'],
  },
  {
    name: 'a membership is accepted',
    revoke: ({ member, membershipId }) => member('POST', `/memberships/${membershipId}/accept`),
    restore: renew(inviteMember),
    ends: [...byApiKey, ...byUser],
  },
  {
    name: 'a membership is changed to write_data',
    revoke: ({ users, membershipId }) => users.owner('POST', `/memberships/${membershipId}/update-role`, 'write_data'),
    restore: ({ users, membershipId }) => users.owner('POST', `/memberships/${membershipId}/update-role`, 'read_data'),
    ends: ['write by API key', 'write by a user', 'write by narrowed credentials'],
  },
  {
    name: 'a membership in a repository is accepted',
    revoke: (stage) => stage.guest('POST', `${guestMembership(stage)}/accept`),
    restore: renew(inviteGuest),
    ends: byGuest,
  },
  {
    name: 'a service account is enabled, and signs in again',
    revoke: renew(async (stage, instance) => {
      await stage.users.owner('POST', `${ofServiceAccount(stage)}/enable`);
      return signInAnew(stage, instance);
    }),
    restore: (stage) => stage.users.owner('POST', `${ofServiceAccount(stage)}/disable`),
    ends: [...bySession, ...byWorkflow],
  },
  {
    name: 'a repository is enabled',
    revoke: ({ users, organization }) => users.admin('POST', `/repositories/${organization}/${repository}/enable`),
    restore: (stage) => stage.users.owner('POST', `${ofRepository(stage)}/disable`),
    ends: everyAccess,
  },
  {
    name: 'a repository is no longer federated-only',
    revoke: setFederatedOnly(settingsOf, false),
    restore: setFederatedOnly(settingsOf, true),
    ends: ['write', ...writesByKeys],
  },
  {
    name: 'a data connection becomes writable',
    revoke: (stage) => stage.users.admin('POST', `${ofConnection(stage)}/enable`),
    restore: (stage) => stage.users.admin('DELETE', ofConnection(stage)),
    ends: ['write', 'write by API key', 'write by a user', 'write by narrowed credentials'],
  },
];

export const gifts: readonly Revocation[] = givenRights.map((gift) => ({ ...gift, turnsTo: 'allowed' }));
