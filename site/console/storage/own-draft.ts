import type { Schemas } from '../api/client.ts';
import { type Draft, draftOf, newDraft, requestOf } from '../platform/connection-draft.ts';
import { dataModes } from '../views/data-modes.ts';
import { detailsOf, hasRoles, presetOf } from './providers.ts';

/** The values that a user entered in the forms that connect storage to an account. */
export interface OwnDraft extends Draft {
  /** The ID of the provider preset. */
  provider: string;
  /** The user's account at the provider, if the endpoint contains it. */
  endpoint_account: string;
  /** The ARN of a role in parts, because the role does not exist yet when the user names it. */
  aws_account_id: string;
  role_name: string;
}

export const newOwnDraft: OwnDraft = {
  ...newDraft,
  provider: 'aws',
  endpoint_account: '',
  authentication: 's3_web_identity_role',
  allowed_data_modes: dataModes,
  aws_account_id: '',
  role_name: '',
};

/** Returns the values of a stored connection, without its credentials. */
export function ownDraftOf(connection: Schemas['DataConnection']): OwnDraft {
  const authentication = connection.authentication_type === undefined ? 'none' : 'unchanged';
  return { ...newOwnDraft, ...draftOf(connection), ...presetOf(connection.details), authentication };
}

/** Changes the values that a newly chosen provider or kind of access does not allow. */
export function fitted(draft: OwnDraft): OwnDraft {
  const isRole = draft.authentication === 's3_web_identity_role';
  const authentication = isRole && !hasRoles(draft.provider) ? 's3_access_key' : draft.authentication;
  // A connection without credentials can only read.
  return { ...draft, authentication, read_only: authentication === 'none' ? 'yes' : draft.read_only };
}

export function ownRequestOf(draft: OwnDraft): Schemas['DataConnectionUpdate'] {
  return requestOf({
    ...draft,
    ...detailsOf(draft),
    bucket: draft.bucket.trim(),
    role_arn: roleArnOf(draft),
  });
}

function roleArnOf({ aws_account_id, role_name, region }: OwnDraft): string {
  const partition = ['cn', 'us-gov', 'eusc'].find((one) => region.startsWith(`${one}-`));
  return `arn:aws${partition === undefined ? '' : `-${partition}`}:iam::${aws_account_id.replace(/[\s-]/g, '')}:role/${role_name.trim()}`;
}
