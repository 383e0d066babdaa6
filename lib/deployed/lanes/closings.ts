import { randomUUID } from 'node:crypto';
import { CloudFrontClient, CreateInvalidationCommand, ListInvalidationsCommand } from '@aws-sdk/client-cloudfront';
import * as z from 'zod';
import { type AnswerKeeper, invalidationPaths, pageInvalidationPaths } from '../../domain/changes/closed-places.ts';
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
    keepers: [
      {
        keeper: keeperOf(environment.SLUICE_DATA_DISTRIBUTION_PARAMETER),
        pathsOf: (places) => invalidationPaths(places, hasVirtualHosts),
      },
      { keeper: keeperOf(environment.SLUICE_SITE_DISTRIBUTION_PARAMETER), pathsOf: pageInvalidationPaths },
    ],
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
): AnswerKeeper {
  let found: string | undefined;
  const distributionId = async () => {
    found ??= await readParameter(parameterName);
    return found;
  };
  return {
    async countInvalidationsInProgress() {
      const DistributionId = await distributionId();
      if (DistributionId === undefined) return 0;
      // Newest first: what is under way stands on the first page.
      const { InvalidationList } = await client.send(new ListInvalidationsCommand({ DistributionId, MaxItems: 100 }));
      const listed = InvalidationList?.Items ?? [];
      return listed.filter(({ Status }) => Status !== 'Completed').length;
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
