import * as z from 'zod';
import { AwsError } from './aws/aws-error.ts';
import { createAwsJsonService } from './aws/json-service.ts';
import type { PostClient } from './aws/post.ts';

/** Reads a Systems Manager parameter. Returns undefined if it does not exist, and rejects if the read fails. */
export type ReadParameter = (name: string) => Promise<string | undefined>;

const answerSchema = z.object({ Parameter: z.object({ Value: z.string() }) });

/**
 * Returns a function that calls GetParameter (AWS Systems Manager API reference). It makes only one attempt, because
 * its callers can read again later.
 */
export function createParameterReader(region: string, client?: PostClient): ReadParameter {
  const options = { region, triesMax: 1, timeoutMs: 2000 };
  const service = createAwsJsonService({ name: 'ssm', target: 'AmazonSSM', version: '1.1' }, options, client);
  return async (name) => {
    try {
      return answerSchema.parse(await service.call('GetParameter', { Name: name })).Parameter.Value;
    } catch (error) {
      if (error instanceof AwsError && error.name === 'ParameterNotFound') return undefined;
      throw error;
    }
  };
}
