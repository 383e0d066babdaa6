import { type DataConnection, isAwsRegion } from '../domain/data/data-connections.ts';
import { mayPrefixesOverlap } from '../domain/data/prefix-overlap.ts';
import type { RepositoryDataMode } from '../domain/data/repositories.ts';
import { type InputFault, ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { everyPage } from '../domain/list-pages.ts';
import { isLoopbackHost } from '../domain/loopback.ts';
import { invalidInput } from '../http/validate.ts';
import type { Services } from './services.ts';

/** What the fields of a data connection must be to each other and to the deployment. Throws `invalid_request`. */
export function checkConnection(
  connection: DataConnection,
  { allowsLoopbackEndpoints }: Pick<Services, 'allowsLoopbackEndpoints'>,
): void {
  const faults: InputFault[] = [];
  if (connection.authentication === undefined && !connection.read_only) {
    faults.push({ path: 'read_only', message: 'a connection without authentication is read-only; send true' });
  }
  const { endpoint, region } = connection.details;
  if (endpoint === undefined && !isAwsRegion(region)) {
    faults.push({
      path: 'details.region',
      message: 'must be a region of AWS such as eu-west-1; for another store, send its endpoint too',
    });
  }
  if (endpoint !== undefined && !isUsableEndpoint(endpoint, allowsLoopbackEndpoints)) {
    faults.push({
      path: 'details.endpoint',
      message:
        'must be an https URL of a public host, without path, query or user, on its usual port or one from 1024 on',
    });
  }
  if (faults.length > 0) throw invalidInput(faults);
}

/**
 * Throws `place_taken` for a connection on which whoever chose their IDs well would read and write what is on another one.
 * Connections are few and made by administrators: two made at the same moment may miss each other.
 */
export async function checkPrefixes(
  connection: Pick<DataConnection, 'data_connection_id' | 'details' | 'prefix_template'>,
  { dataConnections }: Pick<Services['store'], 'dataConnections'>,
): Promise<void> {
  for await (const page of everyPage((after) => dataConnections.list({ limit: limits.listPageMax, after }))) {
    const other = page.find(
      ({ data_connection_id, ...placed }) =>
        data_connection_id !== connection.data_connection_id && mayPrefixesOverlap(connection, placed),
    );
    if (other !== undefined) {
      throw new ServiceError(
        'place_taken',
        `Repositories on it could lie inside those on the data connection ${other.data_connection_id}, in the same bucket; ` +
          'choose a base prefix that begins with what no ID can be, such as "_archive/", for one of them, or another bucket',
      );
    }
  }
}

/** The proxy sends signed requests there: an IP address inside a cloud or of a machine itself would be reached from within. */
function isUsableEndpoint(endpoint: string, allowsLoopback: boolean): boolean {
  // The URL parser drops tabs and newlines, which would be stored all the same.
  if (!/^[\x21-\x7e]+$/.test(endpoint) || !URL.canParse(endpoint)) return false;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(endpoint);
  if (username !== '' || password !== '' || pathname !== '/' || search !== '' || hash !== '') return false;
  if (isLoopbackHost(hostname)) return allowsLoopback && (protocol === 'http:' || protocol === 'https:');
  // CloudFront connects to origins on no other ports.
  return protocol === 'https:' && isPublicHostName(hostname) && (port === '' || Number(port) >= 1024);
}

function isPublicHostName(host: string): boolean {
  // Names only: every numeric form of an IPv4 address has been turned into dotted decimals by the URL parser. A dot at
  // the end makes `localhost.` and the like pass for names of another zone.
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
