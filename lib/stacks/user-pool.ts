import { RemovalPolicy } from 'aws-cdk-lib';
import { AccountRecovery, Mfa, UserPool } from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import type { Config } from './config.ts';

/** The people's issuer of a deployment that configures none. */
export class PeoplePool extends Construct {
  readonly pool: UserPool;
  readonly issuer: string;
  readonly audience: string;

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
      removalPolicy: isRetained ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // A web app holds no secret: passwords go over SRP, and an unknown name looks like a wrong password.
    const client = pool.addClient('Web', {
      // The second is for whoever holds AWS credentials: an operator's way to a token without a web app.
      authFlows: { userSrp: true, adminUserPassword: true },
      disableOAuth: true,
      generateSecret: false,
      preventUserExistenceErrors: true,
    });
    this.pool = pool;
    this.issuer = pool.userPoolProviderUrl;
    this.audience = client.userPoolClientId;
  }
}
