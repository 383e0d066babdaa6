import { type ApiHandler, type ApiServices, createApiHandler } from '../../http/api-handler.ts';
import type { Run } from '../../http/pipeline.ts';
import { createIssuerFetcher } from '../../issuers/fetch-keys.ts';
import type { Operation } from '../../operations/operation.ts';
import { resolveHost } from '../../s3/connection-test/probe.ts';
import { createAssumeRole, issueStorageTokens } from '../aws/assume-role.ts';
import { createConnectionSecrets } from '../aws/kms.ts';
import { createSecretReader } from '../aws/secrets-manager.ts';
import { regionOf } from '../aws/service.ts';
import { createDataCite } from '../datacite.ts';
import { createDeployedServices } from '../deployed-services.ts';
import { createDeployedSite, readEnvironment } from '../environment.ts';
import { createSecretSource } from '../secrets/secrets.ts';
import type {
  ConnectionServices,
  DoiServices,
  IssuerServices,
  SealingServices,
  Services,
  SiteApiServices,
} from '../services.ts';
import { type LazyFunction, lazyFunction } from './lazy-function.ts';

type ApiFunctionWith<Given> = LazyFunction<Given, Parameters<ApiHandler>, Awaited<ReturnType<ApiHandler>>>;
export type ApiFunction = ApiFunctionWith<Services>;

/**
 * Creates the Lambda of an operation. The bundler removes the unused functions of this file, together with their
 * imports.
 */
export function apiFunction<Op extends Operation>(operation: Op, run: Run<Op, Services>): ApiFunction {
  return apiFunctionWith(createDeployedServices, operation, run);
}

/** Creates the Lambda of an operation that shows the name and the URL of the site. */
export function siteFunction<Op extends Operation & { showsSite: true }>(operation: Op, run: Run<Op, SiteApiServices>) {
  const createServices = async (): Promise<SiteApiServices> => ({
    ...(await createDeployedServices()),
    ...createDeployedSite(),
  });
  return apiFunctionWith(createServices, operation, run);
}

/** Creates the Lambda of the operation that registers DOIs. Only this Lambda can read the password of DataCite. */
export function doiFunction<Op extends Operation & { registersDois: true }>(operation: Op, run: Run<Op, DoiServices>) {
  const createServices = async (): Promise<DoiServices> => {
    const site = createDeployedSite();
    const { SLUICE_DATACITE: dataCite } = readEnvironment();
    const services = { ...(await createDeployedServices()), ...site };
    if (dataCite === undefined) return services;
    const { secretArn, ...account } = dataCite;
    const readSecret = createSecretReader({ region: regionOf(secretArn) });
    const readPassword = () => readSecret(secretArn);
    return { ...services, doiRegistry: createDataCite({ ...account, readPassword, siteUrl: () => site.site().url }) };
  };
  return apiFunctionWith(createServices, operation, run);
}

type ConnectionOperation = Operation & { connectionSecrets: NonNullable<Operation['connectionSecrets']> };

/** Creates the Lambda of an operation that encrypts or decrypts credentials of data connections. */
export function connectionFunction<Op extends ConnectionOperation>(operation: Op, run: Run<Op, ConnectionServices>) {
  const createServices = async (): Promise<ConnectionServices> => {
    const keyArn = readEnvironment().SLUICE_CONNECTION_KEY_ARN;
    const connectionSecrets = createConnectionSecrets({ region: regionOf(keyArn) }, keyArn);
    const services = await createDeployedServices();
    const fast = { region: regionOf(keyArn), triesMax: 1, timeoutMs: 2000 };
    const assumeRole = createAssumeRole(fast, issueStorageTokens(services.storageIssuer, Date.now));
    return { ...services, resolveHost, connectionSecrets, assumeRole };
  };
  return apiFunctionWith(createServices, operation, run);
}

/**
 * Creates the Lambda of an operation that issues temporary credentials. Only this Lambda of the API can read the
 * secret that encrypts session tokens.
 */
export function sessionFunction<Op extends Operation & { sealsSessions: true }>(
  operation: Op,
  run: Run<Op, SealingServices>,
) {
  const createServices = async (): Promise<SealingServices> => {
    const secretArn = readEnvironment().SLUICE_SESSION_KEY_SECRET_ARN;
    if (secretArn === undefined) throw new Error('Set SLUICE_SESSION_KEY_SECRET_ARN for this function');
    const readSecret = createSecretReader({ region: regionOf(secretArn) });
    const sessionKeys = createSecretSource(readSecret, secretArn, Date.now);
    return { ...(await createDeployedServices()), sessionKeys };
  };
  return apiFunctionWith(createServices, operation, run);
}

/** Creates the Lambda of the operation that registers an issuer. It sends requests to the issuer's host. */
export function issuerFunction<Op extends Operation>(operation: Op, run: Run<Op, IssuerServices>) {
  const createServices = async (): Promise<IssuerServices> => ({
    ...(await createDeployedServices()),
    fetchIssuerKeys: createIssuerFetcher({ resolveHost, allowsLoopback: false }),
    userIssuer: readEnvironment().SLUICE_USER_ISSUER,
  });
  return apiFunctionWith(createServices, operation, run);
}

export function apiFunctionWith<Op extends Operation, Given extends ApiServices>(
  createServices: () => Promise<Given>,
  operation: Op,
  run: Run<Op, Given>,
): ApiFunctionWith<Given> {
  return lazyFunction((services: Given) => createApiHandler(operation, run, services), createServices);
}
