import {
  type AuthenticatedCaller,
  accountOf,
  actingAccountOf,
  type Caller,
  isApiKey,
} from '../domain/accounts/callers.ts';
import type { IdempotencyStore, IdempotentRequest, StoredAnswer } from '../domain/accounts/idempotency.ts';
import type { Roles } from '../domain/accounts/memberships.ts';
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
import {
  accountIdOf,
  authenticate,
  type Credential,
  notAuthenticated,
  type PersonTokenVerifier,
  toCaller,
} from './authenticate.ts';
import { actsAsAdmin, isPermitted, leastBodyOf } from './authorize.ts';
import { nextLink, openCursor, sealCursor } from './cursor.ts';
import { once, readIdempotentRequest } from './idempotency.ts';
import { findMoved } from './moved-repository.ts';
import { notAllowed } from './not-allowed.ts';
import {
  headersOf,
  isKnown,
  type PreconditionHeaders,
  type Preconditions,
  readPreconditions,
  requireCurrent,
  tagOfTarget,
} from './target-versions.ts';
import { loadRequestData, requireTarget, type Targets } from './targets.ts';
import { type RawInput, type ValidInput, validate } from './validate.ts';

/** The services that the pipeline uses. An operation's `run` gets `Services`, which extends this interface. */
export interface PipelineServices {
  facts: RequestDataReader;
  personTokens: PersonTokenVerifier;
  apiKeyMasters: SecretSource;
  adminIdentityIds: ReadonlySet<string>;
  idempotency: IdempotencyStore;
  clock: Clock;
  random: RandomSource;
}

export interface RunContext<Op extends Operation, Services> {
  caller: Op['permission'] extends { kind: 'anyone' | 'reading' } ? Caller : AuthenticatedCaller;
  target: Targets[Op['target']];
  /** The caller's roles in the account of the target and in its repository. */
  roles: Roles;
  path: PathParametersOf<Op>;
  query: QueryOf<Op>;
  body: BodyOf<Op>;
  /** The page limit and the start position of a list operation. */
  page: { limit: number; after: string | undefined };
  services: Services;
  /** Milliseconds since the Unix epoch, the same during the whole request. */
  now: number;
  /** True when only the flag `admin` permits the request. The request is then an act of the platform. */
  actsAsAdmin: boolean;
  /**
   * Returns true when the caller may run another operation on the same target with this body. Without a body, the
   * function checks the body that needs the least permission.
   */
  may(other: Operation, otherBody?: unknown): boolean;
  /** Creates an audit event of this request, for the transaction that makes the change. */
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

export interface ManagementRequest extends RawInput {
  requestId: string;
  /** The result of `authenticateFor`, which runs before the body is read. */
  credential: Credential;
  idempotencyKey: string | undefined;
  preconditions: PreconditionHeaders;
  /** The URL path of the request, for the link to the next page of a list. */
  url: string;
}

export interface ManagementAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/**
 * Authenticates the caller as the first step. Refuses an invalid identity with 401 before any other check of the
 * request.
 */
export async function authenticateFor(
  operation: Operation,
  authorization: string | undefined,
  services: PipelineServices,
): Promise<Credential> {
  if (operation.ignoresAuthorization) return { kind: 'anonymous' };
  const credential = await authenticate(authorization, { ...services, now: services.clock() });
  const isOpenToSome = operation.permission.kind === 'anyone' || operation.permission.kind === 'reading';
  if (credential.kind === 'anonymous' && !isOpenToSome) {
    throw notAuthenticated('This needs an identity');
  }
  return credential;
}

/**
 * Runs an operation in this order: authenticate (already done), validate, load the target, authorize, compare
 * `If-Match`, run, create the response. A caller without permission gets the same 403, with or without an existing
 * target. On a write conflict, the pipeline loads the target again and repeats the later steps.
 */
export async function runOperation<Op extends Operation, Services extends PipelineServices>(
  operation: Op,
  run: Run<Op, Services>,
  request: ManagementRequest,
  services: Services,
): Promise<ManagementAnswer> {
  const now = services.clock();
  const input = validate(operation, request);
  const preconditions = readPreconditions(operation, request.preconditions);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnReading(operation, run, { ...request, input, preconditions, now }, services);
    } catch (error) {
      if (!isOvertaken(operation, error) || attempt === limits.changeTriesMax) throw error;
    }
  }
}

function isOvertaken({ kind }: Operation, error: unknown): boolean {
  return kind === 'change' && error instanceof ServiceError && error.code === 'concurrent_change';
}

interface ValidRequest extends Omit<ManagementRequest, 'preconditions'> {
  input: ValidInput;
  preconditions: Preconditions;
  now: number;
}

async function runOnReading<Op extends Operation, Services extends PipelineServices>(
  operation: Op,
  run: Run<Op, Services>,
  request: ValidRequest,
  services: Services,
): Promise<ManagementAnswer> {
  const { credential, input, preconditions, now } = request;
  const facts = await loadRequestData(operation, input, accountIdOf(credential), services.facts, now);
  const caller = toCaller(credential, facts.callerAccount, services.adminIdentityIds);
  const idempotent = readIdempotentRequest(operation, request.idempotencyKey, credential, input, request.requestId);
  if (!isPermitted(operation, caller, facts, input.body)) {
    const answer = await answerBefore(operation, caller, idempotent, services, now);
    if (answer === undefined) {
      const location = await findMoved(operation, { path: input.path, facts, caller, credential }, services.facts, now);
      if (location !== undefined) {
        return { status: 308, headers: { location, 'cache-control': 'private, max-age=60' }, body: undefined };
      }
      throw caller.kind === 'anonymous'
        ? notAuthenticated('This needs an identity')
        : notAllowed(operation, caller, facts);
    }
    return toAnswer(operation, answer);
  }
  const target = requireTarget(operation.target, facts);
  const version = tagOfTarget(operation, facts);
  requireCurrent(preconditions, version);
  const asAdmin = actsAsAdmin(operation, caller, facts, input.body);

  const cursorScope = {
    operation: operation.name,
    path: input.path,
    caller: accountOf(caller)?.account_id ?? '',
    query: input.query,
  };
  const sent = input.query['cursor'] as string | undefined;
  const page =
    operation.kind === 'list'
      ? {
          limit: Number(input.query['limit']),
          after: sent === undefined ? undefined : openCursor(sent, cursorScope, await services.apiKeyMasters()),
        }
      : { limit: 0, after: undefined };

  const context = {
    caller,
    target,
    roles: facts.roles,
    path: input.path,
    query: input.query,
    body: input.body,
    page,
    services,
    now,
    actsAsAdmin: asAdmin,
    may: (other: Operation, otherBody: unknown = leastBodyOf(other)): boolean =>
      isPermitted(other, caller, facts, otherBody),
    event: (kind: AuditKind, accountId: string, subject: Record<string, string>): AuditEvent => ({
      event_id: services.random.uuid(),
      time: toTimestamp(now),
      kind,
      account_id: accountId,
      actor: { ...actorOf(caller), ...(asAdmin ? { acting_as: 'platform_admin' } : {}) },
      subject,
      request_id: request.requestId,
    }),
  };
  // The operation's schemas produced every part of the context. TypeScript cannot infer that its type follows from
  // them.
  const runOnce = async () => {
    const { status, answer, next, total } = readResult(
      operation,
      await run(context as unknown as RunContext<Op, Services>),
    );
    const body: unknown = operation.response === undefined ? undefined : operation.response.parse(answer);
    return {
      status,
      body,
      location: status === 201 ? locationOf(operation, body, input.path) : undefined,
      next,
      total,
    };
  };
  if (idempotent !== undefined) {
    const answer = await once(operation, idempotent, services.idempotency, now, runOnce);
    return toAnswer(operation, answer);
  }
  const { next, total, ...answer } = await runOnce();
  const isSent = !isKnown(preconditions, version);
  const shown = isSent ? toAnswer(operation, answer) : { status: 304, headers: {}, body: undefined };
  if (operation.etag !== undefined && version !== undefined)
    return { ...shown, headers: { ...headersOf(version), ...shown.headers } };
  if (total !== undefined) shown.headers['x-total-count'] = String(total);
  if (next === undefined) return shown;
  const cursor = sealCursor(next, cursorScope, await services.apiKeyMasters(), now);
  return { ...shown, headers: { ...shown.headers, link: nextLink(request.url, input.query, cursor) } };
}

/**
 * Returns the first response to a retry of an account create. A user may create only one user account, so the retry has
 * no permission any more. The first response belongs to the same user.
 */
async function answerBefore(
  operation: Operation,
  caller: Caller,
  idempotent: IdempotentRequest | undefined,
  services: PipelineServices,
  now: number,
): Promise<StoredAnswer | undefined> {
  if (operation.permission.kind !== 'account_creation' || idempotent === undefined) return undefined;
  return actingAccountOf(caller) === null ? undefined : services.idempotency.findAnswer(idempotent, now);
}

function locationOf({ location }: Operation, body: unknown, path: unknown): string | undefined {
  return location && basePath + location(body as never, path as never);
}

function toAnswer(operation: Operation, { status, body, location }: StoredAnswer): ManagementAnswer {
  return {
    status,
    headers: {
      ...(operation.secretFields === undefined ? {} : { 'cache-control': 'no-store' }),
      ...(location === undefined ? {} : { location }),
    },
    body,
  };
}

function readResult(
  operation: Operation,
  result: unknown,
): { status: number; answer: unknown; next: string | undefined; total?: number | undefined } {
  if (operation.kind === 'list') {
    const { items, ...page } = result as { items: unknown; next: string | undefined; total?: number };
    return { status: successStatus(operation), answer: items, ...page };
  }
  if (operation.kind === 'put') {
    const { isNew, answer } = result as { isNew: boolean; answer: unknown };
    return { status: isNew ? 201 : 200, answer, next: undefined };
  }
  return { status: successStatus(operation), answer: result, next: undefined };
}

function actorOf(caller: Caller): AuditEvent['actor'] {
  const account_id = accountOf(caller)?.account_id ?? null;
  return isApiKey(caller) ? { account_id, access_key_id: caller.access_key_id } : { account_id };
}
