import { timingSafeEqual } from 'node:crypto';
import type { AccountRecord } from '../domain/accounts/accounts.ts';
import { type ApiKeyRecord, isKeyOfAccount, isLiveApiKey } from '../domain/accounts/api-keys.ts';
import type { Caller, UserIdentity } from '../domain/accounts/callers.ts';
import type { RequestDataReader } from '../domain/accounts/request-data.ts';
import { ServiceError } from '../domain/errors.ts';
import { deriveApiKeySecret, isApiKeyId } from '../domain/secrets/api-key-secrets.ts';
import type { SecretSource } from '../domain/secrets/secret-versions.ts';
import type { Clock } from '../domain/time.ts';
import { isForReaders, type Operation } from '../operations/operation.ts';

/**
 * Verifies bearer tokens that the user issuer signed. Returns undefined for any invalid token, whatever the reason.
 */
export interface UserTokenVerifier {
  verify(token: string): Promise<UserIdentity | undefined>;
}

export interface AuthenticationServices {
  requestData: RequestDataReader;
  userTokens: UserTokenVerifier;
  apiKeyMasters: SecretSource;
  clock: Clock;
}

/** A verified credential. The pipeline reads its account later, together with the target of the request. */
export type Credential =
  | { kind: 'anonymous' }
  | ({ kind: 'user'; account_id: string | undefined } & UserIdentity)
  | { kind: 'api_key'; key: ApiKeyRecord };

/**
 * Verifies the Authorization header: `Bearer <token>`, or `<access_key_id> <secret_access_key>`. Refuses every invalid
 * header with one message, before any other check of the request. Makes at most one database request, and one more for
 * a repository's key.
 */
export async function authenticateFor(
  { ignoresAuthorization, permission }: Operation,
  authorization: string | undefined,
  services: AuthenticationServices,
): Promise<Credential> {
  if (ignoresAuthorization) return { kind: 'anonymous' };
  if (authorization === undefined) {
    if (permission.kind === 'anyone' || isForReaders(permission)) return { kind: 'anonymous' };
    throw notAuthenticated('This needs an identity');
  }
  const [scheme = '', secret = '', ...rest] = authorization.trim().split(/ +/);
  const credential =
    rest.length > 0 || secret === ''
      ? undefined
      : scheme.toLowerCase() === 'bearer'
        ? await readUser(secret, services)
        : await readApiKey(scheme, secret, services);
  if (credential === undefined) throw notAuthenticated('The Authorization header is not valid');
  return credential;
}

export function notAuthenticated(reason: string): ServiceError {
  return new ServiceError(
    'unauthenticated',
    `${reason}; sign in and send "Authorization: Bearer <token>", or an API key as "Authorization: <access_key_id> <secret_access_key>"`,
  );
}

async function readUser(
  token: string,
  { userTokens, requestData }: AuthenticationServices,
): Promise<Credential | undefined> {
  const user = await userTokens.verify(token);
  if (user === undefined) return undefined;
  return { kind: 'user', ...user, account_id: await requestData.findAccountIdOfUser(user) };
}

async function readApiKey(
  accessKeyId: string,
  secret: string,
  { requestData, apiKeyMasters, clock }: AuthenticationServices,
): Promise<Credential | undefined> {
  if (!isApiKeyId(accessKeyId)) return undefined;
  const key = await requestData.findApiKey(accessKeyId);
  if (key === undefined || !isLiveApiKey(key, clock())) return undefined;
  const master = (await apiKeyMasters()).find(({ version }) => version === key.secret_version);
  if (master === undefined || !isSame(secret, deriveApiKeySecret(master, accessKeyId))) return undefined;
  if (key.repository_id !== undefined && !(await requestData.isOfPresentRepository(key))) return undefined;
  return { kind: 'api_key', key };
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given, 'utf8'), Buffer.from(expected, 'utf8')];
  return a.length === b.length && timingSafeEqual(a, b);
}

export function accountIdOf(credential: Credential): string | undefined {
  switch (credential.kind) {
    case 'anonymous':
      return undefined;
    case 'user':
      return credential.account_id;
    case 'api_key':
      return credential.key.account_id;
  }
}

/** Creates the caller from a verified credential and the account that belongs to it. */
export function toCaller(
  credential: Credential,
  account: AccountRecord | undefined,
  adminIdentityIds: ReadonlySet<string>,
): Caller {
  switch (credential.kind) {
    case 'anonymous':
      return { kind: 'anonymous' };
    case 'user':
      return {
        kind: 'user',
        issuer: credential.issuer,
        identity_id: credential.identity_id,
        account: account ?? null,
        isConfiguredAdmin: adminIdentityIds.has(credential.identity_id),
      };
    case 'api_key': {
      if (account === undefined || !isKeyOfAccount(credential.key, account))
        throw notAuthenticated('The Authorization header is not valid');
      const { access_key_id, repository_id } = credential.key;
      return account.account_type === 'user' && repository_id === undefined
        ? { kind: 'user_key', access_key_id, account }
        : { kind: 'data_key', access_key_id, account, repository_id };
    }
  }
}
