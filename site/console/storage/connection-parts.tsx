import type { Schemas } from '../api/client.ts';

type Connection = Schemas['DataConnection'];

export const storagePath = (account_id: string) => `/accounts/${account_id}/storage`;
export const connectPath = (account_id: string) => `${storagePath(account_id)}/connect`;
export const connectionPath = (account_id: string, id: string) => `${storagePath(account_id)}/connections/${id}`;

const authenticationLabels = {
  s3_web_identity_role: 'AWS role, no stored secret',
  s3_assume_role: 'AWS role with an external ID',
  s3_access_key: 'Access key',
} as const;

/** Describes how the service authenticates at the storage. */
export function describeAccess({ authentication_type: type }: Pick<Connection, 'authentication_type'>): string {
  return type === undefined ? 'Public bucket' : authenticationLabels[type];
}

export function ConnectionState({ state }: Pick<Connection, 'state'>) {
  return state === 'draft' ? <span class="badge over">draft</span> : <span class="badge live">ready</span>;
}

interface Tasks {
  isByRole: boolean;
  isReadOnly: boolean;
}

/** Returns the titles of the steps from a bucket to a repository. Some storage needs a task of its owner. */
export function stepTitles({ isByRole, isReadOnly }: Tasks) {
  return {
    storage: 'Choose the storage',
    ...(isByRole && { role: 'Create the role in AWS' }),
    ...(isReadOnly && { marker: 'Show that the storage is yours' }),
    test: 'Test the connection',
    repository: 'Create a repository',
  };
}
