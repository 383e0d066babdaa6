import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { TableRight } from '../operations/table-rights.ts';

/** Converts rights to the table to policy statements. */
export function tableStatements(rights: readonly TableRight[], tableArn: string): PolicyStatement[] {
  return rights.map(
    ({ actions, index, partitions }) =>
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [index === undefined ? tableArn : `${tableArn}/index/${index}`],
        ...(partitions === undefined
          ? {}
          : {
              conditions: {
                'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions.map((start) => `${start}*`) },
              },
            }),
      }),
  );
}
