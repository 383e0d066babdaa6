import type * as z from 'zod';
import type { AccountRule, MembershipStep } from '../domain/accounts/permissions.ts';
import { htmlPageSchema } from './html-page.ts';
import { listQuerySchema } from './lists.ts';

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

/** The authorization rule of an operation, as data. Account rules are rows of the specification's table. */
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
  /** By `rule` for a connection of an account. Only administrators act on the platform's connections. */
  | { kind: 'data_connection'; rule: AccountRule }
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

/** The IDs in the paths of examples, by path parameter. An example may have others. */
export const exampleIds = {
  account_id: 'tide-institute',
  repository_id: 'tide-gauges',
  membership_id: '0b6f3f52-5f0e-4a39-9d43-5a8e1c7d2f10',
  blocked_account_id: 'edith',
  access_key_id: 'SCAKEXAMPLEEXAMPLE23',
  data_connection_id: 'ocean-store',
  service_account_id: 'tide-institute--nightly-sync',
  key_id: '3d8e4b8a-6c0f-4a0e-9a5d-7b1f2c3e4d50',
  workflow_id: 'b7a9d8c6-2f41-4f6b-8a8e-0e5c4d3b2a19',
  issuer_id: '4f0e8a52-9c1b-4d7e-b3a6-2d5f7e8c9a10',
  transfer_id: '7c1d9e3f-4b5a-4d6e-8f70-1a2b3c4d5e6f',
} as const;

/** One request and its response. The OpenAPI document shows it, and a test sends it to the running service. */
export interface OperationExample {
  /** The default is `exampleIds`. */
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  response?: unknown;
}

export interface SignedBody {
  bytes: Uint8Array;
  headers: Readonly<Record<string, string | undefined>>;
}

/** Table access of `run`, in addition to authentication and loading the target. */
export interface TableAccess {
  actions: readonly TableAction[];
  indexes: readonly TableIndex[];
  /** For public operations: prefixes of the partition keys that the actions may access. */
  partitions?: readonly `${string}#`[];
}

interface CommonFields {
  /** The name in kebab case: the file, the Lambda, and the route. In camel case, it is the operationId. */
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
    | 'issuers'
    | 'public'
    | 'pages';
  summary: string;
  /** Relative to the base path, unless `outsideBase` is set. */
  path: `/${string}`;
  /** The path is absolute, not relative to the base path. */
  outsideBase?: true;
  target: TargetKind;
  permission: Permission;
  tableAccess: TableAccess;
  /** Memory of the function, if the default is too small. */
  memoryMb?: number;
}

/** Operations of the API, without pages. */
interface ApiFields extends CommonFields {
  example: OperationExample;
  /** The response contains a secret once. It has `no-store`, and logs never contain these fields. */
  secretFields?: readonly string[];
  /** Use of the credentials of data connections, besides storing them sealed. */
  connectionSecrets?: readonly ('seal' | 'open')[];
  /** Signs tokens with which the service assumes roles of data connections. */
  signsStorageTokens?: true;
}

interface PublicFields {
  /** The Authorization header is ignored, so the answer of a public operation is the same for all callers. */
  ignoresAuthorization?: true;
}

interface WriteFields extends ApiFields {
  body?: z.ZodType;
  /** Maximum size of the body, if it is above the default. */
  bodyBytesMax?: number;
  /** API keys are accepted too. By default, a write needs a bearer token, which bounds the use of leaked keys. */
  allowsApiKey?: true;
  /** Absent for a response without a body, with status 204. */
  response?: z.ZodType;
}

interface ReadOperation extends ApiFields, PublicFields {
  kind: 'read';
  method: 'GET';
  query?: z.ZodObject;
  response: z.ZodType;
  /** The response has the target's version in `ETag`. `target_only`: it depends on nothing else, so 304 is possible. */
  etag?: 'target' | 'target_only';
}

/** `run` returns the items of one page and the position of the next page. */
interface ListOperation extends ApiFields, PublicFields {
  kind: 'list';
  method: 'GET';
  query: z.ZodObject;
  response: z.ZodType;
  /** The list may report the number of all matches. `run` returns it, and the response has `X-Total-Count`. */
  countsMatches?: true;
}

/** Answers 201. A retry with the same `Idempotency-Key` gets the first response. */
type CreateOperation = WriteFields & {
  kind: 'create';
  method: 'POST';
  response: z.ZodType;
  /** Returns the path of the created resource relative to the base path, from the response and the path parameters. */
  location?: (answer: never, path: never) => string;
} & (
    | { secretFields?: undefined; secretOf?: undefined }
    | {
        secretFields: readonly string[];
        /** The response field with the ID of the new resource. A retry that cannot get the secret receives this ID. */
        secretOf: string;
      }
  );

/** A PUT that may create the resource. `run` returns whether it did, and the status is then 201. */
interface PutOperation extends WriteFields {
  kind: 'put';
  method: 'PUT';
  response: z.ZodType;
}

/** Changes the record of its target. The operation accepts `If-Match`, and runs again after a write conflict. */
interface ChangeOperation extends WriteFields {
  kind: 'change';
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
}

/** Any other write. */
interface ActionOperation extends WriteFields, PublicFields {
  kind: 'action';
  method: 'POST' | 'PUT' | 'DELETE';
  query?: z.ZodObject;
  /** Set if the work continues after the response. */
  status?: 202;
  /** Issues temporary credentials. Among the operations, only these read the session keys. */
  sealsSessions?: true;
}

/** Receives a signed body: `run` gets the raw bytes and these headers, and verifies the signature before it parses. */
interface WebhookOperation extends ApiFields {
  kind: 'webhook';
  method: 'POST';
  ignoresAuthorization: true;
  signedBody: { schema: z.ZodType; headers: readonly string[]; bytesMax: number };
  response: z.ZodType;
}

/** Answers HTML. Pages outside the base path also accept HEAD: the sender of the response omits the body. */
interface PageOperation extends CommonFields {
  kind: 'page';
  method: 'GET';
  ignoresAuthorization: true;
  query?: z.ZodObject;
  response: typeof htmlPageSchema;
  /** More routes of the same function, outside the base path. `{name+}` at the end matches all paths below. */
  morePaths?: readonly `/${string}`[];
  /** CloudFront may cache the page for a short time. It shows only public data, and depends only on the cache key. */
  isCacheable?: true;
  /** The page shows files or folders, which it reads through the data proxy with a secret for the firewall. */
  readsOpenData?: true;
  /** Users sign in on the page. It receives the sign-in settings. */
  signsIn?: true;
}

/** Answers the requests that match no other route. */
interface FallbackOperation extends CommonFields {
  kind: 'fallback';
  method: 'ANY';
  ignoresAuthorization: true;
}

type AnyKind =
  | ReadOperation
  | ListOperation
  | CreateOperation
  | PutOperation
  | ChangeOperation
  | ActionOperation
  | WebhookOperation
  | PageOperation
  | FallbackOperation;

type FieldOf<Kinds> = Kinds extends unknown ? keyof Kinds : never;
/** Refuses the fields of other kinds, and lets code read a field of any kind without a check of the kind. */
type Closed<Kinds> = Kinds extends unknown
  ? Kinds & { [Field in Exclude<FieldOf<AnyKind>, keyof Kinds>]?: undefined }
  : never;
export type Operation = Closed<AnyKind>;
export type OperationKind = Operation['kind'];

type OmitEach<Union, Fields extends PropertyKey> = Union extends unknown ? Omit<Union, Fields> : never;
/** The fields that a declaration needs in addition to the defaults of its kind. It may replace defaults. */
type Declaration<Defaults extends { kind: OperationKind }> = OmitEach<
  Extract<Operation, Pick<Defaults, 'kind'>>,
  keyof Defaults | 'tableAccess'
> &
  Partial<Omit<Extract<Operation, Pick<Defaults, 'kind'>>, 'kind' | 'tableAccess'>> & {
    tableAccess?: Partial<TableAccess>;
  };

/** Returns the function that declares operations of one kind and adds them to a list. */
function declarator<const Defaults extends { kind: OperationKind; tableAccess?: Partial<TableAccess> }>(
  list: Operation[],
  defaults: Defaults,
) {
  return <const Declared extends Declaration<Defaults>>(declared: Declared) => {
    const tableAccess: TableAccess = { actions: [], indexes: [], ...(declared.tableAccess ?? defaults.tableAccess) };
    const { path, example } = declared as Pick<Operation, 'path' | 'example'>;
    const ids = Object.entries(exampleIds).filter(([name]) => path.includes(`{${name}}`));
    const operation = {
      ...defaults,
      ...declared,
      tableAccess,
      ...(example && { example: { path: Object.fromEntries(ids), ...example } }),
    };
    list.push(operation as unknown as Operation);
    return operation as unknown as Omit<Defaults, keyof Declared | 'tableAccess'> &
      Omit<Declared, 'tableAccess'> & { tableAccess: TableAccess };
  };
}

const listed = { indexes: ['lists'] } as const;
/** Updates the target, and writes the audit event. */
const changed = { actions: ['PutItem', 'UpdateItem'] } as const;

/** Returns the functions that declare a group's operations. `all` lists these operations in their order. */
export function declarators<const Common extends Partial<CommonFields & PublicFields>>(common: Common) {
  const all: Operation[] = [];
  return {
    all: all as readonly Operation[],
    read: declarator(all, { ...common, kind: 'read', method: 'GET' }),
    list: declarator(all, { ...common, kind: 'list', method: 'GET', query: listQuerySchema, tableAccess: listed }),
    create: declarator(all, { ...common, kind: 'create', method: 'POST' }),
    put: declarator(all, { ...common, kind: 'put', method: 'PUT' }),
    change: declarator(all, { ...common, kind: 'change', tableAccess: changed }),
    action: declarator(all, { ...common, kind: 'action' }),
    webhook: declarator(all, { ...common, kind: 'webhook', method: 'POST' }),
    page: declarator(all, { ...common, kind: 'page', method: 'GET', response: htmlPageSchema }),
    fallback: declarator(all, { ...common, kind: 'fallback', method: 'ANY' }),
  };
}

/** Fields of an operation that anyone may call without an identity, and that has no target. */
export const openToAnyone = { target: 'nothing', permission: { kind: 'anyone' }, ignoresAuthorization: true } as const;

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

/** Returns the status of a success. A PUT that created the resource answers 201 instead. */
export function successStatus({ kind, status, response }: Operation): number {
  if (kind === 'create') return 201;
  return status ?? (response === undefined ? 204 : 200);
}

/** Returns true if the operation refuses API keys, regardless of the account's rights. */
export function needsBearerToken({ ignoresAuthorization, allowsApiKey, method }: Operation): boolean {
  return !ignoresAuthorization && !allowsApiKey && method !== 'GET';
}

export const basePath = '/api/v1';

/** Returns API Gateway's route key. `$default` is its name for all other requests. */
export function routeKey(operation: Pick<Operation, 'method' | 'path' | 'outsideBase'>): string {
  return operation.method === 'ANY' ? '$default' : `${operation.method} ${routePath(operation)}`;
}

/** Returns the keys of all routes of the operation. */
export function routeKeys(
  operation: Pick<Operation, 'kind' | 'method' | 'path' | 'outsideBase' | 'morePaths'>,
): string[] {
  const { method, morePaths = [] } = operation;
  const more = (each: string) => morePaths.map((path) => `${each} ${path}`);
  const heads = takesHead(operation) ? [`HEAD ${routePath(operation)}`, ...more('HEAD')] : [];
  return [routeKey(operation), ...heads, ...more(method)];
}

/** Returns true for the pages of the site. */
export function takesHead({ kind, outsideBase }: Pick<Operation, 'kind' | 'outsideBase'>): boolean {
  return kind === 'page' && outsideBase === true;
}

export function routePath(operation: Pick<Operation, 'path' | 'outsideBase'>): string {
  return operation.outsideBase ? operation.path : basePath + operation.path;
}

/** Returns `createAccountApiKey` for `create-account-api-key`. */
export function operationId(operation: Pick<Operation, 'name'>): string {
  return operation.name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
