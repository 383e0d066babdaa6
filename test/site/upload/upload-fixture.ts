import { randomBytes } from 'node:crypto';
import createClient from 'openapi-fetch';
import { CredentialSource, type ManagementApi, requestCredentials } from '../../../site/data/credentials.ts';
import type { RepositoryPath } from '../../../site/data/keys.ts';
import { Multipart, type RepositoryData } from '../../../site/data/multipart.ts';
import { Objects } from '../../../site/data/objects.ts';
import { createSender } from '../../../site/data/sender.ts';
import { fetchTransport, type Transport } from '../../../site/data/transport.ts';
import type { paths } from '../../../site/generated/api.d.ts';
import type { SeededService } from '../../service/seeded-service.ts';
import { userToken } from '../../service/user-tokens.ts';

export const drafts: RepositoryPath = { account_id: 'tide-institute', repository_id: 'raw-drafts' };

/** A test's handler for a request in flight: sends it, changes it, or fails. */
export type OnTheWay = (request: Parameters<Transport>[0], send: Transport) => ReturnType<Transport>;

/** Returns the management API with the token of a user. */
export async function apiOf(service: SeededService, user: string): Promise<ManagementApi> {
  const authorization = `Bearer ${await userToken(service, user)}`;
  return createClient<paths>({ baseUrl: `${service.apiUrl}/api/v1`, headers: { authorization } });
}

/** Returns a repository as a user's page uses it. All waiting times pass immediately. */
export async function repositoryOf(
  service: SeededService,
  {
    user = 'ada',
    location = drafts,
    seconds = 3600,
  }: { user?: string; location?: RepositoryPath; seconds?: number } = {},
) {
  const api = await apiOf(service, user);
  const { clock } = service.services;
  const line: {
    onTheWay: OnTheWay;
    sent: string[];
    waits: number[];
    connection: boolean[];
    credentials: number;
    clockWrongByMs: number;
  } = {
    onTheWay: (request, send) => send(request),
    sent: [],
    waits: [],
    connection: [],
    credentials: 0,
    clockWrongByMs: 0,
  };
  const credentials = new CredentialSource(async () => {
    line.credentials += 1;
    return requestCredentials({ api, location, role: 'FullAccess', durationSeconds: seconds, now: clock });
  }, clock);
  const send = createSender({
    dataUrl: service.dataUrl,
    location,
    credentials,
    transport: async (request) => {
      line.sent.push(`${request.method} ${new URL(request.url).search.replace(/uploadId=[^&]+/, 'uploadId')}`);
      return line.onTheWay(request, fetchTransport);
    },
    now: () => clock() + line.clockWrongByMs,
    random: () => 1,
    wait: async (ms, signal) => {
      line.waits.push(ms);
      signal.throwIfAborted();
    },
    onConnection: (isThere) => {
      if (line.connection.at(-1) !== isThere) line.connection.push(isThere);
    },
  });
  const data: RepositoryData = { objects: new Objects(send, location), multipart: new Multipart(send, location) };
  return { data, send, line, credentials };
}

export const mebibyte = 1024 * 1024;

export function fileOf(
  name: string,
  content: number | string | Uint8Array<ArrayBuffer>,
  lastModified = 1_700_000_000_000,
): File {
  const bytes = typeof content === 'number' ? randomBytes(content) : content;
  return new File([bytes], name, { lastModified });
}

export const untilTheEnd = (): AbortSignal => new AbortController().signal;
