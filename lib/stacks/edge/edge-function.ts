import { type Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, type IVersion, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { bundleOf, type FunctionBundles } from '../bundle.ts';
import type { Config } from '../config.ts';

interface EdgeFunctionProps {
  config: Config;
  bundles: FunctionBundles;
  description: string;
  memoryMb: number;
  timeout: Duration;
  rights: PolicyStatement[];
}

/** A version of functions/edge/<id>.ts for Lambda@Edge, which supports no environment variables, arm64, or layers. */
export class EdgeFunction extends Construct {
  readonly version: IVersion;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: EdgeFunctionProps) {
    super(scope, id);
    const functionName = `${props.config.name}-${id}`;
    // Lambda creates a log group in each region that serves a viewer.
    const writeLogs = new PolicyStatement({
      actions: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [
        Stack.of(this).formatArn({
          service: 'logs',
          region: '*',
          resource: `log-group:/aws/lambda/us-east-1.${functionName}:*`,
        }),
      ],
    });
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { own: new PolicyDocument({ statements: [...props.rights, writeLogs] }) },
    });
    const edge = new LambdaFunction(this, 'Function', {
      functionName,
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.X86_64,
      handler: 'index.handler',
      code: Code.fromAsset(bundleOf(props.bundles, id).directory),
      memorySize: props.memoryMb,
      timeout: props.timeout,
      role: this.role,
      // A version with remaining replicas cannot be deleted, and a deployment that tries to delete it fails.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
    });
    this.version = edge.currentVersion;
  }
}
