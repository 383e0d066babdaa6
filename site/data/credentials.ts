import type { Client } from 'openapi-fetch';
import type { paths } from '../made/api.d.ts';
import { DataError } from './data-error.ts';
import type { RepositoryPath } from './keys.ts';

/** Temporary credentials of one repository: in memory alone, and never in an address but that of a link somebody asked for. */
export interface DataCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  /** By the clock of this machine. */
  endsAt: number;
  /** How far the service's clock is ahead of this machine's, as its answer told. */
  clockAheadMs: number;
}

export interface CredentialSource {
  /** Ones that last for a while yet. Callers at the same time share one request. */
  current(signal?: AbortSignal): Promise<DataCredentials>;
  /** Other ones than those that were refused. */
  renew(refused: DataCredentials, signal?: AbortSignal): Promise<DataCredentials>;
  /** Forgets them, at a sign-out. Who waits for new ones then gets a DataError, and they are not kept. */
  forget(): void;
}

/** Before their end they are renewed; of short ones, when a quarter of their life is left. */
const renewedBeforeMs = 5 * 60_000;

/** New ones that are refused at once will not get better: sixty requests a minute are a person's bound, of all tabs together. */
const renewalGapMs = 5000;

const signedOut = 'Your sign-in has ended. Sign in again to go on.';

/** Makes `request` serve all callers of one repository, one request at a time. */
export function createCredentialSource(
  request: () => Promise<DataCredentials>,
  now: () => number = Date.now,
): CredentialSource {
  let held: { credentials: DataCredentials; since: number } | undefined;
  let underway: Promise<DataCredentials> | undefined;

  function fetchNew(): Promise<DataCredentials> {
    if (underway !== undefined) return underway;
    const own = request()
      .then((credentials) => {
        if (underway !== own) throw new DataError('signed_out', signedOut);
        held = { credentials, since: now() };
        return credentials;
      })
      .finally(() => {
        if (underway === own) underway = undefined;
      });
    underway = own;
    return own;
  }

  return {
    async current(signal) {
      if (held !== undefined) {
        const { credentials, since } = held;
        const margin = Math.min(renewedBeforeMs, (credentials.endsAt - since) / 4);
        if (now() < credentials.endsAt - margin) return credentials;
      }
      return abortable(fetchNew(), signal);
    },
    async renew(refused, signal) {
      // Another request may have renewed them meanwhile.
      if (held !== undefined && held.credentials !== refused) return held.credentials;
      if (held !== undefined && now() - held.since < renewalGapMs) {
        throw new DataError('busy', 'The service refuses credentials that it has just issued. Try again in a minute.');
      }
      return abortable(fetchNew(), signal);
    },
    forget() {
      held = undefined;
      underway = undefined;
    },
  };
}

/** Waits no longer than the signal; what others wait for goes on. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

/** Calls the management API as the person who is signed in, by the types of its document. */
export type ManagementApi = Pick<Client<paths>, 'POST'>;

export interface CredentialRequest {
  api: ManagementApi;
  place: RepositoryPath;
  role: 'FullAccess' | 'ReadOnly';
  /** What the trail of the person's account tells. */
  purpose?: 'page' | 'link';
  durationSeconds?: number;
  now?: () => number;
}

/** Credentials of the person for one repository. Rejects with a DataError. */
export async function requestCredentials(options: CredentialRequest): Promise<DataCredentials> {
  const { api, place, role, purpose = 'page', durationSeconds, now = Date.now } = options;
  const body = {
    role,
    purpose,
    repository: `${place.account_id}/${place.repository_id}`,
    ...(durationSeconds === undefined ? {} : { duration_seconds: durationSeconds }),
  };
  const { data, error, response } = await api
    .POST('/session/data-credentials', { body, cache: 'no-store', credentials: 'omit', redirect: 'error' })
    .catch((cause: unknown) => {
      throw new DataError('offline', 'The service does not answer. Check your connection.', { cause });
    });
  if (data === undefined) throw refusalOf(response, error);
  const serverNow = Date.parse(response.headers.get('date') ?? '');
  const clockAheadMs = Number.isNaN(serverNow) ? 0 : serverNow - now();
  return {
    accessKeyId: data.access_key_id,
    secretAccessKey: data.secret_access_key,
    sessionToken: data.session_token,
    endsAt: Date.parse(data.expires_at) - clockAheadMs,
    clockAheadMs,
  };
}

function refusalOf({ status }: { status: number }, body: unknown): DataError {
  const { code, detail } = (body ?? {}) as { code?: string; detail?: string };
  const told = { code, status };
  if (status === 401) return new DataError('signed_out', signedOut, told);
  if (status === 429 || status >= 500) return new DataError('busy', detail ?? 'The service is busy.', told);
  // A repository that may not be read is answered as one that is not there.
  return new DataError('refused', 'You may not write to this repository any more.', { ...told, cause: detail });
}
