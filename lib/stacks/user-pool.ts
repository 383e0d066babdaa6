import { RemovalPolicy } from 'aws-cdk-lib';
import { AccountRecovery, Mfa, UserPool } from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import type { Config } from './config.ts';

/** The user pool of a deployment without a configured issuer. Its clients are in the sign-in stack. */
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
      removalPolicy: isRetained ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.pool = pool;
    this.issuer = pool.userPoolProviderUrl;
  }
}
