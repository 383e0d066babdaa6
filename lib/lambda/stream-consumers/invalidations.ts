import { randomUUID } from 'node:crypto';
import {
  CloudFrontClient,
  CreateInvalidationCommand,
  GetInvalidationCommand,
  ListInvalidationsCommand,
} from '@aws-sdk/client-cloudfront';
import * as z from 'zod';
import {
  countWildcards,
  type Distribution,
  invalidationPaths,
  invalidationTiming,
  pageInvalidationPaths,
} from '../../domain/changes/invalidations.ts';
import type { Clock } from '../../domain/time.ts';
import type { InvalidationsServices } from '../../streams/invalidations.ts';
import { createParameterReader, type ReadParameter } from '../parameters.ts';

const environmentSchema = z.object({
  SLUICE_DATA_DISTRIBUTION_PARAMETER: z.string(),
  SLUICE_SITE_DISTRIBUTION_PARAMETER: z.string(),
  SLUICE_EDGE_REGION: z.string(),
  SLUICE_HAS_VIRTUAL_HOSTS: z.enum(['true', 'false']),
});

/** Creates the services of the function that invalidates caches. */
export function createDeployedInvalidations(): InvalidationsServices {
  const environment = environmentSchema.parse(process.env);
  const hasVirtualHosts = environment.SLUICE_HAS_VIRTUAL_HOSTS === 'true';
  const client = new CloudFrontClient({});
  const readParameter = createParameterReader(environment.SLUICE_EDGE_REGION);
  const named = (parameterName: string) => createDistribution(client, parameterName, readParameter);
  return {
    caches: {
      objects: {
        distribution: named(environment.SLUICE_DATA_DISTRIBUTION_PARAMETER),
        pathsOf: invalidationPaths(hasVirtualHosts),
      },
      pages: {
        distribution: named(environment.SLUICE_SITE_DISTRIBUTION_PARAMETER),
        pathsOf: pageInvalidationPaths,
      },
    },
    clock: Date.now,
    log: ({ failure }) => {
      const { name, message } = failure instanceof Error ? failure : new Error(String(failure));
      console.error(JSON.stringify({ level: 'ERROR', error: name, message }));
    },
  };
}

/**
 * Opens the distribution that a parameter names. Without the parameter, nothing is cached yet and nothing is
 * invalidated.
 */
export function createDistribution(
  client: CloudFrontClient,
  parameterName: string,
  readParameter: ReadParameter,
  clock: Clock = Date.now,
): Distribution {
  const wildcardsOf = async (DistributionId: string, Id: string) => {
    const { Invalidation } = await client.send(new GetInvalidationCommand({ DistributionId, Id }));
    return countWildcards(Invalidation?.InvalidationBatch?.Paths?.Items ?? []);
  };
  let found: string | undefined;
  const distributionId = async () => {
    found ??= await readParameter(parameterName);
    return found;
  };
  return {
    async countInvalidations() {
      const DistributionId = await distributionId();
      if (DistributionId === undefined) return { wildcardsInProgress: 0, inLastHour: 0, lastBeganAt: undefined };
      // The list begins with the newest. Its first page has all invalidations in progress and more than the hourly
      // limit.
      const { InvalidationList } = await client.send(new ListInvalidationsCommand({ DistributionId, MaxItems: 100 }));
      const listed = InvalidationList?.Items ?? [];
      const anHourAgo = clock() - 3_600_000;
      const beganAt = listed.map(({ CreateTime }) => CreateTime?.getTime() ?? 0).filter((time) => time > anHourAgo);
      // Each of our invalidations has a path with `*`, so more than this number exhausts the limit anyway.
      const inProgress = listed
        .filter(({ Status }) => Status !== 'Completed')
        .slice(0, invalidationTiming.wildcardsMax);
      const wildcards = await Promise.all(inProgress.map(({ Id }) => wildcardsOf(DistributionId, String(Id))));
      return {
        wildcardsInProgress: wildcards.reduce((sum, count) => sum + count, 0),
        inLastHour: beganAt.length,
        lastBeganAt: beganAt.length === 0 ? undefined : Math.max(...beganAt),
      };
    },
    async invalidate(paths) {
      const DistributionId = await distributionId();
      if (DistributionId === undefined) return;
      const Paths = { Quantity: paths.length, Items: [...paths] };
      const InvalidationBatch = { CallerReference: randomUUID(), Paths };
      await client.send(new CreateInvalidationCommand({ DistributionId, InvalidationBatch }));
    },
  };
}
