import {
  CloudFrontClient,
  type CustomHeaders,
  GetDistributionConfigCommand,
  UpdateDistributionCommand,
} from '@aws-sdk/client-cloudfront';
import * as z from 'zod';
import {
  type OriginSecret,
  originHeader,
  originSecretSchema,
  rotateOriginSecret,
} from '../../domain/secrets/origin-secret.ts';
import type { AwsJsonService } from '../aws/json-service.ts';
import { createSecretsManager } from '../aws/secrets-manager.ts';
import { systemRandom } from '../random.ts';
import type { RotationServices } from './rotation.ts';

const environmentSchema = z.object({ SLUICE_DISTRIBUTION_ID: z.string() });

export function createDeployedOriginRotation(): RotationServices {
  return createOriginRotation(
    environmentSchema.parse(process.env).SLUICE_DISTRIBUTION_ID,
    createSecretsManager({ region: process.env['AWS_REGION'] ?? '' }),
    new CloudFrontClient(),
  );
}

export function createOriginRotation(
  distributionId: string,
  secrets: AwsJsonService,
  cloudFront: CloudFrontClient,
): RotationServices {
  return {
    secrets,
    rotate: (text) => {
      const fresh = Buffer.from(systemRandom.bytes(32)).toString('hex');
      return JSON.stringify(rotateOriginSecret(parse(text), fresh));
    },
    announce: (rotated) => send(cloudFront, distributionId, parse(rotated).current),
  };
}

/**
 * Updates the secret header of a distribution. CloudFront replaces the whole configuration. With the ETag, CloudFront
 * refuses the update if the configuration changed after the read.
 */
async function send(client: CloudFrontClient, Id: string, value: string): Promise<void> {
  const { DistributionConfig, ETag } = await client.send(new GetDistributionConfigCommand({ Id }));
  const headers = (DistributionConfig?.Origins?.Items ?? []).flatMap(ofOrigin);
  if (headers.length === 0) throw new Error(`no origin of the distribution has the header ${originHeader}`);
  if (headers.every(({ HeaderValue }) => HeaderValue === value)) return;
  for (const header of headers) header.HeaderValue = value;
  await client.send(new UpdateDistributionCommand({ Id, IfMatch: ETag, DistributionConfig }));
}

function ofOrigin({ CustomHeaders }: { CustomHeaders?: CustomHeaders | undefined }) {
  return (CustomHeaders?.Items ?? []).filter(({ HeaderName }) => HeaderName?.toLowerCase() === originHeader);
}

function parse(text: string): OriginSecret {
  return originSecretSchema.parse(JSON.parse(text));
}
