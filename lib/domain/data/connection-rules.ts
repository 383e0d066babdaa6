import * as z from 'zod';
import { actingAccountOf, type Caller, isAdmin } from '../accounts/callers.ts';
import { type InputFault, invalidInput, ServiceError } from '../errors.ts';
import { isLoopbackHost } from '../loopback.ts';
import { isHostOfS3, isInDomain, partitionOfHost } from './aws-partitions.ts';
import { type DataConnection, type DataConnectionRecord, isAwsRegion } from './data-connections.ts';
import type { RepositoryDataMode } from './repositories.ts';
import type { StorageIssuer } from './web-identity.ts';

/**
 * The accounts that may connect their own storage: all accounts (`on`), accounts whose user has a flag (`flag`), or
 * none (`off`).
 */
export const accountConnectionsSchema = z.enum(['on', 'flag', 'off']);
export type AccountConnections = z.infer<typeof accountConnectionsSchema>;

/** Throws `access_denied` if the deployment does not allow the caller to connect an account's own storage. */
export function requireAccountConnections(setting: AccountConnections, caller: Caller): void {
  requireAccountConnectionsOn(setting);
  const isFlagged = isAdmin(caller) || actingAccountOf(caller)?.flags.includes('create_data_connections');
  if (setting === 'flag' && !isFlagged) {
    throw new ServiceError(
      'access_denied',
      'Connecting storage needs the flag create_data_connections; ask an administrator for it',
    );
  }
}

/**
 * Throws `access_denied` if the deployment does not let accounts connect their own storage. Existing repositories on
 * such storage stay.
 */
export function requireAccountConnectionsOn(setting: AccountConnections): void {
  if (setting !== 'off') return;
  throw new ServiceError(
    'access_denied',
    'This deployment does not let accounts connect storage; use an available one',
  );
}

/** Throws `access_denied` if an administrator disabled the connection, and the caller is not an administrator. */
export function requireNotDisabled({ disabled_by }: Pick<DataConnectionRecord, 'disabled_by'>, caller: Caller): void {
  if (disabled_by === undefined || isAdmin(caller)) return;
  throw new ServiceError(
    'access_denied',
    'An administrator made this data connection read-only; ask one to enable it again',
  );
}

/** The storage endpoints that a deployment allows. */
export interface EndpointRules {
  /** True if a data connection of the platform may use http to storage on the same machine. */
  allowsLoopbackEndpoints: boolean;
  /** True if a data connection of an account may use http to storage on the same machine. */
  allowsAccountLoopbackEndpoints: boolean;
  /** The issuer of tokens for storage roles. Absent in a deployment without a domain of its own for data. */
  storageIssuer?: StorageIssuer;
  /** The hosts of the deployment. A connection to one of them would make the service its own storage. */
  deploymentHosts: () => readonly string[];
}

/**
 * Returns true if a connection of this owner may use storage on the same machine. A connection without an owner belongs
 * to the platform.
 */
export function allowsLoopback(rules: EndpointRules, ownerId: string | undefined): boolean {
  return ownerId === undefined ? rules.allowsLoopbackEndpoints : rules.allowsAccountLoopbackEndpoints;
}

/**
 * Checks the fields of a data connection against each other and against the deployment. Throws `invalid_request`.
 *
 * @param ownerId the account that owns the connection; undefined for the platform
 */
export function checkConnection(connection: DataConnection, deployment: EndpointRules, ownerId?: string): void {
  const faults: InputFault[] = [];
  if (ownerId !== undefined && connection.required_flag !== undefined) {
    faults.push({ path: 'required_flag', message: 'is for the connections of the platform' });
  }
  if (ownerId !== undefined && connection.authentication?.type === 's3_assume_role') {
    // The external ID is free text, so an account could name the role of another customer. Only the platform may use
    // such roles.
    faults.push({ path: 'authentication.type', message: 'is for the connections of the platform' });
  }
  if (connection.authentication === undefined && !connection.read_only) {
    faults.push({ path: 'read_only', message: 'a connection without authentication is read-only; send true' });
  }
  const { endpoint, region } = connection.details;
  if (connection.authentication?.type === 's3_web_identity_role') {
    if (deployment.storageIssuer === undefined) {
      const message = 'needs the setting dataDomain of the deployment; use an access key';
      faults.push({ path: 'authentication.type', message });
    }
    // The service sends tokens to the STS of AWS, or to an emulator on the same machine.
    if (endpoint !== undefined && !(URL.canParse(endpoint) && isLoopbackHost(new URL(endpoint).hostname))) {
      faults.push({ path: 'details.endpoint', message: 'must be absent, because the role is one of AWS' });
    } else if (!isAwsRegion(region)) {
      faults.push({ path: 'details.region', message: 'must be a region of AWS such as eu-west-1' });
    }
  }
  if (endpoint === undefined && !isAwsRegion(region)) {
    faults.push({
      path: 'details.region',
      message: 'must be a region of AWS such as eu-west-1; for another store, send its endpoint too',
    });
  }
  if (endpoint !== undefined && !isUsableEndpoint(endpoint, allowsLoopback(deployment, ownerId))) {
    faults.push({
      path: 'details.endpoint',
      message:
        'must be an https URL of a public host, without path, query or user, on its usual port or one from 1024 on',
    });
  } else if (endpoint !== undefined && hasOtherBucket(new URL(endpoint).hostname)) {
    const message = 'must contain no bucket; for Amazon S3, send the region without an endpoint';
    faults.push({ path: 'details.endpoint', message });
  } else if (endpoint !== undefined && ownerId !== undefined && isRefusedHost(new URL(endpoint).hostname, deployment)) {
    faults.push({
      path: 'details.endpoint',
      message: 'must be a store beside AWS and this deployment; for Amazon S3, send the region without an endpoint',
    });
  }
  if (faults.length > 0) throw invalidInput(faults);
}

/**
 * Returns true if the proxy may send signed requests to the endpoint. An endpoint in an internal network is never
 * allowed.
 */
function isUsableEndpoint(endpoint: string, allowsLoopback: boolean): boolean {
  // Rejects tabs and newlines. The URL parser removes them, but the stored endpoint would contain them.
  if (!/^[\x21-\x7e]+$/.test(endpoint) || !URL.canParse(endpoint)) return false;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(endpoint);
  if (username !== '' || password !== '' || pathname !== '/' || search !== '' || hash !== '') return false;
  if (isLoopbackHost(hostname)) return allowsLoopback && (protocol === 'http:' || protocol === 'https:');
  // CloudFront connects to origins only on port 443 and on ports from 1024.
  return protocol === 'https:' && isPublicHostName(hostname) && (port === '' || Number(port) >= 1024);
}

/**
 * Returns true for a host of AWS or of the deployment. Refuses every host of CloudFront, because the deployment itself
 * is on CloudFront.
 */
function isRefusedHost(host: string, { deploymentHosts }: EndpointRules): boolean {
  if (isLoopbackHost(host)) return false;
  if (partitionOfHost(host) !== undefined) return true;
  return [...deploymentHosts(), 'cloudfront.net'].some((one) => isInDomain(host, one));
}

/**
 * Returns true for a host of AWS that is not an endpoint of S3. Its name could contain a bucket. Storage would then use
 * the connection's bucket as a prefix, and two connections could overlap unnoticed.
 */
function hasOtherBucket(host: string): boolean {
  return partitionOfHost(host) !== undefined && !isHostOfS3(host);
}

function isPublicHostName(host: string): boolean {
  // The host must be a name, not an IP address. The URL parser has converted every numeric form of an IPv4 address to
  // dotted decimals. The pattern also refuses a final dot, because `localhost.` would pass the check of the last label.
  const isAddress = /^[\d.]+$/.test(host) || host.startsWith('[');
  return (
    !isAddress &&
    host.includes('.') &&
    !host.endsWith('.') &&
    !/\.(?:localhost|localdomain|local|internal|home\.arpa)$/.test(host)
  );
}

/** Throws `invalid_request` for a data mode that the connection does not allow. */
export function requireDataMode(
  connection: Pick<DataConnection, 'allowed_data_modes'> | undefined,
  dataMode: RepositoryDataMode,
): void {
  if (connection?.allowed_data_modes.includes(dataMode)) return;
  const modes = connection?.allowed_data_modes.join(', ') || 'none';
  throw invalidInput([{ path: 'data_mode', message: `this data connection allows ${modes}` }]);
}
