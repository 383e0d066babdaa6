import { CfnOutput, Fn } from 'aws-cdk-lib';
import { CfnUserPoolClient, CfnUserPoolDomain } from 'aws-cdk-lib/aws-cognito';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { commandLineCallbacks, signedOutPath, siteCallbackPath } from '../domain/accounts/site-sign-in.ts';
import type { UserClients } from '../domain/accounts/user-clients.ts';
import { limits } from '../domain/limits.ts';
import { userIssuerIn, userPoolIdOutput } from './api-stack.ts';
import type { Config } from './config.ts';
import { ServiceStack, type Shared } from './functions.ts';
import { apiUrlOutput, edgeRegion, physicalNames } from './names.ts';
import { SignUpFirewall } from './user-pool.ts';

/**
 * Contains the parameter with the issuer and the OIDC clients of users. With a user pool, it contains Cognito's hosted
 * login and the clients as well. The login redirects to the site's distribution, so this stack is deployed after that
 * distribution. It is the last stack of all: the edge accepts tokens of the issuer in the parameter only when all other
 * stacks already know that issuer.
 */
export class PeopleStack extends ServiceStack {
  constructor(shared: Shared) {
    super(shared, 'people');
    const clients = this.#clientsOfConfiguredIssuer(this.config) ?? this.#createPoolClients();
    new StringParameter(this, 'Clients', {
      parameterName: physicalNames(this.config).userClientsParameter,
      description: 'The issuer whose tokens the management API and the credential exchange accept',
      stringValue: this.toJsonString(clients),
    });
    new CfnOutput(this, 'Issuer', { value: clients.issuer });
  }

  #clientsOfConfiguredIssuer({ userIssuer }: Config): UserClients | undefined {
    if (userIssuer === undefined) return undefined;
    const { issuer, audience, dataAudience, clientId } = userIssuer;
    return {
      issuer,
      api_audiences: [audience],
      data_audiences: dataAudience === undefined ? [] : [dataAudience],
      ...(clientId === undefined ? {} : { site_client_id: clientId }),
    };
  }

  #createPoolClients(): UserClients {
    const { config } = this;
    // Do not import the pool from the API's stack. An import would prevent the later switch to another issuer, which
    // removes the pool.
    const userPoolId = this.outputOf('api', userPoolIdOutput, config.homeRegion);
    const domain = new CfnUserPoolDomain(this, 'HostedLogin', {
      userPoolId,
      domain: `${domainPrefix(config)}-${this.#eightHexDigits()}`,
      // The newer version of Cognito's hosted login shows no pages until a style is defined for it.
      managedLoginVersion: 1,
    });
    const sites = [
      ...(config.siteDomain === undefined ? [] : [`https://${config.siteDomain}`]),
      this.outputOf('api-edge', apiUrlOutput, edgeRegion),
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
    const poolArn = this.formatArn({ service: 'cognito-idp', resource: 'userpool', resourceName: userPoolId });
    new SignUpFirewall(this, 'Firewall', config, poolArn);
    new CfnOutput(this, 'SiteClientId', { value: siteClient.ref });
    new CfnOutput(this, 'DataClientId', { value: dataClient.ref });
    new CfnOutput(this, 'HostedLoginUrl', {
      value: `https://${domain.ref}.auth.${this.region}.amazoncognito.com`,
    });
    return {
      issuer: userIssuerIn(this, config),
      api_audiences: [siteClient.ref],
      data_audiences: [dataClient.ref],
      site_client_id: siteClient.ref,
    };
  }

  /**
   * Returns eight hexadecimal digits from the stack ID `arn:…:stack/<name>/<uuid>`. They never change, and practically
   * no other deployment has the same digits.
   */
  #eightHexDigits(): string {
    return Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', this.stackId))));
  }

  /** Adds a public OIDC client that can use only the authorization code flow. */
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
      // Do not allow the scope `aws.cognito.signin.user.admin`. A token with this scope could change the user's
      // password and email address.
      allowedOAuthScopes: ['openid'],
      supportedIdentityProviders: ['COGNITO'],
      // Allow only this flow, which needs triggers. The user pool has no triggers, so the flow cannot be used. An empty
      // list would mean Cognito's default, which allows SRP and refresh.
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

/**
 * Returns the prefix of the hosted login's domain. Cognito refuses a domain that contains `aws`, `amazon`, or
 * `cognito`.
 */
function domainPrefix({ name }: Config): string {
  return /aws|amazon|cognito/.test(name) ? 'sluice' : name;
}
