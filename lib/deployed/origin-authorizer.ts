import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { APIGatewayRequestAuthorizerEventV2, APIGatewaySimpleAuthorizerResult } from 'aws-lambda';
import * as z from 'zod';
import {
  comesFromDistribution,
  type OriginSecret,
  originHeader,
  originSecretSchema,
} from '../domain/secrets/origin-secret.ts';
import type { Clock } from '../domain/time.ts';

/** The time is of no matter while rotations are further apart: see what is accepted. */
const rereadAfterMs = 5 * 60_000;

export interface OriginServices {
  readSecret(): Promise<OriginSecret>;
  now: Clock;
}

type OriginAuthorizer = (
  event: Pick<APIGatewayRequestAuthorizerEventV2, 'headers'>,
) => Promise<APIGatewaySimpleAuthorizerResult>;

/** Lets in what came through the distribution. API Gateway keeps its answers by the header's value, so it runs rarely. */
export function createOriginAuthorizer({ readSecret, now }: OriginServices): OriginAuthorizer {
  let held: { secret: OriginSecret; readAt: number } | undefined;
  return async ({ headers }) => {
    // Read anew in time rather than for a value not known: anybody can send those.
    if (held === undefined || now() - held.readAt > rereadAfterMs) held = { secret: await readSecret(), readAt: now() };
    return { isAuthorized: comesFromDistribution(headers?.[originHeader], held.secret) };
  };
}

const environmentSchema = z.object({ SLUICE_ORIGIN_SECRET_NAME: z.string(), SLUICE_ORIGIN_SECRET_REGION: z.string() });

export const deployedOriginServices: OriginServices = {
  readSecret: async () => {
    const environment = environmentSchema.parse(process.env);
    const client = new SecretsManagerClient({ region: environment.SLUICE_ORIGIN_SECRET_REGION });
    const command = new GetSecretValueCommand({ SecretId: environment.SLUICE_ORIGIN_SECRET_NAME });
    const { SecretString } = await client.send(command);
    return originSecretSchema.parse(JSON.parse(SecretString ?? ''));
  },
  now: Date.now,
};
