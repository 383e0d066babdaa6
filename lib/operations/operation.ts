import type * as z from 'zod';
import { type AccountRule, accountRules, type MembershipStep } from '../domain/accounts/permissions.ts';

/** The resource that the pipeline loads before authorization and passes to `run`. */
export type TargetKind =
  | 'nothing'
  | 'account'
  | 'repository'
  /** The account if the ID exists, for operations that give the same answer if it does not. */
  | 'account_if_any'
  /** The repository if the ID exists, for the same reason. */
  | 'repository_if_any'
  /** The account or the repository in the query field `scope`. */
  | 'scope'
  | 'membership'
  | 'api_key'
  | 'data_connection'
  | 'service_account'
  /** An offer, with the account that made it or the account that received it as the scope. */
  | 'outgoing_transfer'
  | 'incoming_transfer';

/**
 * The authorization rule of an operation, as data. Rules that depend on an account refer to their row of the
 * specification's table.
 */
export type Permission =
  | { kind: 'anyone' }
  /** Any valid credential, even of a disabled account or of a user without an account. */
  | { kind: 'authenticated' }
  | { kind: 'enabled_account' }
  | { kind: 'admin' }
  | { kind: 'account'; rule: AccountRule }
  /** Callers who may read the objects: anyone for open repositories, otherwise users with a right and their keys. */
  | { kind: 'reading' }
  /** Enabling, which depends on the role that disabled the resource. `rule` is the rule for disabling it. */
  | { kind: 'enabling'; rule: AccountRule }
  /** Deleting, by `rule`. If an administrator disabled the resource, only administrators may delete it. */
  | { kind: 'deleting'; rule: AccountRule }
  /** Like `account`, and the caller may also grant the role in the body. */
  | { kind: 'invitation'; rule: AccountRule }
  /** Callers who may invite with at least one role in the scope of the query. */
  | { kind: 'inviter' }
  | { kind: 'membership'; step: MembershipStep }
  | { kind: 'api_key' }
  /** Depends on the type of account in the body. */
  | { kind: 'account_creation' };

export type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem';

export type TableIndex = 'lists' | 'catalogue' | 'sublists' | 'names';

/** One request and its response. The OpenAPI document shows it, and a test sends it to the running service. */
export interface OperationExample {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  response?: unknown;
}

export interface SignedBody {
  bytes: Uint8Array;
  headers: Readonly<Record<string, string | undefined>>;
}

export interface Operation {
  /**
   * The name in kebab case: the file under functions/, the Lambda, and the route. In camel case, it is the operationId.
   */
  name: string;
  /** The folder under functions/. */
  group:
    | 'accounts'
    | 'api-keys'
    | 'memberships'
    | 'repositories'
    | 'transfers'
    | 'data-connections'
    | 'session'
    | 'service-accounts'
    | 'public'
    | 'pages';
  /** The operation's number in the specification's section 4.1, if it has one. */
  specNumber?: number;
  summary: string;
  /** `ANY` is the route for requests that match no other route. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ANY';
  /** Relative to the base path, unless `outsideBase` is set. */
  path: `/${string}`;
  /** The path is absolute, not relative to the base path. */
  outsideBase?: true;
  /** More routes of the same function, outside the base path. `{name+}` at the end matches all paths below. */
  morePaths?: readonly `/${string}`[];
  target: TargetKind;
  permission: Permission;
  /** The Authorization header is ignored, so the answer of a public operation is the same for all callers. */
  ignoresAuthorization?: true;
  /**
   * API keys are accepted too. By default, an operation needs a bearer token, so that a leaked key can neither disable
   * resources nor pass on its rights.
   */
  allowsApiKey?: true;
  /** The response is one page of a list: `run` returns its items and the position of the next page. */
  isList?: true;
  /** A list that may report the number of all matches. `run` returns it, and the response has `X-Total-Count`. */
  countsMatches?: true;
  /**
   * The response shows the target with its version in `ETag`: its whole record, or the public profile of an account.
   */
  shows?: 'record' | 'profile';
  /**
   * For operations that show one resource: the response contains only its record, so the version is enough to answer
   * 304.
   */
  isRecordAlone?: true;
  /** Changes the record of its target. The operation accepts `If-Match`, and runs again after a write conflict. */
  changesTarget?: true;
  /** A PUT that may create the resource. `run` returns whether it did, and the status is then 201. */
  isUpsert?: true;
  body?: z.ZodType;
  /** Maximum size of the body, if it is above the default. */
  bodyBytesMax?: number;
  /** Memory of the function, if the default is too small. */
  memoryMb?: number;
  /**
   * Replaces `body` for a signed body. `run` receives the raw bytes and these headers, and verifies the signature
   * before it parses the body.
   */
  signedBody?: { schema: z.ZodType; headers: readonly string[]; bytesMax: number };
  query?: z.ZodObject;
  /** Absent for a response without a body. */
  response?: z.ZodType;
  /** The response is HTML: `response` is `htmlPageSchema`. */
  isPage?: true;
  /**
   * A page that CloudFront may cache for a short time. It shows only public data, and depends only on fields of the
   * cache key.
   */
  isCacheable?: true;
  /**
   * A page that shows files or folders. It reads them through the data proxy, whose firewall recognizes its requests by
   * a secret.
   */
  readsOpenData?: true;
  /** A page on which users sign in. It receives the sign-in settings. */
  signsIn?: true;
  /**
   * Also accepts HEAD through its own route. The function answers as for GET, and the sender of the response omits the
   * body.
   */
  takesHead?: true;
  status: 200 | 201 | 202 | 204;
  /** The response contains a secret once. It has `no-store`, and logs never contain these fields. */
  secretFields?: readonly string[];
  /**
   * For a create with a secret in its response: the field with the ID of the new resource. A retry that cannot get the
   * secret receives this ID.
   */
  secretOf?: string;
  /** Returns the path of the created resource relative to the base path, from the response and the path parameters. */
  location?: (answer: never, path: never) => string;
  /** Table access of `run`, in addition to authentication and loading the target. */
  tableAccess: {
    actions: readonly TableAction[];
    indexes: readonly TableIndex[];
    /** For public operations: prefixes of the partition keys that the actions may access. */
    partitions?: readonly `${string}#`[];
  };
  /** Use of the credentials of data connections, besides storing them sealed. */
  connectionSecrets?: readonly ('seal' | 'open')[];
  /** Issues temporary credentials. Among the operations, only these read the session keys. */
  sealsSessions?: true;
  example?: OperationExample;
}

/** The names between braces in a path: `/accounts/{account_id}` has `account_id`. */
export type PathParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameterNames<Rest>
  : never;

export type PathParametersOf<Op extends Operation> = Readonly<Record<PathParameterNames<Op['path']>, string>>;
export type BodyOf<Op extends Operation> = Op extends { body: infer Body extends z.ZodType }
  ? z.output<Body>
  : Op extends { signedBody: object }
    ? SignedBody
    : undefined;
export type QueryOf<Op extends Operation> = Op extends { query: infer Query extends z.ZodType }
  ? z.output<Query>
  : undefined;
export type ResponseOf<Op extends Operation> = Op extends { response: infer Response extends z.ZodType }
  ? z.input<Response>
  : undefined;

export function defineOperation<const Op extends Operation>(operation: Op): Op {
  return operation;
}

/** Defines an operation that anyone may call without an identity, and that has no target. */
export function publicOperation<const Op extends Omit<Operation, 'group' | keyof typeof openToAnyone>>(operation: Op) {
  return { ...openToAnyone, group: 'public', ...operation } as const;
}

const openToAnyone = { target: 'nothing', permission: { kind: 'anyone' }, ignoresAuthorization: true } as const;

/** Defines an operation on service accounts for owners and maintainers of the owning account. */
export function ownersOperation<const Op extends Omit<Operation, 'group' | 'permission'>>(operation: Op) {
  return { group: 'service-accounts', permission: ownersPermission, ...operation } as const;
}

const ownersPermission = { kind: 'account', rule: accountRules.service_accounts } as const;

/** Returns true for creates: a retry with the same `Idempotency-Key` gets the first response. */
export function takesIdempotencyKey({ method, status }: Pick<Operation, 'method' | 'status'>): boolean {
  return method === 'POST' && status === 201;
}

/** Returns true if the operation refuses API keys, regardless of the account's rights. */
export function needsBearerToken(operation: Pick<Operation, 'ignoresAuthorization' | 'allowsApiKey'>): boolean {
  return !operation.ignoresAuthorization && !operation.allowsApiKey;
}

export const basePath = '/api/v1';

/** Returns API Gateway's route key. `$default` is its name for all other requests. */
export function routeKey(operation: Pick<Operation, 'method' | 'path' | 'outsideBase'>): string {
  return operation.method === 'ANY' ? '$default' : `${operation.method} ${routePath(operation)}`;
}

/** Returns the keys of all routes of the operation. */
export function routeKeys(
  operation: Pick<Operation, 'method' | 'path' | 'outsideBase' | 'takesHead' | 'morePaths'>,
): string[] {
  const { method, morePaths = [], takesHead } = operation;
  const more = (each: string) => morePaths.map((path) => `${each} ${path}`);
  const heads = takesHead ? [`HEAD ${routePath(operation)}`, ...more('HEAD')] : [];
  return [routeKey(operation), ...heads, ...more(method)];
}

export function routePath(operation: Pick<Operation, 'path' | 'outsideBase'>): string {
  return operation.outsideBase ? operation.path : basePath + operation.path;
}

/** Returns `createAccountApiKey` for `create-account-api-key`. */
export function operationId(operation: Pick<Operation, 'name'>): string {
  return operation.name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
