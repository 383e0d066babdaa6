import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { emptyBucket } from '../../lib/local/embedded-storage.ts';
import type { LocalService } from '../../lib/local/service.ts';
import { connection, made } from '../functions/users.ts';
import type { Client } from './client.ts';
import { serve } from './http-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
type Manage = (method: string, path: string, body?: unknown) => Promise<any>;

/** Returns an API client that returns the body of a successful answer, and throws for any other answer. */
export function successful(client: Client): Manage {
  return async (...request) => (await made(client(...request))).body;
}

interface AccountStorage {
  account_id: string;
  data_connection_id: string;
  /** The storage endpoint to use in place of the endpoint of the test service's storage. */
  endpoint?: string;
}

/**
 * Connects storage of an account by a role that trusts this connection, and tests it. The service needs the option
 * `accountLoopbackEndpoints`.
 */
export async function connectByRole(
  service: Pick<LocalService, 'storage' | 'stsUrl'>,
  owner: Manage,
  { account_id, data_connection_id, endpoint = service.storage.endpoint }: AccountStorage,
): Promise<void> {
  const { region } = service.storage;
  const { identity } = await owner(
    'POST',
    `/accounts/${account_id}/data-connections`,
    connection(data_connection_id, {
      allowed_data_modes: ['open', 'subscription', 'private'],
      details: { provider: 's3', bucket: emptyBucket, base_prefix: `${data_connection_id}/`, region, endpoint },
      authentication: { type: 's3_web_identity_role', role_arn: roleOf(data_connection_id) },
    }),
  );
  await trust(service, data_connection_id, identity.trust_policy);
  const { checks } = await owner('POST', `/data-connections/${data_connection_id}/test`, { access: 'read_write' });
  const failed = checks.filter(({ state }: { state: string }) => state === 'failed');
  if (failed.length > 0) throw new Error(`the storage of the account failed its test: ${JSON.stringify(failed)}`);
}

export interface RefusingStorage {
  url: string;
  /** Returns the error code for a request with this path. Without a code, the storage works. */
  codeFor: (path: string) => string | undefined;
  close(): Promise<void>;
}

/** Starts a storage that can refuse requests. It answers all others as the storage at `endpoint` does. */
export async function startRefusingStorage(endpoint: string): Promise<RefusingStorage> {
  const { url, close } = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const code = storage.codeFor(request.url ?? '');
    if (code === undefined) return relayTo(endpoint, request, body, response);
    const text = request.method === 'HEAD' ? undefined : `<Error><Code>${code}</Code></Error>`;
    response.writeHead(code.includes('Token') ? 400 : 403).end(text);
  });
  const storage: RefusingStorage = { url, close, codeFor: () => undefined };
  return storage;
}

/** Answers a signed request by sending it to another storage. */
export async function relayTo(endpoint: string, request: IncomingMessage, body: Buffer, response: ServerResponse) {
  const { method, url, headers } = request;
  const { hostname, port } = new URL(endpoint);
  const sent = http.request({ host: hostname, port, method, path: url, headers, agent: false }).end(body);
  const [answer]: IncomingMessage[] = await once(sent, 'response');
  const { connection: _, 'keep-alive': __, ...shown } = answer?.headers ?? {};
  response.writeHead(answer?.statusCode ?? 0, shown).end(Buffer.concat((await answer?.toArray()) ?? []));
}

/** Sets the trust policy of a connection's role at the emulator of AWS. */
export async function trust(
  { stsUrl }: Pick<LocalService, 'stsUrl'>,
  dataConnectionId: string,
  policy: string,
): Promise<void> {
  const role = { RoleName: dataConnectionId, AssumeRolePolicyDocument: policy };
  const answer = await fetch(stsUrl, { method: 'POST', body: new URLSearchParams({ Action: 'CreateRole', ...role }) });
  if (!answer.ok) throw new Error(`the role got no policy: ${answer.status}`);
}

/** The trust policy of a role that no longer accepts any token. */
export const trustsNobody = JSON.stringify({ Statement: [] });

export function roleOf(dataConnectionId: string): string {
  return `arn:aws:iam::111122223333:role/${dataConnectionId}`;
}
