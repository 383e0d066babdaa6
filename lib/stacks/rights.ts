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

/**
 * Returns a policy statement that allows actions. CDK's own grants would add a policy resource to each role, and more
 * actions than the functions use.
 */
export function allow(
  actions: string[],
  resources: string[],
  more: Pick<PolicyStatementProps, 'conditions' | 'principals'> = {},
): PolicyStatement {
  return new PolicyStatement({ actions, resources, ...more });
}

/** Creates a role with exactly the given rights. */
export function roleOf(
  scope: Construct,
  id: string,
  service: string,
  name: string,
  statements: PolicyStatement[],
  roleName?: string,
): Role {
  return new Role(scope, id, {
    assumedBy: new ServicePrincipal(`${service}.amazonaws.com`),
    ...(roleName === undefined ? {} : { roleName }),
    inlinePolicies: { [name]: new PolicyDocument({ statements }) },
  });
}

/**
 * Returns functions that build ARNs from names, for resources in another region or in a later stack.
 *
 * @param region the region of the resources; the default is the region of the scope's stack
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
    /** Returns the ARN of a secret. Secrets Manager appends a hyphen and six characters to the name. */
    secret: (name: string) => arn('secretsmanager', `secret:${name}-??????`),
    /** @param name the name of the parameter, which begins with a slash */
    parameter: (name: string) => arn('ssm', `parameter${name}`),
    /** Returns a pattern for all KMS keys of the region. A condition in the policy must restrict it to one alias. */
    anyKey: () => arn('kms', 'key/*'),
  };
}

/** Converts rights to the table into policy statements. */
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

/** The ARNs of resources that operations of the management API use. */
export interface ReachableArns {
  table: string;
  apiKeyMasterSecret: string;
  connectionKey: string;
  sessionKeys: string;
  /** The secret by which the data proxy's firewall recognizes requests from pages. */
  pagesSecret: string;
  /**
   * All KMS keys of the region, and the aliases of the keys that sign tokens for storage, if the deployment has an
   * issuer.
   */
  identityKeys?: { keys: string; aliases: string[] };
  /** The secret with the password of DataCite, if the deployment registers DOIs. */
  dataCiteSecret?: string;
  /** The parameter with the OIDC clients, if the deployment has a user pool. */
  userClients?: string;
}

/**
 * Returns the rights that an operation's Lambda function needs, by its entry in the registry. The right to write to the
 * function's own log is not included.
 */
export function operationRights(operation: Operation, arns: ReachableArns): PolicyStatement[] {
  const { ignoresAuthorization, kind, signsIn, sealsSessions, readsOpenData, signsStorageTokens } = operation;
  const { connectionSecrets = [], registersDois } = operation;
  const readSecret = (arn: string) => allow(['secretsmanager:GetSecretValue'], [arn]);
  const statements = tableStatements(operationTableRights(operation), arns.table);
  // The function needs this secret to check API keys, unless it ignores the Authorization header. A function with a
  // list encrypts cursors with this secret as well.
  const sealsCursors = kind === 'list' || operation.sealsCursors;
  if (!ignoresAuthorization || sealsCursors) statements.push(readSecret(arns.apiKeyMasterSecret));
  // The function reads the OIDC clients at run time, because they are created after the API. It needs them to check
  // tokens, and to show the sign-in page.
  if ((!ignoresAuthorization || signsIn) && arns.userClients !== undefined) {
    statements.push(allow(['ssm:GetParameter'], [arns.userClients]));
  }
  const keyActions = connectionSecrets.map((use) => connectionKeyActions[use]);
  if (keyActions.length > 0) statements.push(allow(keyActions, [arns.connectionKey]));
  if (signsStorageTokens && arns.identityKeys !== undefined) statements.push(useOfIdentityKeys(arns.identityKeys));
  if (sealsSessions) statements.push(readSecret(arns.sessionKeys));
  if (registersDois && arns.dataCiteSecret !== undefined) statements.push(readSecret(arns.dataCiteSecret));
  if (readsOpenData) statements.push(readSecret(arns.pagesSecret));
  return statements;
}

/** Lets a function sign tokens for storage, and read the public keys of the issuer. */
export function useOfIdentityKeys({ keys, aliases }: NonNullable<ReachableArns['identityKeys']>): PolicyStatement {
  const conditions = { 'ForAnyValue:StringEquals': { 'kms:ResourceAliases': aliases } };
  return allow(['kms:GetPublicKey', 'kms:Sign'], [keys], { conditions });
}

const connectionKeyActions = { seal: 'kms:Encrypt', open: 'kms:Decrypt' } as const;

/**
 * Returns the rights that an edge function needs. They contain names instead of references, because a stack cannot
 * reference resources in another region.
 */
export function edgeRights(
  scope: Construct,
  name: 'exchange-credentials' | 'serve-object' | 'shape-response',
  { homeRegion, storageRoleArns, ...config }: Config,
): PolicyStatement[] {
  const homeArns = arnsByName(scope, homeRegion);
  const names = physicalNames(config);
  const ofTable = tableStatements(otherTableRights[name], homeArns.table(names.table));
  if (name === 'shape-response') return ofTable;
  const readsObjects = name === 'serve-object';
  const secrets = readsObjects ? [names.sessionKeySecret, names.apiKeyMasterSecret] : [names.sessionKeySecret];
  const statements = [
    ...ofTable,
    allow(['secretsmanager:GetSecretValue'], secrets.map(homeArns.secret)),
    allow(['ssm:GetParameter'], [homeArns.parameter(names.userClientsParameter)]),
  ];
  if (!readsObjects) return statements;
  // Only the function for objects decrypts the credentials of data connections.
  const ofConnections = { 'ForAnyValue:StringEquals': { 'kms:ResourceAliases': names.connectionKeyAlias } };
  statements.push(allow(['kms:Decrypt'], [homeArns.anyKey()], { conditions: ofConnections }));
  const issuer = storageIssuerConfig({ ...config });
  if (issuer !== undefined) {
    const keys = arnsByName(scope, edgeRegion).anyKey();
    statements.push(useOfIdentityKeys({ keys, aliases: issuer.key_ids }));
  }
  // A data connection may name any role, so the deployment limits the roles that the function may assume.
  if (storageRoleArns.length > 0) statements.push(allow(['sts:AssumeRole'], storageRoleArns));
  return statements;
}
