import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { createRoleCredentialSource } from '../edge/assumed-roles.ts';
import type { RepositoryJobServices } from '../repository-jobs/run.ts';
import { DataAccessStore } from '../store/data-access.ts';
import { RepositoryJobStore } from '../store/repositories/repository-jobs.ts';
import { RepositoryVersionStore } from '../store/repositories/repository-versions.ts';
import { assumeRolesAs, createAssumeRole, issueStorageTokens } from './aws/assume-role.ts';
import { createConnectionSecretOpener, createStorageIssuer } from './aws/kms.ts';
import { regionOf } from './aws/service.ts';
import { storageIssuerVariable } from './environment.ts';
import { logFailure } from './failure-log.ts';
import { openTable } from './table.ts';

const environmentSchema = z.object({
  SLUICE_TABLE_NAME: z.string(),
  SLUICE_CONNECTION_KEY_ARN: z.string(),
  SLUICE_STORAGE_ISSUER: storageIssuerVariable,
  /** The role of the data proxy, which roles of data connections trust. Absent if no such role is configured. */
  SLUICE_STORAGE_PRINCIPAL: z.string().optional(),
});

/** Creates the services of the scheduled Lambda that runs the background jobs of repositories. */
export function createLambdaRepositoryJobs(): RepositoryJobServices {
  const {
    SLUICE_TABLE_NAME,
    SLUICE_CONNECTION_KEY_ARN,
    SLUICE_STORAGE_ISSUER: issuer,
    SLUICE_STORAGE_PRINCIPAL: principal,
  } = environmentSchema.parse(process.env);
  const region = regionOf(SLUICE_CONNECTION_KEY_ARN);
  const clock = Date.now;
  const storageIssuer = issuer && createStorageIssuer(issuer, { region }, clock);
  const issueToken = issueStorageTokens(storageIssuer, clock);
  const assumeRole =
    principal === undefined
      ? createAssumeRole({ region }, issueToken)
      : assumeRolesAs(principal, { region }, issueToken);
  const table = openTable(new DynamoDBClient(), SLUICE_TABLE_NAME);
  const access = new DataAccessStore(table);
  return {
    versions: new RepositoryVersionStore(table),
    jobs: new RepositoryJobStore(table),
    readConnection: (id) => access.readConnection(id),
    secrets: createConnectionSecretOpener({ region }, SLUICE_CONNECTION_KEY_ARN),
    roles: createRoleCredentialSource(assumeRole, issuer?.deployment_id ?? '', clock),
    clock,
    pause: (milliseconds) => pause(milliseconds),
    log: logFailure,
  };
}
