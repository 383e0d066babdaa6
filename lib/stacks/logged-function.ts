import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { bundleOf, type FunctionBundles } from './bundle.ts';
import type { Config } from './config.ts';

interface LoggedFunctionProps {
  config: Config;
  bundles: FunctionBundles;
  description: string;
  memoryMb: number;
  timeout: Duration;
  environment: Record<string, string>;
  rights: PolicyStatement[];
  /** Reserved concurrency of the function, which is also its maximum. */
  reservedConcurrency?: number | undefined;
}

/**
 * A Lambda with its own log group and role. The construct ID is the name of its file below functions/. The role has
 * `rights` and may write the log.
 */
export class LoggedFunction extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: LoggedFunctionProps) {
    super(scope, id);
    const functionName = `${props.config.name}-${id}`;
    const logGroup = new LogGroup(this, 'Log', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: props.config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const writeLog = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { own: new PolicyDocument({ statements: [...props.rights, writeLog] }) },
    });
    this.function = new LambdaFunction(this, 'Function', {
      functionName,
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(bundleOf(props.bundles, id).directory),
      memorySize: props.memoryMb,
      timeout: props.timeout,
      environment: props.environment,
      role,
      logGroup,
      ...(props.reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: props.reservedConcurrency }),
    });
  }
}
