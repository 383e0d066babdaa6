import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Operation } from '../operations/operation.ts';
import { operationTableRights } from '../operations/table-rights.ts';
import { tableStatements } from './table-statements.ts';

/** ARNs of resources that management operations use. */
export interface ReachableArns {
  table: string;
  apiKeyMasterSecret: string;
  connectionKey: string;
  sessionKeys: string;
  /** The secret by which the data proxy's firewall recognizes pages. */
  pagesSecret: string;
  /** The parameter with the OIDC clients, if the deployment has a user pool. */
  peopleClients?: string;
}

/** Returns all rights of an operation's Lambda from its registry entry, except for its own log. */
export function operationRights(operation: Operation, arns: ReachableArns): PolicyStatement[] {
  const statements = tableStatements(operationTableRights(operation), arns.table);
  // Requests may carry an API key unless Authorization is ignored. The same secret encrypts list cursors.
  if (!operation.ignoresAuthorization || operation.kind === 'list') {
    statements.push(allow(['secretsmanager:GetSecretValue'], [arns.apiKeyMasterSecret]));
  }
  // Token checks need the clients that were created after the API, and the sign-in page needs its client.
  if ((!operation.ignoresAuthorization || operation.signsIn) && arns.peopleClients !== undefined) {
    statements.push(allow(['ssm:GetParameter'], [arns.peopleClients]));
  }
  const keyActions = (operation.connectionSecrets ?? []).map((use) => connectionKeyActions[use]);
  if (keyActions.length > 0) statements.push(allow(keyActions, [arns.connectionKey]));
  if (operation.sealsSessions) statements.push(allow(['secretsmanager:GetSecretValue'], [arns.sessionKeys]));
  if (operation.readsOpenData) statements.push(allow(['secretsmanager:GetSecretValue'], [arns.pagesSecret]));
  return statements;
}

const connectionKeyActions = { seal: 'kms:Encrypt', open: 'kms:Decrypt' } as const;

function allow(actions: string[], resources: string[]): PolicyStatement {
  return new PolicyStatement({ actions, resources });
}
