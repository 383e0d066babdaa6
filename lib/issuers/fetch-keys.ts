import * as z from 'zod';
import { parseUsableKeys } from '../domain/ci/key-sets.ts';
import { type FetchedKeys, type IssuerFailure, issuerUrlFault } from '../domain/ci/registered-issuers.ts';
import { limits } from '../domain/limits.ts';
import { isLoopbackHost } from '../domain/loopback.ts';
import { openProbe, type ResolveHost } from '../s3/connection-test/probe.ts';

export interface IssuerFetcher {
  resolveHost: ResolveHost;
  /** True to accept issuers on the same machine, even over http. Only the local service sets it. */
  allowsLoopback: boolean;
  /** Time limit of a fetch in milliseconds. The default is `limits.registeredIssuerFetchMs`. */
  timeoutMs?: number;
}

/** Fetches the signing keys of an issuer. Never throws: it returns a failure as one of the fixed codes. */
export type FetchIssuerKeys = (issuer: string) => Promise<FetchedKeys>;

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.string() });

/**
 * Creates the function that fetches the discovery document of an issuer (OpenID Connect Discovery 1.0) and then its
 * keys. An account chooses the issuer, so requests must not reach private hosts. The function therefore resolves each
 * host once, requires that all its IP addresses are public, and connects to one of them. It does not follow redirects.
 */
export function createIssuerFetcher({
  resolveHost,
  allowsLoopback,
  timeoutMs = limits.registeredIssuerFetchMs,
}: IssuerFetcher): FetchIssuerKeys {
  return async (issuer) => {
    const fault = issuerUrlFault(issuer, { allowsLoopback });
    if (fault !== undefined) throw new Error(`not the URL of an issuer: it ${fault}`);
    // Allow keys on the same machine only for an issuer on the same machine, even in the local service.
    const isLocal = allowsLoopback && isLoopbackHost(new URL(issuer).hostname);
    const signal = AbortSignal.timeout(timeoutMs);
    const read = (url: string) => fetchDocument(url, { resolveHost, allowsLoopback: isLocal, signal });
    const discovered = await read(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    if ('failure' in discovered) return discovered;
    const discovery = discoverySchema.safeParse(discovered.document);
    if (!discovery.success) return { failure: 'not_a_document' };
    if (discovery.data.issuer !== issuer) return { failure: 'other_issuer' };
    const { jwks_uri } = discovery.data;
    if (issuerUrlFault(jwks_uri, { allowsLoopback: isLocal }) !== undefined) return { failure: 'keys_url_refused' };
    const published = await read(jwks_uri);
    if ('failure' in published) return published;
    const jwks = parseUsableKeys(published.document);
    if (jwks === undefined) return { failure: 'not_a_document' };
    // Treat an empty key set as a failure of the issuer, not as the revocation of all keys.
    if (jwks.length === 0) return { failure: 'no_usable_key' };
    return jwks.length > limits.issuerKeysMax ? { failure: 'too_many_keys' } : { jwks };
  };
}

type Fetched = { document: unknown } | { failure: IssuerFailure };

async function fetchDocument(
  url: string,
  { signal, ...options }: Pick<IssuerFetcher, 'resolveHost' | 'allowsLoopback'> & { signal: AbortSignal },
): Promise<Fetched> {
  const { protocol, host, hostname, port, pathname } = new URL(url);
  const probe = await openProbe(hostname, { ...options, signal });
  if (typeof probe === 'string') return { failure: failureOf(probe) };
  const isHttps = protocol === 'https:';
  const request = {
    method: 'GET',
    protocol: isHttps ? 'https' : 'http',
    host: hostname,
    port: port === '' ? (isHttps ? 443 : 80) : Number(port),
    rawPath: pathname,
    bucketPath: '',
    rawQuery: '',
    headers: { host, accept: 'application/json' },
  } as const;
  const answer = await probe(request, new Uint8Array(), { signal, bytesMax: limits.registeredIssuerBytesMax });
  if (answer.kind === 'failure') return { failure: failureOf(answer.code) };
  if (answer.status >= 300 && answer.status < 400) return { failure: 'redirected' };
  if (answer.status !== 200) return { failure: 'status_refused' };
  if (answer.text === undefined) return { failure: 'answer_too_large' };
  try {
    return { document: JSON.parse(answer.text) };
  } catch {
    return { failure: 'not_a_document' };
  }
}

const ofProbe = ['address_not_public', 'certificate_invalid', 'name_not_found', 'no_connection', 'timed_out'] as const;

/** Converts the error code of a failed request. An unknown code means that the response is not HTTP. */
function failureOf(code: string): IssuerFailure {
  return ofProbe.find((known) => known === code) ?? 'not_a_document';
}

/** Explains a failed fetch of keys to the owner of the issuer, with the next step. */
export const issuerFailureMessages: Readonly<Record<IssuerFailure, string>> = {
  address_not_public: 'its host has an IP address that is not public; publish its discovery document on a public host',
  answer_too_large: `its discovery document or its key set is larger than ${limits.registeredIssuerBytesMax / 1024} KiB; publish fewer keys`,
  certificate_invalid: 'the certificate of its host is not valid for the name; correct the certificate',
  keys_url_refused: 'its jwks_uri does not follow the rules for an issuer; publish the keys at a plain https URL',
  name_not_found: 'the name of its host is unknown; check the spelling',
  no_connection: 'its host refuses or ends the connection; check the host and the port',
  no_usable_key:
    'it publishes no usable key; publish an RSA key of 2,048 to 4,096 bits, or a P-256 or P-384 key, with a key ID',
  not_a_document:
    'its discovery document or its key set is not JSON of the expected form; check the path of the issuer',
  other_issuer: 'its discovery document names another issuer; register exactly the "iss" of its tokens',
  redirected: 'its host redirects, and redirects are not followed; register the final URL',
  status_refused: 'its host does not answer with status 200; make the discovery document and the keys public',
  timed_out: `its host did not send both documents within ${limits.registeredIssuerFetchMs / 1000} seconds; try again`,
  too_many_keys: `it publishes more than ${limits.issuerKeysMax} usable keys; withdraw old keys`,
};
