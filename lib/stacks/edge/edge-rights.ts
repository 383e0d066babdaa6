import { ArnFormat, type Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { otherTableRights } from '../../operations/table-rights.ts';
import type { Config } from '../config.ts';
import { physicalNames } from '../names.ts';
import { tableStatements } from '../table-statements.ts';

/**
 * ARNs of the home region, formed from names. The edge stack is in another region and cannot reference the resources.
 */
export class HomeRegionArns {
  readonly #stack: Stack;
  readonly #config: Config;

  constructor(stack: Stack, config: Config) {
    this.#stack = stack;
    this.#config = config;
  }

  get table(): string {
    return this.#arn('dynamodb', `table/${physicalNames(this.#config).table}`);
  }

  /** Secrets Manager appends a hyphen and six characters to a secret's name. */
  secret(name: string): string {
    return this.#arn('secretsmanager', `secret:${name}-??????`);
  }

  /** @param name begins with a slash */
  parameter(name: string): string {
    return this.#arn('ssm', `parameter${name}`);
  }

  /** All keys of the home region. A condition limits the right to one alias. */
  get anyKey(): string {
    return this.#arn('kms', 'key/*');
  }

  #arn(service: string, resource: string): string {
    return this.#stack.formatArn({
      service,
      resource,
      region: this.#config.homeRegion,
      arnFormat: ArnFormat.NO_RESOURCE_NAME,
    });
  }
}

/** Returns all rights of the function at `/.sts`. */
export function exchangeRights(home: HomeRegionArns, config: Config): PolicyStatement[] {
  return [
    ...tableStatements(otherTableRights['exchange-credentials'], home.table),
    new PolicyStatement({
      actions: ['secretsmanager:GetSecretValue'],
      resources: [home.secret(physicalNames(config).sessionKeySecret)],
    }),
    ...peopleRights(home, config),
  ];
}

/** Returns the right to read the OIDC clients if a parameter contains them. */
function peopleRights(home: HomeRegionArns, config: Config): PolicyStatement[] {
  if (config.userIssuer !== undefined) return [];
  const parameter = home.parameter(physicalNames(config).peopleClientsParameter);
  return [new PolicyStatement({ actions: ['ssm:GetParameter'], resources: [parameter] })];
}

/** Returns all rights of the object function. It decrypts the credentials of connections. */
export function objectRights(home: HomeRegionArns, config: Config): PolicyStatement[] {
  const names = physicalNames(config);
  return [
    ...tableStatements(otherTableRights['serve-object'], home.table),
    new PolicyStatement({
      actions: ['secretsmanager:GetSecretValue'],
      resources: [home.secret(names.sessionKeySecret), home.secret(names.apiKeyMasterSecret)],
    }),
    ...peopleRights(home, config),
    new PolicyStatement({
      actions: ['kms:Decrypt'],
      resources: [home.anyKey],
      conditions: { 'ForAnyValue:StringEquals': { 'kms:ResourceAliases': names.connectionKeyAlias } },
    }),
    // A connection may name any role, so the deployment limits the roles.
    ...(config.storageRoleArns.length === 0
      ? []
      : [new PolicyStatement({ actions: ['sts:AssumeRole'], resources: config.storageRoleArns })]),
  ];
}
