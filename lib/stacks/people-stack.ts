import { CfnOutput, Fn, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnUserPoolClient, CfnUserPoolDomain } from 'aws-cdk-lib/aws-cognito';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { commandLineCallbacks } from '../domain/accounts/command-line-callbacks.ts';
import type { PeopleClients } from '../domain/accounts/people-clients.ts';
import { signedOutPath, siteCallbackPath } from '../domain/accounts/sign-in-urls.ts';
import { limits } from '../domain/limits.ts';
import type { Config } from './config.ts';
import { type ApiEdgeStack, apiUrlOutput } from './edge/api-edge-stack.ts';
import { edgeRegion, physicalNames } from './names.ts';
import { SignUpFirewall } from './sign-up-firewall.ts';
import type { PeoplePool } from './user-pool.ts';

interface PeopleStackProps extends StackProps {
  people: PeoplePool;
  /** Where the site is. */
  apiEdge: ApiEdgeStack;
}

/**
 * How people sign in by a page: the hosted login of the user pool, and its clients for the site and for tools. A stack after
 * the site's distribution, to whose address the login leads back. API and edge learn of the clients at run time, by the
 * parameter: until it is there, nobody signs in.
 */
export class PeopleStack extends Stack {
  constructor(scope: Construct, id: string, config: Config, { people, apiEdge, ...props }: PeopleStackProps) {
    super(scope, id, props);
    const { userPoolId } = people.pool;
    const domain = new CfnUserPoolDomain(this, 'HostedLogin', {
      userPoolId,
      domain: `${domainPrefix(config)}-${this.#eightHexDigits()}`,
      // The newer pages need a style of their own to be made before they answer.
      managedLoginVersion: 1,
    });
    const sites = [
      ...(config.siteDomain === undefined ? [] : [`https://${config.siteDomain}`]),
      Fn.getStackOutput(apiEdge.stackName, apiUrlOutput, edgeRegion),
    ];
    const siteClient = this.#addClient('Site', userPoolId, {
      callbackUrLs: sites.map((site) => `${site}${siteCallbackPath}`),
      logoutUrLs: sites.map((site) => `${site}${signedOutPath}`),
      minutes: limits.siteTokenLifeSeconds / 60,
    });
    const dataClient = this.#addClient('Data', userPoolId, {
      callbackUrLs: [...commandLineCallbacks],
      minutes: limits.dataTokenLifeSeconds / 60,
    });
    for (const client of [siteClient, dataClient]) client.addResourceDependency(domain);
    new SignUpFirewall(this, 'Firewall', config, people.pool);

    const clients: PeopleClients = {
      issuer: people.issuer,
      api_audiences: [siteClient.ref],
      data_audiences: [dataClient.ref],
      site_client_id: siteClient.ref,
    };
    new StringParameter(this, 'Clients', {
      parameterName: physicalNames(config).peopleClientsParameter,
      description: 'Whose tokens the management API and the credential exchange take',
      stringValue: this.toJsonString(clients),
    });
    new CfnOutput(this, 'Issuer', { value: people.issuer });
    new CfnOutput(this, 'SiteClientId', { value: siteClient.ref });
    new CfnOutput(this, 'DataClientId', { value: dataClient.ref });
    new CfnOutput(this, 'HostedLoginUrl', {
      value: `https://${domain.ref}.auth.${this.region}.amazoncognito.com`,
    });
  }

  /** Of the stack's id, `arn:…:stack/<name>/<uuid>`: the same as long as the stack lives, and hardly anybody else's. */
  #eightHexDigits(): string {
    return Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', this.stackId))));
  }

  /** A public client for the authorization code flow and nothing else. */
  #addClient(
    name: string,
    userPoolId: string,
    { minutes, ...addresses }: { minutes: number; callbackUrLs: string[]; logoutUrLs?: string[] },
  ): CfnUserPoolClient {
    return new CfnUserPoolClient(this, name, {
      userPoolId,
      clientName: name,
      generateSecret: false,
      ...addresses,
      allowedOAuthFlowsUserPoolClient: true,
      allowedOAuthFlows: ['code'],
      // Not `aws.cognito.signin.user.admin`: with it a token would change the person's own password and address.
      allowedOAuthScopes: ['openid'],
      supportedIdentityProviders: ['COGNITO'],
      // Cognito takes an empty list for its default, which has SRP and refreshing. This one needs triggers, of which the pool has none.
      explicitAuthFlows: ['ALLOW_CUSTOM_AUTH'],
      preventUserExistenceErrors: 'ENABLED',
      enableTokenRevocation: true,
      refreshTokenRotation: { feature: 'ENABLED', retryGracePeriodSeconds: 0 },
      tokenValidityUnits: { accessToken: 'minutes', idToken: 'minutes', refreshToken: 'minutes' },
      accessTokenValidity: minutes,
      idTokenValidity: minutes,
      refreshTokenValidity: limits.signedInSeconds / 60,
    });
  }
}

/** Cognito refuses these words in the name of a hosted login. */
function domainPrefix({ name }: Config): string {
  return /aws|amazon|cognito/.test(name) ? 'sluice' : name;
}
