import { randomUUID } from 'node:crypto';
import {
  CloudFrontClient,
  CreateInvalidationCommand,
  GetInvalidationCommand,
  ListInvalidationsCommand,
} from '@aws-sdk/client-cloudfront';
import * as z from 'zod';
import { type Distribution, invalidationPaths, pageInvalidationPaths } from '../../domain/changes/invalidations.ts';
import type { Clock } from '../../domain/time.ts';
import type { InvalidationsServices } from '../../streams/invalidations.ts';
import { logFailure } from '../failure-log.ts';
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
    log: ({ failure }) => logFailure(failure),
  };
}

/**
 * Opens the distribution whose ID is in a parameter. If the parameter does not exist yet, nothing is cached, so
 * invalidations do nothing.
 */
export function createDistribution(
  client: CloudFrontClient,
  parameterName: string,
  readParameter: ReadParameter,
  clock: Clock = Date.now,
): Distribution {
  const pathsOf = async (DistributionId: string, Id: string) => {
    const { Invalidation } = await client.send(new GetInvalidationCommand({ DistributionId, Id }));
    return Invalidation?.InvalidationBatch?.Paths?.Items ?? [];
  };
  let pathsById = new Map<string, readonly string[]>();
  let found: string | undefined;
  const distributionId = async () => {
    found ??= await readParameter(parameterName);
    return found;
  };
  return {
    async listInvalidations() {
      const DistributionId = await distributionId();
      if (DistributionId === undefined) return [];
      // Read only the first page: the list begins with the newest invalidations, and this page contains all
      // invalidations of the last hour, about 50.
      const { InvalidationList } = await client.send(new ListInvalidationsCommand({ DistributionId, MaxItems: 100 }));
      const anHourAgo = clock() - 3_600_000;
      const inLastHour = (InvalidationList?.Items ?? []).flatMap(({ Id = '', Status, CreateTime }) => {
        const beganAt = CreateTime?.getTime() ?? 0;
        return beganAt > anHourAgo ? [{ Id, beganAt, isCompleted: Status === 'Completed' }] : [];
      });
      const started = await Promise.all(
        inLastHour.map(async ({ Id, ...one }) => {
          const paths = pathsById.get(Id) ?? (await pathsOf(DistributionId, Id));
          return [Id, { ...one, paths }] as const;
        }),
      );
      // Cache the paths of each invalidation, because they never change. Each invalidation is therefore read only once.
      pathsById = new Map(started.map(([Id, { paths }]) => [Id, paths]));
      return started.map(([, one]) => one);
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
