import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { buildIndex, buildIndexIfDue, type IndexBuilderServices } from '../search/build-index.ts';
import { createStore } from '../store/store.ts';
import { lazyFunction } from './functions/lazy-function.ts';
import { systemRandom } from './random.ts';
import { openTable } from './table.ts';

/** Creates the scheduled Lambda that rebuilds the search index of the catalogue if a rebuild is due. */
export function searchIndexFunction() {
  return lazyFunction(
    (services: IndexBuilderServices) => async (_event: unknown) => {
      await buildIndexIfDue(services);
    },
    () => builderOf(new DynamoDBClient(), z.object({ SLUICE_TABLE_NAME: z.string() }).parse(process.env)),
  );
}

/**
 * Builds the search index immediately, with the caller's AWS credentials. Returns the number of repositories in the
 * index.
 */
export async function buildSearchIndexOf(tableName: string, config: DynamoDBClientConfig): Promise<number> {
  return buildIndex(builderOf(new DynamoDBClient(config), { SLUICE_TABLE_NAME: tableName }));
}

function builderOf(client: DynamoDBClient, environment: { SLUICE_TABLE_NAME: string }): IndexBuilderServices {
  const store = createStore(openTable(client, environment.SLUICE_TABLE_NAME));
  return { store, clock: Date.now, random: systemRandom };
}
