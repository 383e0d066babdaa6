import type { EdgeConfig } from '../../edge/config.ts';
import { Table } from '../../store/table.ts';
import { createTableRequests } from '../aws/dynamodb.ts';
import { createSecretReader } from '../aws/secrets-manager.ts';
import type { AwsServiceOptions } from '../aws/service.ts';
import { createSecretSource } from '../secrets/secrets.ts';

/**
 * Opens the table in the home region. Uses the small client, because the AWS SDK would double the duration of a cold
 * start.
 */
export function createHomeRegionTable(
  { home_region, table_name }: EdgeConfig,
  options: Omit<AwsServiceOptions, 'region'> = {},
) {
  return new Table(createTableRequests({ ...options, region: home_region }).send, table_name);
}

export function createHomeRegionSecret({ home_region }: EdgeConfig, name: string) {
  return createSecretSource(createSecretReader({ region: home_region }), name, Date.now);
}
