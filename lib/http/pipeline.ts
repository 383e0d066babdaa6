import middy, { type MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';
import {
  type AuthenticatedCaller,
  accountOf,
  actingAccountOf,
  type Caller,
  isApiKey,
} from '../domain/accounts/callers.ts';
import type { IdempotencyStore, IdempotentRequest, StoredAnswer } from '../domain/accounts/idempotency.ts';
import type { Roles } from '../domain/accounts/memberships.ts';
import { maySeeConnection } from '../domain/accounts/permissions.ts';
import type { RequestDataReader } from '../domain/accounts/request-data.ts';
import type { AuditEvent, AuditKind } from '../domain/changes/audit.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { RandomSource } from '../domain/random.ts';
import type { SecretSource } from '../domain/secrets/secret-versions.ts';
import { type Clock, toTimestamp } from '../domain/time.ts';
import {
  type BodyOf,
  basePath,
  type Operation,
  type PathParametersOf,
  type QueryOf,
  type ResponseOf,
  successStatus,
} from '../operations/operation.ts';
import { accountIdOf, type Credential, notAuthenticated, toCaller, type UserTokenVerifier } from './authenticate.ts';
import { actsAsAdmin, isPermitted, leastBodyOf, notAllowed } from './authorize.ts';
import { type CursorScope, nextLink, openCursor, sealCursor } from './cursor.ts';
import { claimOrReplay, readIdempotentRequest, withoutSecrets } from './idempotency.ts';
import { findMoved } from './moved-repository.ts';
import { headersOf, isKnown, type Preconditions, requireCurrent, tagOfTarget } from './target-versions.ts';
import { type LoadedRequestData, loadRequestData, requireTarget, type Targets } from './targets.ts';
import type { ValidInput } from './validate.ts';

/**
 * The services that the pipeline needs. The function `run` of an operation gets more: `Services` extends this
 * interface.
 */
export interface PipelineServices {
  requestData: RequestDataReader;
  userTokens: UserTokenVerifier;
  apiKeyMasters: SecretSource;
  adminIdentityIds: ReadonlySet<string>;
  idempotency: IdempotencyStore;
  clock: Clock;
  random: RandomSource;
}

export interface RunContext<Op extends Operation, Services> {
  caller: Op['permission'] extends { kind: 'anyone' | 'reading' | 'usage' } ? Caller : AuthenticatedCaller;
  target: Targets[Op['target']];
  /** The caller's roles in the account of the target and in its repository. */
  roles: Roles;
  path: PathParametersOf<Op>;
  query: QueryOf<Op>;
  body: BodyOf<Op>;
  /** The page size and the start position of a list. Only list operations use them. */
  page: { limit: number; after: string | undefined };
  services: Services;
  /** The time of the request in milliseconds since the Unix epoch. It does not change during the request. */
  now: number;
  /**
   * True if only the flag `admin` permits the request. The audit trail then shows that the platform acted, and not the
   * account's owners.
   */
  actsAsAdmin: boolean;
  /**
   * Returns true if the caller may run another operation on the same target with this body. Without a body, checks the
   * body that needs the least permission.
   */
  may(other: Operation, otherBody?: unknown): boolean;
  /** Creates an audit event for this request. The transaction of the change must write the event. */
  event(kind: AuditKind, accountId: string, subject: Record<string, string>): AuditEvent;
}

export type RunResult<Op extends Operation> = Op extends { kind: 'list' }
  ? { items: ResponseOf<Op>; next: string | undefined } & (Op extends { countsMatches: true }
      ? { total?: number }
      : unknown)
  : Op extends { kind: 'put' }
    ? { isNew: boolean; answer: ResponseOf<Op> }
    : ResponseOf<Op>;

export type Run<Op extends Operation, Services> = (context: RunContext<Op, Services>) => Promise<RunResult<Op>>;

/** A request from a verified caller, with valid fields. */
export interface ManagementRequest {
  requestId: string;
  credential: Credential;
  idempotencyKey: string | undefined;
  preconditions: Preconditions;
  input: ValidInput;
  /** The URL path of the request. A list uses it in the link to the next page. */
  url: string;
  now: number;
}

export interface ManagementAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** The request, with the fields that the middlewares add. */
interface PipelineRequest extends ManagementRequest {
  loaded: LoadedRequestData;
  caller: Caller;
  target: object;
  /** The ETag of the target, if the operation shows or changes its record. */
  version: string | undefined;
  page: { limit: number; after: string | undefined };
  idempotent: IdempotentRequest | undefined;
  /** True while the request has reserved its `Idempotency-Key`. */
  holdsKey: boolean;
}

/** The response of an operation. Only lists have `next` and `total`. */
interface PipelineAnswer extends ManagementAnswer {
  next?: string | undefined;
  total?: number | undefined;
}

type PipelineMiddleware = MiddlewareObj<PipelineRequest, PipelineAnswer>;

/**
 * Creates the pipeline of an operation: load the target, authorize, compare `If-Match`, run, create the response. A
 * caller without permission gets one 403, whether the target exists or not. If a write conflicts with another change,
 * the pipeline loads the target again and repeats all later steps.
 */
export function createPipeline<Op extends Operation, Services extends PipelineServices>(
  operation: Op,
  run: Run<Op, Services>,
  services: Services,
): (request: ManagementRequest) => Promise<ManagementAnswer> {
  const pipeline = middy<PipelineRequest, PipelineAnswer>({ timeoutEarlyInMillis: 0 })
    .use(loading(operation, services))
    .use(authorization(operation, services))
    .use(versions(operation))
    .use(operation.kind === 'list' ? paging(operation, services) : [])
    .use(idempotency(operation, services))
    .handler(async (request: PipelineRequest) => {
      // The type cast is safe: the operation's schemas produced every part of the context, but TypeScript cannot infer
      // this.
      const context = runContext(operation, request, services) as unknown as RunContext<Op, Services>;
      return readResult(operation, request.input, await run(context));
    });
  return async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // The type cast is safe, because the middlewares set the other fields.
        return await pipeline({ ...request } as PipelineRequest, {} as Context);
      } catch (error) {
        const isOvertaken = error instanceof ServiceError && error.code === 'concurrent_change';
        if (operation.kind !== 'change' || !isOvertaken || attempt === limits.changeTriesMax) throw error;
      }
    }
  };
}

function loading(operation: Operation, { requestData, adminIdentityIds }: PipelineServices): PipelineMiddleware {
  return {
    before: async ({ event: request }) => {
      const { credential, input, now } = request;
      const loaded = await loadRequestData(operation, input, accountIdOf(credential), requestData, now);
      const { dataConnection } = loaded;
      request.caller = toCaller(credential, loaded.callerAccount, adminIdentityIds);
      const isHidden = dataConnection !== undefined && !maySeeConnection(request.caller, loaded, dataConnection);
      // Remove a hidden connection from the loaded data, so that all later steps treat it like a missing connection.
      request.loaded = isHidden ? { ...loaded, dataConnection: undefined } : loaded;
    },
  };
}

function authorization(operation: Operation, services: PipelineServices): PipelineMiddleware {
  return {
    before: async ({ event: request }) => {
      const { credential, idempotencyKey, input, requestId, loaded, caller, now } = request;
      request.idempotent = readIdempotentRequest(operation, idempotencyKey, credential, input, requestId);
      if (isPermitted(operation, caller, loaded, input.body)) {
        request.target = requireTarget(operation.target, loaded);
        return undefined;
      }
      const answer = await answerBefore(operation, request, services);
      if (answer !== undefined) return toAnswer(operation, answer);
      const refused = { input, loaded, caller, credential };
      const location = await findMoved(operation, refused, services.requestData, now);
      if (location !== undefined) {
        return { status: 308, headers: { location, 'cache-control': 'no-store' }, body: undefined };
      }
      throw caller.kind === 'anonymous'
        ? notAuthenticated('This needs an identity')
        : notAllowed(operation, caller, loaded);
    },
  };
}

/** Compares `If-Match` before the operation runs. After the run, adds the ETag to the response, or returns 304. */
function versions(operation: Operation): PipelineMiddleware {
  return {
    before: ({ event: request }) => {
      request.version = tagOfTarget(operation, request.loaded);
      requireCurrent(request.preconditions, request.version);
    },
    after: (handled) => {
      const { event, response } = handled;
      if (!response || operation.etag === undefined || event.version === undefined) return;
      const headers = { ...headersOf(event.version), ...response.headers };
      handled.response = isKnown(event.preconditions, event.version)
        ? { status: 304, headers: headersOf(event.version), body: undefined }
        : { ...response, headers };
    },
  };
}

function paging(operation: Operation, { apiKeyMasters }: PipelineServices): PipelineMiddleware {
  const scopeOf = ({ input: { path, query }, caller }: PipelineRequest): CursorScope => {
    return { operation: operation.name, path, caller: accountOf(caller)?.account_id ?? '', query };
  };
  return {
    before: async ({ event: request }) => {
      const { limit, cursor } = request.input.query;
      const after =
        cursor === undefined ? undefined : openCursor(String(cursor), scopeOf(request), await apiKeyMasters());
      request.page = { limit: Number(limit), after };
    },
    after: async ({ event: request, response }) => {
      if (response?.total !== undefined) response.headers['x-total-count'] = String(response.total);
      if (response?.next === undefined) return;
      const cursor = sealCursor(response.next, scopeOf(request), await apiKeyMasters(), request.now);
      response.headers['link'] = nextLink(request.url, request.input.query, cursor);
    },
  };
}

/** Runs a creation only once for each `Idempotency-Key`. */
function idempotency(operation: Operation, { idempotency: store }: PipelineServices): PipelineMiddleware {
  return {
    before: async ({ event: request }) => {
      if (request.idempotent === undefined) return undefined;
      const answer = await claimOrReplay(operation, request.idempotent, store, request.now);
      request.holdsKey = answer === undefined;
      return answer && toAnswer(operation, answer);
    },
    after: async ({ event: request, response }) => {
      if (!request.holdsKey || request.idempotent === undefined || !response) return;
      request.holdsKey = false;
      const { status, body, headers } = response;
      const stored = withoutSecrets(operation, { status, body, location: headers['location'] });
      await store.finish(request.idempotent, stored, request.now);
    },
    onError: async ({ event: { holdsKey, idempotent } }) => {
      if (holdsKey && idempotent !== undefined) await store.abandon(idempotent);
    },
  };
}

function runContext<Services extends PipelineServices>(
  operation: Operation,
  { caller, loaded, target, input, page = { limit: 0, after: undefined }, now, requestId }: PipelineRequest,
  services: Services,
) {
  const asAdmin = actsAsAdmin(operation, caller, loaded, input.body);
  return {
    ...input,
    caller,
    target,
    roles: loaded.roles,
    page,
    services,
    now,
    actsAsAdmin: asAdmin,
    may: (other: Operation, otherBody: unknown = leastBodyOf(other)) => isPermitted(other, caller, loaded, otherBody),
    event: (kind: AuditKind, account_id: string, subject: Record<string, string>): AuditEvent => ({
      event_id: services.random.uuid(),
      time: toTimestamp(now),
      kind,
      account_id,
      actor: { ...actorOf(caller), ...(asAdmin ? { acting_as: 'platform_admin' } : {}) },
      subject,
      request_id: requestId,
    }),
  };
}

/**
 * Returns the first response if the request is a retry of the creation of a user account. The usual check would refuse
 * the retry, because a user may create only one account. The first response belongs to this user.
 */
async function answerBefore(
  { permission }: Operation,
  { caller, idempotent, now }: PipelineRequest,
  { idempotency: store }: PipelineServices,
): Promise<StoredAnswer | undefined> {
  if (permission.kind !== 'account_creation' || idempotent === undefined) return undefined;
  return actingAccountOf(caller) === null ? undefined : store.findAnswer(idempotent, now);
}

function readResult(operation: Operation, { path }: ValidInput, result: unknown): PipelineAnswer {
  const parse = (answer: unknown): unknown => operation.response?.parse(answer);
  if (operation.kind === 'list') {
    const { items, ...page } = result as { items: unknown; next: string | undefined; total?: number };
    return { ...toAnswer(operation, { status: 200, body: parse(items), location: undefined }), ...page };
  }
  const { isNew, answer } =
    operation.kind === 'put' ? (result as { isNew: boolean; answer: unknown }) : { isNew: false, answer: result };
  const status = isNew ? 201 : successStatus(operation);
  const body = parse(answer);
  const location = operation.location && basePath + operation.location(body as never, path as never);
  return toAnswer(operation, { status, body, location: status === 201 ? location : undefined });
}

function toAnswer({ secretFields }: Operation, { status, body, location }: StoredAnswer): ManagementAnswer {
  return {
    status,
    headers: {
      ...(secretFields === undefined ? {} : { 'cache-control': 'no-store' }),
      ...(location === undefined ? {} : { location }),
    },
    body,
  };
}

function actorOf(caller: Caller): AuditEvent['actor'] {
  const account_id = accountOf(caller)?.account_id ?? null;
  return isApiKey(caller) ? { account_id, access_key_id: caller.access_key_id } : { account_id };
}
