import type { Client } from 'openapi-fetch';
import type { paths } from '../generated/api.d.ts';
import { abortable } from './concurrency.ts';
import { DataError } from './data-error.ts';
import type { RepositoryPath } from './keys.ts';

/**
 * Temporary credentials for one repository. They are stored in memory only. A URL contains a part of them only if it is
 * a shared link.
 */
export interface DataCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  /** The credentials' expiry time, by the clock of this machine. */
  endsAt: number;
  /** The difference between the service's clock and this machine's clock, computed from a response of the service. */
  clockAheadMs: number;
}

/**
 * How long before expiry credentials are renewed. Credentials with a short lifetime are renewed when a quarter of it is
 * left.
 */
const renewedBeforeMs = 5 * 60_000;

/**
 * The minimum time between two renewals, for a service that refuses new credentials at once. All tabs of a user
 * together have a limit of 60 requests a minute.
 */
const renewalGapMs = 5000;

const signedOut = 'Your sign-in has ended. Sign in again to continue.';

/** Holds the credentials of one repository for all callers. Sends at most one request for new credentials at a time. */
export class CredentialSource {
  readonly #request: () => Promise<DataCredentials>;
  readonly #now: () => number;
  #held: { credentials: DataCredentials; since: number } | undefined;
  #underway: Promise<DataCredentials> | undefined;

  constructor(request: () => Promise<DataCredentials>, now: () => number = Date.now) {
    this.#request = request;
    this.#now = now;
  }

  /** Returns credentials. Renews them first if they expire soon. */
  async current(signal?: AbortSignal): Promise<DataCredentials> {
    if (this.#held === undefined) return abortable(this.#fetchNew(), signal);
    const { credentials, since } = this.#held;
    const margin = Math.min(renewedBeforeMs, (credentials.endsAt - since) / 4);
    return this.#now() < credentials.endsAt - margin ? credentials : abortable(this.#fetchNew(), signal);
  }

  /** Returns new credentials in place of credentials that the service has refused. */
  async renew(refused: DataCredentials, signal?: AbortSignal): Promise<DataCredentials> {
    // Another request may already have renewed the refused credentials.
    if (this.#held !== undefined && this.#held.credentials !== refused) return this.#held.credentials;
    if (this.#held !== undefined && this.#now() - this.#held.since < renewalGapMs) {
      throw new DataError('busy', 'The service refuses credentials that it has just issued. Try again in a minute.');
    }
    return abortable(this.#fetchNew(), signal);
  }

  /**
   * Deletes the credentials at sign-out. Callers that wait for credentials get a DataError. A response that arrives
   * later is not stored.
   */
  forget(): void {
    this.#held = undefined;
    this.#underway = undefined;
  }

  #fetchNew(): Promise<DataCredentials> {
    if (this.#underway !== undefined) return this.#underway;
    const own = this.#request()
      .then((credentials) => {
        if (this.#underway !== own) throw new DataError('signed_out', signedOut);
        this.#held = { credentials, since: this.#now() };
        return credentials;
      })
      .finally(() => {
        if (this.#underway === own) this.#underway = undefined;
      });
    this.#underway = own;
    return own;
  }
}

/**
 * The client of the management API. It sends the signed-in user's access token and is typed from the OpenAPI document.
 */
export type ManagementApi = Pick<Client<paths>, 'POST'>;

export interface CredentialRequest {
  api: ManagementApi;
  location: RepositoryPath;
  role: 'FullAccess' | 'ReadOnly';
  /** The purpose of the request for credentials, which the audit trail of the user's account records. */
  purpose?: 'page' | 'link';
  durationSeconds?: number;
  now?: () => number;
}

/** Requests the user's credentials for one repository. Rejects with a DataError. */
export async function requestCredentials(options: CredentialRequest): Promise<DataCredentials> {
  const { api, location, role, purpose = 'page', durationSeconds, now = Date.now } = options;
  const repository = `${location.account_id}/${location.repository_id}`;
  const body = { role, purpose, repository, ...(durationSeconds && { duration_seconds: durationSeconds }) };
  const { data, error, response } = await api
    .POST('/session/data-credentials', { body, cache: 'no-store', credentials: 'omit', redirect: 'error' })
    .catch((cause: unknown) => {
      throw new DataError('offline', 'The service does not answer. Check your connection.', { cause });
    });
  if (data === undefined) throw refusalOf(response, error, role);
  return credentialsOf(data, response, now);
}

interface IssuedCredentials {
  access_key_id: string;
  secret_access_key: string;
  session_token: string;
  expires_at: string;
}

/** Returns the credentials in a response of the management API. */
export function credentialsOf(
  data: IssuedCredentials,
  { headers }: { headers: Headers },
  now: () => number = Date.now,
): DataCredentials {
  const serverNow = Date.parse(headers.get('date') ?? '');
  const clockAheadMs = Number.isNaN(serverNow) ? 0 : serverNow - now();
  return {
    accessKeyId: data.access_key_id,
    secretAccessKey: data.secret_access_key,
    sessionToken: data.session_token,
    endsAt: Date.parse(data.expires_at) - clockAheadMs,
    clockAheadMs,
  };
}

function refusalOf({ status }: { status: number }, body: unknown, role: CredentialRequest['role']): DataError {
  const { code, detail } = (body ?? {}) as { code?: string; detail?: string };
  if (status === 401) return new DataError('signed_out', signedOut, { code, status });
  if (status === 429 || status >= 500) return new DataError('busy', detail ?? 'The service is busy.', { code, status });
  // The API gives the same answer for a repository that the user may not read and for one that does not exist.
  const right = role === 'FullAccess' ? 'write to' : 'read';
  return new DataError('refused', `You can no longer ${right} this repository.`, { code, status, cause: detail });
}
