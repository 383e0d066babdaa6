import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { createIssuerFetcher } from '../issuers/fetch-keys.ts';
import type { IssuerRefreshServices } from '../issuers/refresh-due.ts';
import { resolveHost } from '../s3/connection-test/probe.ts';
import { RegisteredIssuerStore } from '../store/registered-issuers.ts';
import { openTable } from './table.ts';

/** Creates the services of the scheduled Lambda that fetches the keys of registered issuers. */
export function createLambdaIssuerRefresh(): IssuerRefreshServices {
  const { SLUICE_TABLE_NAME } = z.object({ SLUICE_TABLE_NAME: z.string() }).parse(process.env);
  return {
    store: { registeredIssuers: new RegisteredIssuerStore(openTable(new DynamoDBClient(), SLUICE_TABLE_NAME)) },
    fetchIssuerKeys: createIssuerFetcher({ resolveHost, allowsLoopback: false }),
    clock: Date.now,
  };
}
