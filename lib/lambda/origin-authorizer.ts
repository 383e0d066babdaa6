import type { APIGatewayRequestAuthorizerEventV2, APIGatewaySimpleAuthorizerResult } from 'aws-lambda';
import * as z from 'zod';
import { ServiceError } from '../domain/errors.ts';
import { createRefreshedValue, secondsAfter } from '../domain/refreshed.ts';
import {
  comesFromDistribution,
  type OriginSecret,
  originHeader,
  originSecretSchema,
} from '../domain/secrets/origin-secret.ts';
import type { Clock } from '../domain/time.ts';
import { createSecretReader } from './aws/secrets-manager.ts';

export interface OriginServices {
  readSecret(): Promise<OriginSecret>;
  clock: Clock;
}

type OriginAuthorizer = (
  event: Pick<APIGatewayRequestAuthorizerEventV2, 'headers'>,
) => Promise<APIGatewaySimpleAuthorizerResult>;

/**
 * Creates the authorizer that allows only requests that came through CloudFront. API Gateway caches the result for
 * each value of the header, so the authorizer seldom runs.
 */
export function createOriginAuthorizer({ readSecret, clock }: OriginServices): OriginAuthorizer {
  const secret = createRefreshedValue(
    readSecret,
    {
      // Refresh the secret by time. An unknown value does not cause a refresh, because anyone can send unknown values.
      // A refresh by time is sufficient: a value stays valid for two rotations, and the time between rotations is
      // longer than the refresh time.
      dueAt: secondsAfter(5 * 60),
      endsAt: secondsAfter(60 * 60),
      failureRememberedSeconds: 10,
      unavailable: (cause) =>
        new ServiceError('unavailable', 'The secret of the distribution cannot be read', { cause }),
    },
    clock,
  );
  return async ({ headers }) => ({ isAuthorized: comesFromDistribution(headers?.[originHeader], await secret()) });
}

const environmentSchema = z.object({ SLUICE_ORIGIN_SECRET_NAME: z.string(), SLUICE_ORIGIN_SECRET_REGION: z.string() });

export const deployedOriginServices: OriginServices = {
  readSecret: async () => {
    const environment = environmentSchema.parse(process.env);
    const readSecret = createSecretReader({ region: environment.SLUICE_ORIGIN_SECRET_REGION });
    return originSecretSchema.parse(JSON.parse(await readSecret(environment.SLUICE_ORIGIN_SECRET_NAME)));
  },
  clock: Date.now,
};
