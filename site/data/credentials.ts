import type { Client } from 'openapi-fetch';
import type { paths } from '../made/api.d.ts';
import { DataError } from './data-error.ts';
import type { RepositoryPath } from './keys.ts';

/** Temporary credentials of one repository. They stay in memory, and only a shared link contains them in a URL. */
export interface DataCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  /** Expiry by the clock of this machine. */
  endsAt: number;
  /** Difference between the service's clock and this machine's clock, from the service's response. */
  clockAheadMs: number;
}

export interface CredentialSource {
  /** Returns credentials that stay valid for some time. Concurrent callers share one request. */
  current(signal?: AbortSignal): Promise<DataCredentials>;
  /** Returns other credentials than the refused ones. */
  renew(refused: DataCredentials, signal?: AbortSignal): Promise<DataCredentials>;
  /**
   * Deletes the credentials at sign-out. Pending callers get a DataError, and the pending credentials are not stored.
   */
  forget(): void;
}

/** Credentials are renewed this long before their end. Short ones are renewed when a quarter of their life is left. */
const renewedBeforeMs = 5 * 60_000;

/**
 * Minimum time between renewals. If new credentials are refused at once, a renewal does not help. All tabs of a user
 * share a limit of sixty requests a minute.
 */
const renewalGapMs = 5000;

const signedOut = 'Your sign-in has ended. Sign in again to go on.';

/** Shares credentials among all callers of one repository. At most one `request` runs at a time. */
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
      // Another request may have renewed them in the meantime.
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

/** Stops the wait at the signal. The shared promise continues for other callers. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

/** The management API as the signed-in user, typed by the OpenAPI document. */
export type ManagementApi = Pick<Client<paths>, 'POST'>;

export interface CredentialRequest {
  api: ManagementApi;
  place: RepositoryPath;
  role: 'FullAccess' | 'ReadOnly';
  /** The purpose in the audit trail of the user's account. */
  purpose?: 'page' | 'link';
  durationSeconds?: number;
  now?: () => number;
}

/** Requests the user's credentials for one repository. Rejects with a DataError. */
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
  // The API answers for an unreadable repository as for an absent one.
  return new DataError('refused', 'You may not write to this repository any more.', { ...told, cause: detail });
}
