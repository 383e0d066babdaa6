import { ServiceError } from '../domain/errors.ts';
import { type SessionRole, sessionRoles } from '../domain/secrets/session-credentials.ts';

export interface RequestedRole {
  /** The ID of a service account or of a user's account. Only its characters are checked. */
  account_id: string;
  role: SessionRole;
}

/**
 * Parses `arn:<partition>:iam::<account_id>:role/<FullAccess|ReadOnly>` (spec, 4.3). Throws `invalid_request` with the
 * problem in the message.
 */
export function parseRoleArn(arn: string): RequestedRole {
  // The account ID becomes part of a table key even if it does not exist, so its length is limited.
  const parts = /^arn:(?:aws|aws-cn|aws-us-gov):iam::(?<account>[A-Za-z0-9_-]{1,128}):role\/(?<name>.{1,128})$/.exec(
    arn,
  );
  const account = parts?.groups?.['account'];
  if (account === undefined) {
    throw new ServiceError(
      'invalid_request',
      'RoleArn must be arn:aws:iam::<account ID>:role/FullAccess, or the same with ReadOnly',
    );
  }
  const role = sessionRoles.find((name) => name === parts?.groups?.['name']);
  if (role === undefined) {
    throw new ServiceError('invalid_request', 'RoleArn must name one of the roles FullAccess and ReadOnly');
  }
  return { account_id: account, role };
}
