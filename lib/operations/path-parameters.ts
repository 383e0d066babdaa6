import * as z from 'zod';
import { versionNameSchema } from '../domain/data/repository-versions.ts';
import { anyAccountIdSchema, identifierSchema, serviceAccountIdSchema, uuidSchema } from '../domain/identifiers.ts';

export const pathParameterSchemas: Readonly<Record<string, z.ZodType<string>>> = {
  account_id: anyAccountIdSchema,
  repository_id: identifierSchema,
  membership_id: uuidSchema,
  invitation_link_id: uuidSchema,
  blocked_account_id: identifierSchema,
  access_key_id: z.string().regex(/^SCAK[A-Z2-7]{16}$/, 'must be SCAK and 16 letters and digits'),
  data_connection_id: identifierSchema,
  service_account_id: serviceAccountIdSchema,
  key_id: uuidSchema,
  workflow_id: uuidSchema,
  issuer_id: uuidSchema,
  deletion_id: uuidSchema,
  version_name: versionNameSchema,
  transfer_id: uuidSchema,
  link_id: uuidSchema,
};

export function pathParameterNames(path: string): string[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map((match) => match[1] ?? '');
}
