import type * as z from 'zod';
import type { AccountRule, MembershipStep } from '../domain/accounts/permissions.ts';
import { htmlPageSchema } from './html-page.ts';
import { listQuerySchema } from './lists.ts';

/**
 * The kind of resource that an operation acts on. The pipeline loads the resource before it checks the authorization,
 * and passes it to `run`.
 */
export type TargetKind =
  | 'nothing'
  | 'account'
  | 'repository'
  /**
   * The account, or undefined if it does not exist. For operations whose response does not reveal whether the account
   * exists.
   */
  | 'account_if_any'
  /**
   * The repository, or undefined if it does not exist. For operations whose response does not reveal whether the
   * repository exists.
   */
  | 'repository_if_any'
  /** The account or the repository in the query parameter `scope`. */
  | 'scope'
  | 'membership'
  | 'api_key'
  | 'data_connection'
  | 'service_account'
  /**
   * A transfer offer. The authorization is checked for the account that made the offer (`outgoing_transfer`) or
   * received it (`incoming_transfer`).
   */
  | 'outgoing_transfer'
  | 'incoming_transfer';

/** The authorization rule of an operation. Account rules are rows of the table in the specification. */
export type Permission =
  | { kind: 'anyone' }
  /** Allows every caller with a valid credential, even if the account is disabled or the user has no account. */
  | { kind: 'authenticated' }
  | { kind: 'enabled_account' }
  | { kind: 'admin' }
  | { kind: 'account'; rule: AccountRule }
  /**
   * Allows callers who may read the repository's objects. For an open repository, this is anyone. For other
   * repositories, it is users with the right to read, and their keys. `rule` allows further callers, even while the
   * repository is disabled.
   */
  | { kind: 'reading'; rule?: AccountRule }
  /**
   * Allows readers of an open repository whose usage is public. `rule` allows further callers. Only these further
   * callers can read the usage of a private or restricted repository.
   */
  | { kind: 'usage'; rule: AccountRule }
  /**
   * Allows the caller to enable a resource. `rule` is the rule for disabling it. The role of the user who disabled the
   * resource matters as well.
   */
  | { kind: 'enabling'; rule: AccountRule }
  /**
   * Allows the caller to delete a resource by `rule`. If an administrator has disabled the resource, only
   * administrators may delete it.
   */
  | { kind: 'deleting'; rule: AccountRule }
  /**
   * Checks `rule` as the kind `account` does. The caller must also be allowed to grant the role in the request body.
   */
  | { kind: 'invitation'; rule: AccountRule }
  /**
   * Allows callers who may invite with at least one role. The query parameter `scope` says to which account or
   * repository.
   */
  | { kind: 'inviter' }
  | { kind: 'membership'; step: MembershipStep }
  | { kind: 'api_key' }
  /** Checks `rule` for a connection of an account. Only administrators act on the connections of the platform. */
  | { kind: 'data_connection'; rule: AccountRule }
  /** Checks the rule for the type of account in the request body. */
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

/** The values of path parameters in examples. A single example may replace them. */
export const exampleIds = {
  account_id: 'tide-institute',
  repository_id: 'tide-gauges',
  membership_id: '0b6f3f52-5f0e-4a39-9d43-5a8e1c7d2f10',
  invitation_link_id: '8d2f6a14-3c5b-4e7f-9a10-2b4c6d8e0f12',
  blocked_account_id: 'edith',
  access_key_id: 'SCAKEXAMPLEEXAMPLE23',
  link_id: '6b1d8f3a-0c2e-4f5a-8d7b-9e1a3c5f7d20',
  data_connection_id: 'ocean-store',
  service_account_id: 'tide-institute--nightly-sync',
  key_id: '3d8e4b8a-6c0f-4a0e-9a5d-7b1f2c3e4d50',
  workflow_id: 'b7a9d8c6-2f41-4f6b-8a8e-0e5c4d3b2a19',
  issuer_id: '4f0e8a52-9c1b-4d7e-b3a6-2d5f7e8c9a10',
  deletion_id: '9e2b7c4d-1a3f-4e5b-8c6d-7f8091a2b3c4',
  version_name: '2026-08',
  transfer_id: '7c1d9e3f-4b5a-4d6e-8f70-1a2b3c4d5e6f',
} as const;

/**
 * An example request with its response. The OpenAPI document contains it, and a test sends it to the running service.
 */
export interface OperationExample {
  /** The path parameters. The default is `exampleIds`. */
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  response?: unknown;
}

export interface SignedBody {
  bytes: Uint8Array;
  headers: Readonly<Record<string, string | undefined>>;
}

/**
 * The requests that `run` may send to the table. Requests that authenticate the caller and load the target are not
 * included.
 */
export interface TableAccess {
  actions: readonly TableAction[];
  indexes: readonly TableIndex[];
  /** The prefixes of the partition keys that these requests may access. Only for public operations. */
  partitions?: readonly `${string}#`[];
}

interface CommonFields {
  /**
   * The operation's name in kebab case. The file, the Lambda function, and the route have this name. The operationId is
   * the name in camel case.
   */
  name: string;
  /** The folder below `functions/` that contains the operation. */
  group:
    | 'accounts'
    | 'api-keys'
    | 'memberships'
    | 'repositories'
    | 'versions'
    | 'transfers'
    | 'data-connections'
    | 'session'
    | 'service-accounts'
    | 'issuers'
    | 'usage'
    | 'administration'
    | 'public'
    | 'pages';
  summary: string;
  /** The path of the route. It is relative to the base path, unless `outsideBase` is set. */
  path: `/${string}`;
  /** Set if `path` is not relative to the base path. */
  outsideBase?: true;
  target: TargetKind;
  permission: Permission;
  tableAccess: TableAccess;
  /** The memory of the Lambda function. Set it if the default is too small. */
  memoryMb?: number;
}

/** The fields of operations that do not return HTML pages. */
interface ApiFields extends CommonFields {
  example: OperationExample;
  /**
   * The response fields with a secret that the API returns only once. The response has the header value `no-store`, and
   * logs never contain these fields.
   */
  secretFields?: readonly string[];
  /**
   * The ways in which the operation uses credentials of data connections: `seal` encrypts them, and `open` decrypts
   * them.
   */
  connectionSecrets?: readonly ('seal' | 'open')[];
  /** Set if `run` needs the name and the URL of the site. */
  showsSite?: true;
  /** Set if `run` registers DOIs. Only functions of such operations may read the password of DataCite. */
  registersDois?: true;
  /** Set if `run` signs tokens with which the service assumes roles of data connections. */
  signsStorageTokens?: true;
}

interface PublicFields {
  /** Set for an operation that ignores the Authorization header. Its response is then the same for all callers. */
  ignoresAuthorization?: true;
}

interface WriteFields extends ApiFields {
  body?: z.ZodType;
  /** The maximum size of the request body. Set it if the default is too small. */
  bodyBytesMax?: number;
  /**
   * Set if the operation also accepts API keys. By default, a write needs a bearer token, so that a leaked key can do
   * less damage.
   */
  allowsApiKey?: true;
  /** The schema of the response body. Absent for a response with status 204, which has no body. */
  response?: z.ZodType;
}

interface ReadOperation extends ApiFields, PublicFields {
  kind: 'read';
  method: 'GET';
  query?: z.ZodObject;
  response: z.ZodType;
  /**
   * Set if the response has an `ETag` with the version of the target. `target_only` means that the response depends on
   * nothing but the target, so that the API can answer 304.
   */
  etag?: 'target' | 'target_only';
  /** Set if the response is a text of this media type instead of JSON. */
  mediaType?: string;
}

/**
 * An operation that returns a list. `run` returns the items of one page, and the position at which the next page
 * begins.
 */
interface ListOperation extends ApiFields, PublicFields {
  kind: 'list';
  method: 'GET';
  query: z.ZodObject;
  response: z.ZodType;
  /** Set if `run` can return the number of all matches. The response then has the header `X-Total-Count`. */
  countsMatches?: true;
}

/**
 * An operation that creates a resource and answers 201. A retry with the same `Idempotency-Key` gets the response of
 * the first request.
 */
type CreateOperation = WriteFields & {
  kind: 'create';
  method: 'POST';
  response: z.ZodType;
  /**
   * Returns the path of the new resource, relative to the base path. It is built from the response and the path
   * parameters.
   */
  location?: (answer: never, path: never) => string;
} & (
    | { secretFields?: undefined; secretOf?: undefined }
    | {
        secretFields: readonly string[];
        /**
         * The response field with the ID of the new resource. A retry cannot get the secret again, so the API returns
         * this ID.
         */
        secretOf: string;
      }
  );

/**
 * A PUT that creates the resource if it does not exist. `run` returns whether it created the resource. If it did, the
 * status is 201.
 */
interface PutOperation extends WriteFields {
  kind: 'put';
  method: 'PUT';
  response: z.ZodType;
}

/**
 * An operation that changes its target. It accepts `If-Match`. After a write conflict, the pipeline loads the target
 * again and runs the operation again.
 */
interface ChangeOperation extends WriteFields {
  kind: 'change';
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
}

/** A write operation that belongs to none of the other kinds. */
interface ActionOperation extends WriteFields, PublicFields {
  kind: 'action';
  method: 'POST' | 'PUT' | 'DELETE';
  query?: z.ZodObject;
  /** Set if the work of the operation continues after the response. */
  status?: 202;
  /** Set if the operation issues temporary credentials. Only such operations may read the session keys. */
  sealsSessions?: true;
}

/**
 * An operation that receives a signed body. `run` gets the raw bytes and the named headers, and verifies the signature
 * before it parses the body.
 */
interface WebhookOperation extends ApiFields {
  kind: 'webhook';
  method: 'POST';
  ignoresAuthorization: true;
  signedBody: { schema: z.ZodType; headers: readonly string[]; bytesMax: number };
  response: z.ZodType;
}

/** An operation that returns an HTML page. Pages outside the base path accept HEAD, whose response has no body. */
interface PageOperation extends CommonFields {
  kind: 'page';
  method: 'GET';
  ignoresAuthorization: true;
  query?: z.ZodObject;
  response: typeof htmlPageSchema;
  /**
   * Further routes of the operation's function, outside the base path. `{name+}` at the end matches all paths below.
   */
  morePaths?: readonly `/${string}`[];
  /**
   * Set if CloudFront may cache the page for a short time. Such a page must show only public data, and depend only on
   * the cache key.
   */
  isCacheable?: true;
  /** Set if the page has a list with cursors. Its function may then read the secret that encrypts them. */
  sealsCursors?: true;
  /**
   * Set if the page shows files or folders. Its function reads them through the data proxy, with a secret for the
   * proxy's firewall.
   */
  readsOpenData?: true;
  /** Set if users can sign in on the page. Its function gets the settings for the sign-in. */
  signsIn?: true;
  /** Set if a page of the API shows the name and the design of the site. The other pages get all settings of the site. */
  showsSiteDesign?: true;
}

/** The operation that answers all requests for which there is no other route. */
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
/**
 * Makes each kind of operation refuse the fields of other kinds. Code can then read a field of any kind without
 * checking the kind first.
 */
type Closed<Kinds> = Kinds extends unknown
  ? Kinds & { [Field in Exclude<FieldOf<AnyKind>, keyof Kinds>]?: undefined }
  : never;
export type Operation = Closed<AnyKind>;
export type OperationKind = Operation['kind'];

type OmitEach<Union, Fields extends PropertyKey> = Union extends unknown ? Omit<Union, Fields> : never;
/**
 * The fields that a declaration of an operation must contain, in addition to the defaults of its kind. A declaration
 * may replace the defaults.
 */
type Declaration<Defaults extends { kind: OperationKind }> = OmitEach<
  Extract<Operation, Pick<Defaults, 'kind'>>,
  keyof Defaults | 'tableAccess'
> &
  Partial<Omit<Extract<Operation, Pick<Defaults, 'kind'>>, 'kind' | 'tableAccess'>> & {
    tableAccess?: Partial<TableAccess>;
  };

/** Returns a function that declares operations of one kind and adds them to a list. */
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
/** The table access of an operation that updates its target and writes the audit event. */
const changed = { actions: ['PutItem', 'UpdateItem'] } as const;

/**
 * Returns the functions with which a group declares its operations. `all` contains the operations in the order of their
 * declarations.
 */
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

/** The fields of an operation without a target that anyone may call. The operation does not depend on the caller. */
export const openToAnyone = { target: 'nothing', permission: { kind: 'anyone' }, ignoresAuthorization: true } as const;

/** The names between braces in a path, such as `account_id` in `/accounts/{account_id}`. */
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

/** Returns true if the operation may be open to callers without a credential, depending on its target. */
export function isForReaders({ kind }: Permission): boolean {
  return kind === 'reading' || kind === 'usage';
}

/** Returns the status of a successful response. A PUT that has created the resource answers 201 instead. */
export function successStatus({ kind, status, response }: Operation): number {
  if (kind === 'create') return 201;
  return status ?? (response === undefined ? 204 : 200);
}

/** Returns true if the operation refuses API keys, whatever rights their account has. */
export function needsBearerToken({ ignoresAuthorization, allowsApiKey, method }: Operation): boolean {
  return !ignoresAuthorization && !allowsApiKey && method !== 'GET';
}

export const basePath = '/api/v1';

/** Returns the route key for API Gateway. The key `$default` is for all requests without another route. */
export function routeKey(operation: Pick<Operation, 'method' | 'path' | 'outsideBase'>): string {
  return operation.method === 'ANY' ? '$default' : `${operation.method} ${routePath(operation)}`;
}

/** Returns the route keys of all routes of an operation. */
export function routeKeys(
  operation: Pick<Operation, 'kind' | 'method' | 'path' | 'outsideBase' | 'morePaths'>,
): string[] {
  const { method, morePaths = [] } = operation;
  const more = (each: string) => morePaths.map((path) => `${each} ${path}`);
  const heads = takesHead(operation) ? [`HEAD ${routePath(operation)}`, ...more('HEAD')] : [];
  return [routeKey(operation), ...heads, ...more(method)];
}

/** Returns true if the operation accepts HEAD. Only pages of the site do. */
export function takesHead({ kind, outsideBase }: Pick<Operation, 'kind' | 'outsideBase'>): boolean {
  return kind === 'page' && outsideBase === true;
}

export function routePath(operation: Pick<Operation, 'path' | 'outsideBase'>): string {
  return operation.outsideBase ? operation.path : basePath + operation.path;
}

/** Returns the operationId, such as `createAccountApiKey` for `create-account-api-key`. */
export function operationId(operation: Pick<Operation, 'name'>): string {
  return operation.name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
