import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Operation } from '../operations/operation.ts';
import { operationTableRights } from '../operations/table-rights.ts';
import { tableStatements } from './table-statements.ts';

/** ARNs of what management operations reach. */
export interface ReachableArns {
  table: string;
  apiKeyMasterSecret: string;
  connectionKey: string;
  sessionKeys: string;
  /** By which the firewall of the data proxy knows the pages. */
  pagesSecret: string;
  /** The parameter that names the clients of people, where the deployment has a user pool. */
  peopleClients?: string;
}

/** All that one operation's Lambda may do, from what its entry in the registry says; its own log aside. */
export function operationRights(operation: Operation, arns: ReachableArns): PolicyStatement[] {
  const statements = tableStatements(operationTableRights(operation), arns.table);
  // Any request may bring an API key unless its Authorization header is ignored; the same master seals the cursors of lists.
  if (!operation.ignoresAuthorization || operation.isList) {
    statements.push(allow(['secretsmanager:GetSecretValue'], [arns.apiKeyMasterSecret]));
  }
  // A token is for a client that was made after the API, or is not; and a page signs people in with one.
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
