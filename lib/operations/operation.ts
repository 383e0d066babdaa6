import type * as z from 'zod';
import { type AccountRule, accountRules, type MembershipStep } from '../domain/accounts/permissions.ts';

/** What the pipeline loads before it asks whether the caller may, and hands to `run` afterwards. */
export type TargetKind =
  | 'nothing'
  | 'account'
  | 'repository'
  /** The account if there is one of that ID: for what answers alike whether it is there or not. */
  | 'account_if_any'
  /** The same of a repository. */
  | 'repository_if_any'
  /** The account, or the repository, that the query names as `scope`. */
  | 'scope'
  | 'membership'
  | 'api_key'
  | 'data_connection'
  | 'service_account'
  /** An offer, by whoever made it, and by whoever got it. */
  | 'outgoing_transfer'
  | 'incoming_transfer';

/**
 * Who may call, as data: rules that hang on an account name their row of the specification's table; the rest are the
 * few that do not.
 */
export type Permission =
  | { kind: 'anyone' }
  /** Any valid credential, also of a disabled account or of a person who has none. */
  | { kind: 'authenticated' }
  | { kind: 'enabled_account' }
  | { kind: 'admin' }
  | { kind: 'account'; rule: AccountRule }
  /** Whoever may read the objects of the repository: anyone of open ones; otherwise persons and users' keys that may. */
  | { kind: 'reading' }
  /** Of what is disabled, by whoever disabled it; `rule` is who may disable it. */
  | { kind: 'enabling'; rule: AccountRule }
  /** By who disabled it: the rule is of what an administrator did not. */
  | { kind: 'deleting'; rule: AccountRule }
  /** As `account`, and the role that the body offers is one the caller may give. */
  | { kind: 'invitation'; rule: AccountRule }
  /** Whoever may invite, with some role, in the scope that the query names. */
  | { kind: 'inviter' }
  | { kind: 'membership'; step: MembershipStep }
  | { kind: 'api_key' }
  /** Decided by the type of account that the body asks for. */
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

/** One request and its answer, shown in the OpenAPI document and sent by a test to the running service. */
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
  /** Kebab-case: the file under functions/, the Lambda, the route; in camel case the operationId. */
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
  /** The operation's number in the specification's section 4.1, where it has one. */
  specNumber?: number;
  summary: string;
  /** `ANY` is the route that takes what no other does. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ANY';
  /** Below the base path, unless `outsideBase` says otherwise. */
  path: `/${string}`;
  /** For what answers at its path itself, not below the base path. */
  outsideBase?: true;
  /** Further routes of the same function, outside the base; `{name+}` at the end takes all that is below. */
  morePaths?: readonly `/${string}`[];
  target: TargetKind;
  permission: Permission;
  /** An Authorization header is not looked at: a public operation answers alike whoever sends it. */
  ignoresAuthorization?: true;
  /**
   * Also with an API key. A leaked key must neither shut anything down nor hand on what it can: without this, an
   * operation needs a bearer token, and so does each new one until somebody opens it.
   */
  allowsApiKey?: true;
  /** Answers with one page of a list: `run` returns its items and where the next one starts. */
  isList?: true;
  /** A list that may tell how many match in all: `run` adds it, and the answer has `X-Total-Count`. */
  countsMatches?: true;
  /**
   * Shows one thing, its target, with the version of that in `ETag`: all of its record, or of an account what everybody
   * sees of one.
   */
  shows?: 'record' | 'profile';
  /** Of what shows one thing: the answer is made of its record and nothing else, so whoever has it already is told so (304). */
  isRecordAlone?: true;
  /** Changes the record of its target: takes `If-Match`, and is carried out again where another change came in between. */
  changesTarget?: true;
  /** A PUT that may make the thing: `run` says whether it did, and the answer is 201 then. */
  isUpsert?: true;
  body?: z.ZodType;
  /** Of a body that may be larger than others. */
  bodyBytesMax?: number;
  /** Of its function, where the usual is too little. */
  memoryMb?: number;
  /**
   * Instead of `body` where the body is signed: `run` gets its bytes as they came, with these headers, and checks their
   * signature before it reads them by the schema.
   */
  signedBody?: { schema: z.ZodType; headers: readonly string[]; bytesMax: number };
  query?: z.ZodObject;
  /** Absent for an answer without a body. */
  response?: z.ZodType;
  /** Answers with HTML: `response` is `htmlPageSchema`. */
  isPage?: true;
  /** A page that CloudFront may keep for a while: it shows what anyone may see, and goes by nothing that its cache's key lacks. */
  isCacheable?: true;
  /** A page that shows files or folders: it reads them through the data proxy, whose firewall knows it by a secret. */
  readsOpenData?: true;
  /** A page that signs people in: it is told how. */
  signsIn?: true;
  /** Takes HEAD too, by a route of its own. The function answers as to GET; who sends the answer leaves its body out. */
  takesHead?: true;
  status: 200 | 201 | 202 | 204;
  /** The answer carries a secret once: `no-store`, and the fields never reach a log. */
  secretFields?: readonly string[];
  /** Of a create whose answer has a secret: the field that names what was made, for a retry that comes too late for it. */
  secretOf?: string;
  /** The path of what a create made, below the base path, from its answer and the path's parameters. */
  location?: (answer: never, path: never) => string;
  /** What `run` does to the table beyond what authenticating and loading the target need. */
  tableAccess: {
    actions: readonly TableAction[];
    indexes: readonly TableIndex[];
    /** Where the world may call: beginnings of the partition keys that the actions may name. */
    partitions?: readonly `${string}#`[];
  };
  /** What it does with the credentials of data connections, beside storing them sealed. */
  connectionSecrets?: readonly ('seal' | 'open')[];
  /** It issues temporary credentials: its function alone reads what they are sealed with. */
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

/** Anyone may call it, it needs no identity, and it has no target. */
export function publicOperation<const Op extends Omit<Operation, 'group' | keyof typeof openToAnyone>>(operation: Op) {
  return { ...openToAnyone, group: 'public', ...operation } as const;
}

const openToAnyone = { target: 'nothing', permission: { kind: 'anyone' }, ignoresAuthorization: true } as const;

/** Of a service account, or of an account's service accounts: for the people who own the account. */
export function ownersOperation<const Op extends Omit<Operation, 'group' | 'permission'>>(operation: Op) {
  return { group: 'service-accounts', permission: ownersPermission, ...operation } as const;
}

const ownersPermission = { kind: 'account', rule: accountRules.service_accounts } as const;

/** Creates do: a retry with the same `Idempotency-Key` gets the first answer. */
export function takesIdempotencyKey({ method, status }: Pick<Operation, 'method' | 'status'>): boolean {
  return method === 'POST' && status === 201;
}

/** Whether an API key is refused whatever its account may do. */
export function needsBearerToken(operation: Pick<Operation, 'ignoresAuthorization' | 'allowsApiKey'>): boolean {
  return !operation.ignoresAuthorization && !operation.allowsApiKey;
}

export const basePath = '/api/v1';

/** API Gateway's key of a route; `$default` is its name for everything else. */
export function routeKey(operation: Pick<Operation, 'method' | 'path' | 'outsideBase'>): string {
  return operation.method === 'ANY' ? '$default' : `${operation.method} ${routePath(operation)}`;
}

/** All that lead to the operation. */
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

/** `create-account-api-key` is `createAccountApiKey`. */
export function operationId(operation: Pick<Operation, 'name'>): string {
  return operation.name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
