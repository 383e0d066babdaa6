import { ArnFormat, Stack } from 'aws-cdk-lib';
import {
  PolicyDocument,
  PolicyStatement,
  type PolicyStatementProps,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Operation } from '../operations/operation.ts';
import { operationTableRights, otherTableRights, type TableRight } from '../operations/table-rights.ts';
import type { Config } from './config.ts';
import { edgeRegion, physicalNames, storageIssuerConfig } from './names.ts';

/** CDK's grants would add a policy resource for each role, and more actions than the functions use. */
export function allow(
  actions: string[],
  resources: string[],
  more: Pick<PolicyStatementProps, 'conditions' | 'principals'> = {},
): PolicyStatement {
  return new PolicyStatement({ actions, resources, ...more });
}

/** Creates a role with exactly these rights. */
export function roleOf(
  scope: Construct,
  id: string,
  service: string,
  name: string,
  statements: PolicyStatement[],
): Role {
  return new Role(scope, id, {
    assumedBy: new ServicePrincipal(`${service}.amazonaws.com`),
    inlinePolicies: { [name]: new PolicyDocument({ statements }) },
  });
}

/**
 * Forms ARNs from names, for resources of another region or of a later stack.
 *
 * @param region the default is the region of the scope's stack
 */
export function arnsByName(scope: Construct, region?: string) {
  const arn = (service: string, resource: string) =>
    Stack.of(scope).formatArn({
      service,
      resource,
      ...(region === undefined ? {} : { region }),
      arnFormat: ArnFormat.NO_RESOURCE_NAME,
    });
  return {
    table: (name: string) => arn('dynamodb', `table/${name}`),
    /** Secrets Manager appends a hyphen and six characters to a secret's name. */
    secret: (name: string) => arn('secretsmanager', `secret:${name}-??????`),
    /** @param name begins with a slash */
    parameter: (name: string) => arn('ssm', `parameter${name}`),
    /** All keys of the region. A condition limits the right to one alias. */
    anyKey: () => arn('kms', 'key/*'),
  };
}

/** Converts rights to the table to policy statements. */
export function tableStatements(rights: readonly TableRight[], tableArn: string): PolicyStatement[] {
  return rights.map(({ actions, index, partitions }) => {
    const leadingKeys = { 'dynamodb:LeadingKeys': (partitions ?? []).map((start) => `${start}*`) };
    return allow(
      actions.map((action) => `dynamodb:${action}`),
      [index === undefined ? tableArn : `${tableArn}/index/${index}`],
      partitions === undefined ? {} : { conditions: { 'ForAllValues:StringLike': leadingKeys } },
    );
  });
}

/** ARNs of resources that management operations use. */
export interface ReachableArns {
  table: string;
  apiKeyMasterSecret: string;
  connectionKey: string;
  sessionKeys: string;
  /** The secret by which the data proxy's firewall recognizes pages. */
  pagesSecret: string;
  /** All keys of the region, and the aliases of those that sign tokens for storage, if the deployment has an issuer. */
  identityKeys?: { keys: string; aliases: string[] };
  /** The parameter with the OIDC clients, if the deployment has a user pool. */
  userClients?: string;
}

/** Returns all rights of an operation's Lambda from its registry entry, except for its own log. */
export function operationRights(operation: Operation, arns: ReachableArns): PolicyStatement[] {
  const { ignoresAuthorization, kind, signsIn, sealsSessions, readsOpenData, signsStorageTokens } = operation;
  const { connectionSecrets = [] } = operation;
  const readSecret = (arn: string) => allow(['secretsmanager:GetSecretValue'], [arn]);
  const statements = tableStatements(operationTableRights(operation), arns.table);
  // Requests may carry an API key unless Authorization is ignored. The same secret encrypts list cursors.
  if (!ignoresAuthorization || kind === 'list') statements.push(readSecret(arns.apiKeyMasterSecret));
  // Token checks need the clients that were created after the API, and the sign-in page needs its client.
  if ((!ignoresAuthorization || signsIn) && arns.userClients !== undefined) {
    statements.push(allow(['ssm:GetParameter'], [arns.userClients]));
  }
  const keyActions = connectionSecrets.map((use) => connectionKeyActions[use]);
  if (keyActions.length > 0) statements.push(allow(keyActions, [arns.connectionKey]));
  if (signsStorageTokens && arns.identityKeys !== undefined) statements.push(useOfIdentityKeys(arns.identityKeys));
  if (sealsSessions) statements.push(readSecret(arns.sessionKeys));
  if (readsOpenData) statements.push(readSecret(arns.pagesSecret));
  return statements;
}

/** Lets a function sign tokens for storage, and read the public keys of the issuer. */
function useOfIdentityKeys({ keys, aliases }: NonNullable<ReachableArns['identityKeys']>): PolicyStatement {
  const conditions = { 'ForAnyValue:StringEquals': { 'kms:ResourceAliases': aliases } };
  return allow(['kms:GetPublicKey', 'kms:Sign'], [keys], { conditions });
}

const connectionKeyActions = { seal: 'kms:Encrypt', open: 'kms:Decrypt' } as const;

/** Returns all rights of an edge function. The edge stack cannot reference the resources of the home region. */
export function edgeRights(
  scope: Construct,
  name: 'exchange-credentials' | 'serve-object',
  { homeRegion, storageRoleArns, ...config }: Config,
): PolicyStatement[] {
  const homeArns = arnsByName(scope, homeRegion);
  const names = physicalNames(config);
  const readsObjects = name === 'serve-object';
  const secrets = readsObjects ? [names.sessionKeySecret, names.apiKeyMasterSecret] : [names.sessionKeySecret];
  const statements = [
    ...tableStatements(otherTableRights[name], homeArns.table(names.table)),
    allow(['secretsmanager:GetSecretValue'], secrets.map(homeArns.secret)),
    allow(['ssm:GetParameter'], [homeArns.parameter(names.userClientsParameter)]),
  ];
  if (!readsObjects) return statements;
  // The object function decrypts the credentials of connections.
  const ofConnections = { 'ForAnyValue:StringEquals': { 'kms:ResourceAliases': names.connectionKeyAlias } };
  statements.push(allow(['kms:Decrypt'], [homeArns.anyKey()], { conditions: ofConnections }));
  const issuer = storageIssuerConfig({ ...config });
  if (issuer !== undefined) {
    const keys = arnsByName(scope, edgeRegion).anyKey();
    statements.push(useOfIdentityKeys({ keys, aliases: issuer.key_ids }));
  }
  // A connection may name any role, so the deployment limits the roles.
  if (storageRoleArns.length > 0) statements.push(allow(['sts:AssumeRole'], storageRoleArns));
  return statements;
}
