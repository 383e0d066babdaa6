import * as z from 'zod';
import { AwsError } from './aws/aws-error.ts';
import { createAwsJsonService } from './aws/json-service.ts';
import type { PostClient } from './aws/post.ts';

/** The text of a parameter of Systems Manager; undefined where there is none of that name. Throws when it cannot be read. */
export type ReadParameter = (name: string) => Promise<string | undefined>;

const answerSchema = z.object({ Parameter: z.object({ Value: z.string() }) });

/** GetParameter (AWS Systems Manager API reference). Asked once: who needs it can wait for the next time. */
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
