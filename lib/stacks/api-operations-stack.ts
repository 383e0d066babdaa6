import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Operation } from '../operations/operation.ts';
import { addOperation, isInFirstStack } from './api-operations.ts';
import type { ApiStack } from './api-stack.ts';

interface ApiOperationsStackProps extends StackProps {
  api: ApiStack;
  operations: readonly Operation[];
}

/** Operations that do not fit into the API's own stack. */
export class ApiOperationsStack extends Stack {
  constructor(scope: Construct, id: string, { api, operations, ...props }: ApiOperationsStackProps) {
    super(scope, id, props);
    for (const operation of operations) if (!isInFirstStack(operation)) addOperation(this, operation, api.shared);
  }
}
