import { RemovalPolicy } from 'aws-cdk-lib';
import { AccountRecovery, Mfa, UserPool } from 'aws-cdk-lib/aws-cognito';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { Config } from './config.ts';
import { byteMatch, metricOf } from './edge/firewall.ts';

/** The user pool of a deployment without a configured issuer. Its OIDC clients are in the people stack. */
export class PeoplePool extends Construct {
  readonly pool: UserPool;
  readonly issuer: string;

  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id);
    const isRetained = config.removalPolicy === 'retain';
    const pool = new UserPool(this, 'Pool', {
      userPoolName: `${config.name}-people`,
      selfSignUpEnabled: config.selfSignUp ?? true,
      signInAliases: { email: true },
      autoVerify: { email: true },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { otp: true, sms: false },
      passwordPolicy: {
        minLength: 12,
        requireDigits: true,
        requireLowercase: true,
        requireSymbols: true,
        requireUppercase: true,
      },
      deletionProtection: isRetained,
      // Keep the user pool when a deployment fails, because a rollback could not delete a protected pool. An empty pool
      // may then be left over. It does not prevent another attempt, because several pools may have the same name.
      removalPolicy: isRetained ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.pool = pool;
    this.issuer = pool.userPoolProviderUrl;
  }
}

/** The pages of Cognito's hosted login with a form that sends an email. */
const pages = ['/signup', '/forgotPassword', '/resendcode'];
/** The operations of the user pool's API that send an email. */
const operations = ['SignUp', 'ForgotPassword', 'ResendConfirmationCode'];

/**
 * The web ACL of a user pool. It limits sign-ups and other emails for each IP address. Cognito's own quotas apply to
 * the complete pool, so one IP address could use up all of them. WAF does not see the names and passwords in these
 * requests.
 */
export class SignUpFirewall extends Construct {
  constructor(scope: Construct, id: string, { name, throttles }: Config, poolArn: string) {
    super(scope, id);
    const sendsMail = [
      ...pages.map((page) => byteMatch({ uriPath: {} }, 'STARTS_WITH', page)),
      ...operations.map((operation) =>
        byteMatch(
          { singleHeader: { Name: 'x-amz-target' } },
          'EXACTLY',
          `AWSCognitoIdentityProviderService.${operation}`,
        ),
      ),
    ];
    const acl = new CfnWebACL(this, 'Acl', {
      name: `${name}-people`,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: metricOf(`${name}-people`),
      rules: [
        {
          name: 'sign-up',
          priority: 0,
          action: { block: {} },
          visibilityConfig: metricOf('sign-up'),
          statement: {
            rateBasedStatement: {
              aggregateKeyType: 'IP',
              evaluationWindowSec: 300,
              limit: throttles.signUpsPerIpPer5Minutes,
              scopeDownStatement: { orStatement: { statements: sendsMail } },
            },
          },
        },
      ],
    });
    new CfnWebACLAssociation(this, 'OfPool', { resourceArn: poolArn, webAclArn: acl.attrArn });
  }
}
