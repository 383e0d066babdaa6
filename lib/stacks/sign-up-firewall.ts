import type { UserPool } from 'aws-cdk-lib/aws-cognito';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { Config } from './config.ts';

/** Pages of the hosted login whose forms send an email. */
const pages = ['/signup', '/forgotPassword', '/resendcode'];
/** The same operations in the user pool's API. */
const operations = ['SignUp', 'ForgotPassword', 'ResendConfirmationCode'];

/**
 * The web ACL of a user pool. It limits sign-ups and other emails for each IP address. Cognito's own quotas count for
 * the whole pool, so one IP address could exhaust them. WAF does not see names or passwords here.
 */
export class SignUpFirewall extends Construct {
  constructor(scope: Construct, id: string, { name, throttles }: Config, pool: UserPool) {
    super(scope, id);
    const visibilityConfig = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      metricName,
      // Samples show headers to all users of the AWS console.
      sampledRequestsEnabled: false,
    });
    const textTransformations = [{ priority: 0, type: 'NONE' }];
    const acl = new CfnWebACL(this, 'Acl', {
      name: `${name}-people`,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibilityConfig(`${name}-people`),
      rules: [
        {
          name: 'sign-up',
          priority: 0,
          action: { block: {} },
          visibilityConfig: visibilityConfig('sign-up'),
          statement: {
            rateBasedStatement: {
              aggregateKeyType: 'IP',
              evaluationWindowSec: 300,
              limit: throttles.signUpsPerIpPer5Minutes,
              scopeDownStatement: {
                orStatement: {
                  statements: [
                    ...pages.map((page) => ({
                      byteMatchStatement: {
                        fieldToMatch: { uriPath: {} },
                        positionalConstraint: 'STARTS_WITH',
                        searchString: page,
                        textTransformations,
                      },
                    })),
                    ...operations.map((operation) => ({
                      byteMatchStatement: {
                        fieldToMatch: { singleHeader: { Name: 'x-amz-target' } },
                        positionalConstraint: 'EXACTLY',
                        searchString: `AWSCognitoIdentityProviderService.${operation}`,
                        textTransformations,
                      },
                    })),
                  ],
                },
              },
            },
          },
        },
      ],
    });
    new CfnWebACLAssociation(this, 'OfPool', { resourceArn: pool.userPoolArn, webAclArn: acl.attrArn });
  }
}
