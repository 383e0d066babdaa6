import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ConnectionSecrets } from '../../lib/domain/data/data-connections.ts';
import { findRunningFunction } from '../../lib/local/functions.ts';
import { pages } from '../../lib/operations/pages.ts';
import { registry } from '../../lib/operations/registry.ts';
import { operationTableRights, otherTableRights, type TableRight } from '../../lib/operations/table-rights.ts';

/** An error for a request that the policy of the running function does not allow. */
export class RightMissing extends Error {
  override name = 'AccessDeniedException';
}

const operations = [...registry, ...pages];

const rightsByFunction = new Map<string, readonly TableRight[]>([
  ...operations.map((operation) => [operation.name, operationTableRights(operation)] as const),
  ...Object.entries(otherTableRights),
]);

/** The rights that functions have used, and those that were missing. */
export class ExercisedRights {
  readonly missing: RightMissing[] = [];
  /** Used rights, in the form of `nameOfRight`. */
  readonly used = new Set<string>();

  refuse(missing: RightMissing): never {
    this.missing.push(missing);
    throw missing;
  }
}

export function nameOfRight(functionName: string, action: string, index?: string): string {
  return [functionName, action, ...(index === undefined ? [] : [`of ${index}`])].join(' ');
}

/**
 * Refuses requests that the policy of the deployed function would refuse, so that every test of the service also tests
 * the rights. Requests outside functions pass, such as creating the table or deleting expired items.
 */
export function enforceRights(client: DynamoDBClient, exercised: ExercisedRights): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const name = findRunningFunction();
        if (name === undefined) return next(args);
        const missing = findMissingRight(name, String(commandName), args.input);
        if (missing !== undefined) return exercised.refuse(missing);
        for (const { action, index } of tableRequests(String(commandName), args.input))
          exercised.used.add(nameOfRight(name, action, index));
        return next(args);
      },
    { step: 'initialize' },
  );
}

/**
 * Rights of functions to the encryption key of connection credentials. The data proxy and repository jobs may decrypt.
 */
export const secretRights: ReadonlyMap<string, readonly ('seal' | 'open')[]> = new Map([
  ...operations.map((operation) => [operation.name, operation.connectionSecrets ?? []] as const),
  ['serve-object', ['open']],
  ['run-repository-jobs', ['open']],
]);

/** Enforces the rights to the encryption key of connection credentials. */
export function enforceSecretRights(secrets: ConnectionSecrets, exercised: ExercisedRights): ConnectionSecrets {
  const use = (right: 'seal' | 'open') => {
    const name = findRunningFunction();
    if (name === undefined) return;
    if (!secretRights.get(name)?.includes(right)) {
      exercised.refuse(new RightMissing(`${name} may not ${right} the credentials of connections`));
    }
    exercised.used.add(nameOfRight(name, right));
  };
  return {
    async seal(authentication, dataConnectionId) {
      use('seal');
      return secrets.seal(authentication, dataConnectionId);
    },
    async open(sealed, dataConnectionId) {
      use('open');
      return secrets.open(sealed, dataConnectionId);
    },
  };
}

interface TableRequest {
  action: string;
  index: string | undefined;
  /** The partition key of the request, if it names one. */
  partition: string | undefined;
}

export function findMissingRight(functionName: string, commandName: string, input: object): RightMissing | undefined {
  const rights = rightsByFunction.get(functionName) ?? [];
  for (const request of tableRequests(commandName, input)) {
    if (!rights.some((right) => isAllowedBy(right, request))) {
      return new RightMissing(`${functionName} may not ${JSON.stringify(request)}`);
    }
  }
  return undefined;
}

function isAllowedBy(right: TableRight, { action, index, partition }: TableRequest): boolean {
  if (!right.actions.some((allowed) => allowed === action) || right.index !== index) return false;
  return right.partitions?.some((start) => partition?.startsWith(start)) ?? true;
}

/**
 * Returns the permissions that a call needs. A transaction needs those of each part (DynamoDB documentation of IAM
 * actions).
 */
function tableRequests(commandName: string, input: object): TableRequest[] {
  const { TransactItems, IndexName, Key, Item } = input as {
    TransactItems?: Record<string, { Key?: unknown; Item?: unknown }>[];
    IndexName?: string;
    Key?: unknown;
    Item?: unknown;
  };
  const { RequestItems } = input as { RequestItems?: Record<string, { Keys?: unknown[] }> };
  if (RequestItems !== undefined) {
    const action = commandName.replace(/Command$/, '');
    const named = Object.values(RequestItems).flatMap(({ Keys = [] }) => Keys);
    return named.map((key) => ({ action, index: undefined, partition: partitionOf(key) }));
  }
  if (TransactItems === undefined) {
    const action = commandName.replace(/Command$/, '');
    const partition = action === 'Query' ? queriedPartition(input) : partitionOf(Key ?? Item);
    return [{ action, index: IndexName, partition }];
  }
  return TransactItems.flatMap((part) =>
    Object.entries(part).map(([kind, target]) => ({
      action: kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`,
      index: undefined,
      partition: partitionOf(target.Key ?? target.Item),
    })),
  );
}

function partitionOf(keyOrItem: unknown): string | undefined {
  const { pk } = (keyOrItem ?? {}) as { pk?: { S?: string } | string };
  return typeof pk === 'object' ? pk.S : pk;
}

function queriedPartition(input: object): string | undefined {
  const { ExpressionAttributeValues: values = {}, KeyConditionExpression: expression = '' } = input as {
    ExpressionAttributeValues?: Record<string, { S?: string } | string>;
    KeyConditionExpression?: string;
  };
  const [, name = ''] = /= *(:\w+)/.exec(expression) ?? [];
  const value = values[name];
  return typeof value === 'object' ? value.S : value;
}
