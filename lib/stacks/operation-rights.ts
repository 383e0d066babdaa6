import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Operation } from '../operations/operation.ts';
import { operationTableRights } from '../operations/table-rights.ts';
import { tableStatements } from './table-statements.ts';

/** ARNs of what management operations reach. */
export interface ReachableArns {
  table: string;
  apiKeyMasterSecret: string;
  connectionKey: string;
}

/** All that one operation's Lambda may do, from what its entry in the registry says; its own log aside. */
export function operationRights(operation: Operation, arns: ReachableArns): PolicyStatement[] {
  const statements = tableStatements(operationTableRights(operation), arns.table);
  // An API key may come with any request whose Authorization header is looked at; cursors are tagged with the same master.
  if (!operation.ignoresAuthorization || operation.isList) {
    statements.push(allow(['secretsmanager:GetSecretValue'], [arns.apiKeyMasterSecret]));
  }
  const keyActions = connectionKeyActions(operation);
  if (keyActions.length > 0) statements.push(allow(keyActions, [arns.connectionKey]));
  return statements;
}

/** Credentials of a connection are sealed where they come in, opened where an answer shows stored ones. */
function connectionKeyActions(operation: Operation): string[] {
  if (operation.group !== 'data-connections') return [];
  const isCreate = operation.method === 'POST';
  const showsCredentials = operation.secretFields?.includes('authentication') === true;
  return [
    ...(operation.body === undefined ? [] : ['kms:Encrypt']),
    ...(showsCredentials && !isCreate ? ['kms:Decrypt'] : []),
  ];
}

function allow(actions: string[], resources: string[]): PolicyStatement {
  return new PolicyStatement({ actions, resources });
}
