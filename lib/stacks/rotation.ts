import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { CfnRotationSchedule, type ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { FunctionBundles } from './bundle.ts';
import type { Config } from './config.ts';
import { LoggedFunction } from './logged-function.ts';

interface RotationProps {
  config: Config;
  bundles: FunctionBundles;
  secret: ISecret;
  description: string;
  everyDays: number;
  environment?: Record<string, string>;
  rights?: PolicyStatement[];
}

/**
 * Rotates a secret with the function that the construct ID names. CDK's own schedule would add a right on all
 * resources.
 */
export class Rotation extends Construct {
  constructor(scope: Construct, id: string, props: RotationProps) {
    super(scope, `${id}-rotation`);
    const { secretArn } = props.secret;
    const rotate = new LoggedFunction(scope, id, {
      config: props.config,
      bundles: props.bundles,
      description: props.description,
      memoryMb: 256,
      timeout: Duration.minutes(1),
      environment: props.environment ?? {},
      rights: [
        new PolicyStatement({
          actions: ['secretsmanager:DescribeSecret', 'secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'],
          resources: [secretArn],
        }),
        ...(props.rights ?? []),
      ],
    });
    const mayInvoke = new CfnPermission(this, 'Permission', {
      action: 'lambda:InvokeFunction',
      functionName: rotate.function.functionArn,
      principal: 'secretsmanager.amazonaws.com',
      sourceAccount: Stack.of(this).account,
      sourceArn: secretArn,
    });
    const schedule = new CfnRotationSchedule(this, 'Schedule', {
      secretId: secretArn,
      rotationLambdaArn: rotate.function.functionArn,
      rotationRules: { automaticallyAfterDays: props.everyDays },
      // A deployment must not rotate the secret.
      rotateImmediatelyOnUpdate: false,
    });
    // Secrets Manager runs a step of the function when the schedule is set.
    schedule.node.addDependency(mayInvoke, rotate);
  }
}
