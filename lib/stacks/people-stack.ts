import { CfnOutput, Fn } from 'aws-cdk-lib';
import { CfnUserPoolClient, CfnUserPoolDomain } from 'aws-cdk-lib/aws-cognito';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { commandLineCallbacks, signedOutPath, siteCallbackPath } from '../domain/accounts/site-sign-in.ts';
import type { UserClients } from '../domain/accounts/user-clients.ts';
import { limits } from '../domain/limits.ts';
import type { Config } from './config.ts';
import { type ApiEdgeStack, apiUrlOutput } from './edge/api-edge-stack.ts';
import { ServiceStack, type Shared } from './functions.ts';
import { edgeRegion, physicalNames } from './names.ts';
import { type PeoplePool, SignUpFirewall } from './user-pool.ts';

interface PeopleStackProps {
  people: PeoplePool;
  /** The stack of the site's distribution. */
  apiEdge: ApiEdgeStack;
}

/**
 * Cognito's hosted login and its clients for the site and for tools. This stack follows the site's distribution,
 * because the login redirects to its URL. The API and the edge read the clients from a parameter at run time. Until the
 * parameter exists, users cannot sign in.
 */
export class PeopleStack extends ServiceStack {
  constructor(shared: Shared, { people, apiEdge }: PeopleStackProps) {
    super(shared, 'people');
    const { config } = this;
    const { userPoolId } = people.pool;
    const domain = new CfnUserPoolDomain(this, 'HostedLogin', {
      userPoolId,
      domain: `${domainPrefix(config)}-${this.#eightHexDigits()}`,
      // The newer version shows no pages until it has a style.
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

    const clients: UserClients = {
      issuer: people.issuer,
      api_audiences: [siteClient.ref],
      data_audiences: [dataClient.ref],
      site_client_id: siteClient.ref,
    };
    new StringParameter(this, 'Clients', {
      parameterName: physicalNames(config).userClientsParameter,
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

  /** Returns digits from the stack ID `arn:…:stack/<name>/<uuid>`. They never change and are practically unique. */
  #eightHexDigits(): string {
    return Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', this.stackId))));
  }

  /** Adds a public client that allows the authorization code flow only. */
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
      // Without `aws.cognito.signin.user.admin`, a token cannot change the user's password or email address.
      allowedOAuthScopes: ['openid'],
      supportedIdentityProviders: ['COGNITO'],
      // Cognito replaces an empty list by its default, which includes SRP and refresh. This flow needs triggers, and
      // the pool has none.
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

/** Cognito refuses these words in the domain of a hosted login. */
function domainPrefix({ name }: Config): string {
  return /aws|amazon|cognito/.test(name) ? 'sluice' : name;
}
