import { randomUUID } from 'node:crypto';
import { CloudFrontClient, CreateInvalidationCommand, ListInvalidationsCommand } from '@aws-sdk/client-cloudfront';
import * as z from 'zod';
import { type AnswerKeeper, invalidationPaths, pageInvalidationPaths } from '../../domain/changes/closed-places.ts';
import type { Clock } from '../../domain/time.ts';
import type { ClosingsServices } from '../../streams/closings.ts';
import { createParameterReader, type ReadParameter } from '../parameters.ts';

const environmentSchema = z.object({
  SLUICE_DATA_DISTRIBUTION_PARAMETER: z.string(),
  SLUICE_SITE_DISTRIBUTION_PARAMETER: z.string(),
  SLUICE_EDGE_REGION: z.string(),
  SLUICE_HAS_VIRTUAL_HOSTS: z.enum(['true', 'false']),
});

/** The real dependencies of what has closed data forgotten. */
export function createDeployedClosings(): ClosingsServices {
  const environment = environmentSchema.parse(process.env);
  const hasVirtualHosts = environment.SLUICE_HAS_VIRTUAL_HOSTS === 'true';
  const client = new CloudFrontClient({});
  const readParameter = createParameterReader(environment.SLUICE_EDGE_REGION);
  const keeperOf = (parameterName: string) => createDistributionKeeper(client, parameterName, readParameter);
  return {
    keepers: {
      objects: {
        keeper: keeperOf(environment.SLUICE_DATA_DISTRIBUTION_PARAMETER),
        pathsOf: (places) => invalidationPaths(places, hasVirtualHosts),
      },
      pages: { keeper: keeperOf(environment.SLUICE_SITE_DISTRIBUTION_PARAMETER), pathsOf: pageInvalidationPaths },
    },
    log: ({ failure }) => {
      const { name, message } = failure instanceof Error ? failure : new Error(String(failure));
      console.error(JSON.stringify({ level: 'ERROR', error: name, message }));
    },
  };
}

/** The distribution that a parameter names; without one nothing is kept yet, and nothing is to be forgotten. */
export function createDistributionKeeper(
  client: CloudFrontClient,
  parameterName: string,
  readParameter: ReadParameter,
  clock: Clock = Date.now,
): AnswerKeeper {
  let found: string | undefined;
  const distributionId = async () => {
    found ??= await readParameter(parameterName);
    return found;
  };
  return {
    async countInvalidations() {
      const DistributionId = await distributionId();
      if (DistributionId === undefined) return { inProgress: 0, inLastHour: 0 };
      // Newest first: all that is under way, and more than make a difference of an hour, stand on the first page.
      const { InvalidationList } = await client.send(new ListInvalidationsCommand({ DistributionId, MaxItems: 100 }));
      const listed = InvalidationList?.Items ?? [];
      const anHourAgo = clock() - 3_600_000;
      return {
        inProgress: listed.filter(({ Status }) => Status !== 'Completed').length,
        inLastHour: listed.filter(({ CreateTime }) => (CreateTime?.getTime() ?? 0) > anHourAgo).length,
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
