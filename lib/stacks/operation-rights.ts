import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type Operation, takesIdempotencyKey } from '../operations/operation.ts';

/** ARNs of what management operations reach. */
export interface ReachableArns {
  table: string;
  apiKeyMasterSecret: string;
  connectionKey: string;
}

/** All that one operation's Lambda may do, from what its entry in the registry says; its own log aside. */
export function operationRights(operation: Operation, arns: ReachableArns): PolicyStatement[] {
  const statements: PolicyStatement[] = [];
  const tableActions = [...new Set([...pipelineActions(operation), ...operation.tableAccess.actions])].sort();
  const qualified = tableActions.map((action) => `dynamodb:${action}`);
  if (qualified.length > 0) statements.push(allow(qualified, [arns.table]));
  if (takesIdempotencyKey(operation) && !tableActions.includes('UpdateItem')) {
    statements.push(
      new PolicyStatement({
        actions: ['dynamodb:UpdateItem'],
        resources: [arns.table],
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['IDEMPOTENCY#*'] } },
      }),
    );
  }
  if (operation.tableAccess.indexes.length > 0) {
    const indexes = operation.tableAccess.indexes.map((index) => `${arns.table}/index/${index}`);
    statements.push(allow(['dynamodb:Query'], indexes));
  }
  // An API key may come with any request whose Authorization header is looked at; cursors are tagged with the same master.
  if (!operation.ignoresAuthorization || operation.isList) {
    statements.push(allow(['secretsmanager:GetSecretValue'], [arns.apiKeyMasterSecret]));
  }
  const keyActions = connectionKeyActions(operation);
  if (keyActions.length > 0) statements.push(allow(keyActions, [arns.connectionKey]));
  return statements;
}

/** What authenticating and loading the target read. */
function pipelineActions(operation: Operation): string[] {
  return operation.ignoresAuthorization && operation.target === 'nothing' ? [] : ['BatchGetItem', 'GetItem'];
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
