import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { pages } from '../operations/pages.ts';
import { addOperation } from './api-operations.ts';
import type { ApiStack } from './api-stack.ts';

interface PagesStackProps extends StackProps {
  api: ApiStack;
}

/** The pages that people see: routes of the same API, each with a Lambda of its own. */
export class PagesStack extends Stack {
  constructor(scope: Construct, id: string, { api, ...props }: PagesStackProps) {
    super(scope, id, props);
    const { shared } = api;
    const environment = { ...shared.environment, SLUICE_SITE: JSON.stringify(shared.config.site) };
    for (const page of pages) addOperation(this, page, { ...shared, environment });
  }
}
