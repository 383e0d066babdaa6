import * as z from 'zod';
import { type AccountRecord, accountSchema } from '../domain/accounts/accounts.ts';
import { type ApiKeyRecord, apiKeySchema } from '../domain/accounts/api-keys.ts';
import { disabling } from '../domain/accounts/disabling.ts';
import { type Membership, membershipRoleSchema, membershipSchema } from '../domain/accounts/memberships.ts';
import { type DataConnectionRecord, dataConnectionSchema } from '../domain/data/data-connections.ts';
import { type RepositoryRecord, repositorySchema } from '../domain/data/repositories.ts';
import type { PrefixOwner } from '../domain/data/storage-prefixes.ts';
import { type TransferRecord, transferSchema } from '../domain/data/transfers.ts';
import {
  type GrantRecord,
  grantSchema,
  type ServiceAccountKeyRecord,
  type ServiceAccountRecord,
  serviceAccountSchema,
} from '../domain/service-accounts/service-accounts.ts';
import { type TrustedWorkflowRecord, trustedWorkflowSchema } from '../domain/service-accounts/trusted-workflows.ts';

/** The number of times that an account was disabled. No response contains it. */
export const disabledCount = z.object({ times_disabled: z.int().default(0) });

/** See `Versioned`. */
const versioned = { version: z.int() };

/** The schemas of the stored items. They extend the API's schemas in lib/domain with stored attributes. */
export const accountRecord: z.ZodType<AccountRecord> = accountSchema.extend({
  ...disabling,
  ...versioned,
  identity_issuer: z.string().optional(),
  uid: z.string().optional(),
  created_at: z.string(),
  times_disabled: z.int().optional(),
});

export const serviceAccountRecord: z.ZodType<ServiceAccountRecord> = serviceAccountSchema
  .omit({ last_refused_sign_in: true })
  .extend({ uid: z.string(), ...disabledCount.shape, ...versioned });

/** Links a record to the repository that it applies to. Absent from records that apply to an account. */
const ofRepository = { repository_uid: z.string().optional() };

export const membershipRecord = membershipSchema.extend({
  created_at: z.string(),
  ...ofRepository,
}) satisfies z.ZodType<Membership>;
export type MembershipRecord = z.infer<typeof membershipRecord>;

/** The accepted membership of one account in one scope. */
export const roleRecord = z.object({
  membership_id: z.string(),
  role: membershipRoleSchema,
  ...ofRepository,
});

export const identityRecord = z.object({ account_id: z.string() });

const apiKeyResponseFields = {
  secret_access_key: true,
  created_by: true,
  created_by_name: true,
  created_by_is_member: true,
} as const;

export const apiKeyRecord: z.ZodType<ApiKeyRecord> = apiKeySchema.omit(apiKeyResponseFields).extend({
  created_by: z.string().optional(),
  account_uid: z.string().optional(),
  secret_version: z.int(),
  created_at: z.string(),
  secret_hash: z.string(),
  ...ofRepository,
});

export const repositoryRecord: z.ZodType<RepositoryRecord> = repositorySchema.extend({
  uid: z.string(),
  ...disabling,
  ...versioned,
});

/** The new location of a transferred repository that had this path. */
export const forwardingRecord = z.object({
  account_id: z.string(),
  repository_id: z.string(),
  former_uid: z.string(),
  to_account_id: z.string(),
  to_repository_id: z.string(),
  to_uid: z.string(),
});

export const transferRecord: z.ZodType<TransferRecord> = transferSchema.extend({
  repository_uid: z.string(),
  data_connection_id: z.string(),
});

export const prefixOwnerRecord: z.ZodType<PrefixOwner> = z.object({
  account_id: z.string(),
  repository_id: z.string(),
  left_at: z.string().optional(),
  unadopted: z.literal(true).optional(),
});

export const grantRecord: z.ZodType<GrantRecord> = grantSchema.extend(ofRepository);

export const dataConnectionRecord: z.ZodType<DataConnectionRecord> = dataConnectionSchema
  .omit({ authentication: true })
  .extend({ created_at: z.string(), in_use: z.boolean(), sealed_authentication: z.string().optional(), ...versioned });

export const serviceAccountKeyRecord: z.ZodType<ServiceAccountKeyRecord> = z.object({
  key_hash: z.string(),
  key_id: z.string(),
  service_account_id: z.string(),
  service_account_uid: z.string(),
  label: z.string(),
  expires_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  created_at: z.string(),
  created_by: z.string().optional(),
});

export const serviceKeyPointerRecord = z.object({
  key_id: z.string(),
  key_hash: z.string(),
  created_by: z.string().optional(),
});

export const trustedWorkflowRecord: z.ZodType<TrustedWorkflowRecord> = trustedWorkflowSchema.extend({
  service_account_id: z.string(),
  service_account_uid: z.string(),
  subject_key: z.string(),
});

export const workflowPointerRecord = z.object({
  workflow_id: z.string(),
  service_account_id: z.string(),
  issuer: z.string(),
  subject_key: z.string(),
});
