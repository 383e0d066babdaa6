import { isLiveApiKey } from '../../lib/domain/accounts/api-keys.ts';

import { mayUseDataConnection } from '../../lib/domain/accounts/permissions.ts';
import { mayAccessData, type Principal } from '../../lib/domain/data/data-access.ts';
import { type ErrorCode, ServiceError } from '../../lib/domain/errors.ts';
import { deriveApiKeySecret } from '../../lib/domain/secrets/api-key-secrets.ts';
import { authenticateFor } from '../../lib/http/authenticate.ts';
import { createPipeline, type PipelineServices, type RunContext } from '../../lib/http/pipeline.ts';
import { validate } from '../../lib/http/validate.ts';
import type { Operation } from '../../lib/operations/operation.ts';
import { scopeQuery } from '../contract/example-requests.ts';
import type { Answer, DataSet, Caller as ModelCaller, Question } from '../model/data-set.ts';
import { declarationOf } from './generated-questions.ts';
import { apiKeyOf, authorizationDataOf, presentMs, requestDataOf } from './model-readers.ts';

/**
 * Decides by the service's own rules, on generated data, whether a caller may send a request. For API operations, it
 * runs all steps of the request pipeline before the operation itself. For data requests, it runs the data proxy's
 * access rule.
 */
const master = { version: 1, key: new Uint8Array(32), created_at: 0 };
const secrets = new Map<string, string>();
function secretOf(accessKeyId: string): string {
  const secret = secrets.get(accessKeyId) ?? deriveApiKeySecret(master, accessKeyId);
  secrets.set(accessKeyId, secret);
  return secret;
}

function authorizationOf(caller: ModelCaller): string | undefined {
  switch (caller.kind) {
    case 'anonymous':
      return undefined;
    case 'user':
      return `Bearer ${caller.identity}`;
    case 'key':
      return `${caller.id} ${secretOf(caller.id)}`;
    default:
      return 'Bearer of-nobody';
  }
}

const unreached = (): never => {
  throw new Error('no request of these has an idempotency key');
};

function servicesOf(dataSet: DataSet): PipelineServices {
  return {
    requestData: requestDataOf(dataSet),
    userTokens: {
      verify: async (token) => (token === 'of-nobody' ? undefined : { issuer: 'https://people', identity_id: token }),
    },
    apiKeyMasters: async () => [master],
    adminIdentityIds: new Set(dataSet.configuredAdmins),
    idempotency: { begin: unreached, findAnswer: unreached, finish: unreached, abandon: unreached },
    clock: () => presentMs,
    random: { uuid: unreached, bytes: unreached },
  };
}

const statuses: Partial<Record<ErrorCode, Answer>> = {
  unauthenticated: 401,
  access_denied: 403,
  account_disabled: 403,
  bearer_token_required: 403,
  not_found: 404,
};

/** Only the handler `run` checks one right: the use of a data connection for a new repository. */
class Reached extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super();
    this.answer = answer;
  }
}

export async function ruledAnswer(question: Question): Promise<Answer> {
  const { dataSet, caller: asker, operation, input } = question;
  const declared = declarationOf(operation);
  const services = servicesOf(dataSet);
  const run = async ({ caller, actsAsAdmin: asAdmin }: RunContext<Operation, PipelineServices>): Promise<never> => {
    const connection = dataSet.connections.find(({ id }) => id === input.connection);
    const access = connection && { owner_account_id: connection.owner, required_flag: connection.requiredFlag };
    const use = { account_id: question.target.account ?? '', asAdmin };
    const isRefused = access && !mayUseDataConnection(caller, use, access);
    throw new Reached(isRefused ? 400 : 'allowed');
  };
  try {
    const credential = await authenticateFor(declared, authorizationOf(asker), services);
    const valid = validate(declared, {
      path: pathOf(declared, question),
      query: queryOf(declared, question),
      body: bodyOf(declared, question),
    });
    const request = { requestId: 'one', credential, idempotencyKey: undefined, preconditions: {}, input: valid };
    await createPipeline(declared, run, services)({ ...request, url: declared.path, now: presentMs });
  } catch (error) {
    if (error instanceof Reached) return error.answer;
    const status = error instanceof ServiceError ? statuses[error.code] : undefined;
    if (status === undefined) throw error;
    return status;
  }
  throw new Error('`run` was not reached, and nothing was refused');
}

/** Returns the example body of the OpenAPI document, with the fields that authorization reads. */
export function bodyOf(declared: Operation, { input }: Question): unknown {
  const example = declared.example?.body;
  if (input.accountType !== undefined) return { account_id: 'made-now', account_type: input.accountType, profile: {} };
  if (input.role !== undefined)
    return typeof example === 'string' ? input.role : { ...(example as object), role: input.role };
  if (input.connection !== undefined) return { ...(example as object), data_connection_id: input.connection };
  return example;
}

export function queryOf({ target: kind }: Operation, { target }: Question): Record<string, string> {
  return kind === 'scope' ? scopeQuery(target.account, target.repository) : {};
}

const unasked = {
  key_id: '00000000-0000-4000-8000-0000000000aa',
  workflow_id: '00000000-0000-4000-8000-0000000000bb',
  issuer_id: '00000000-0000-4000-8000-0000000000cc',
  link_id: '00000000-0000-4000-8000-0000000000ee',
  invitation_link_id: '00000000-0000-4000-8000-0000000000dd',
  blocked_account_id: 'somebody-else',
  version_name: 'v1',
  deletion_id: '00000000-0000-4000-8000-0000000000ff',
};

export function pathOf(declared: Operation, { target }: Question): Record<string, string | undefined> {
  const serviceAccount = declared.path.includes('{service_account_id}') ? { service_account_id: target.account } : {};
  return {
    ...unasked,
    account_id: target.account,
    repository_id: target.repository ?? 'tides',
    membership_id: target.membership,
    access_key_id: target.key,
    transfer_id: target.transfer,
    data_connection_id: target.connection,
    ...serviceAccount,
  };
}

/** Returns the principal of an API key or of temporary credentials, as if with a valid signature. */
function principalOf(dataSet: DataSet, caller: ModelCaller): Principal | undefined {
  if (caller.kind === 'anonymous') return { kind: 'anonymous' };
  if (caller.kind === 'session') {
    const { account, uid, role, narrowedTo, source } = caller;
    const signedIn = { times_disabled: 0, role };
    if (source !== undefined) {
      const names = { service_account_id: account, service_account_uid: uid };
      return { kind: 'service_account', ...names, ...signedIn, signed_in_by: source };
    }
    return {
      kind: 'user',
      account_id: account,
      ...signedIn,
      ...(narrowedTo && { narrowed_to: placeOf(narrowedTo) }),
    };
  }
  const key = caller.kind === 'key' ? apiKeyOf(dataSet, caller.id) : undefined;
  if (key === undefined || !isLiveApiKey(key, presentMs)) return undefined;
  const { access_key_id, account_id, repository_id, repository_uid } = key;
  return { kind: 'api_key', access_key_id, account_id, repository_id, repository_uid };
}

/** Returns the repository with an internal ID in the generated data. */
function placeOf(uid: string) {
  const [account_id = '', repository_id = ''] = uid.slice('uid-'.length).split('/');
  return { account_id, repository_id, uid };
}

export function ruledDataAnswer({ dataSet, caller, operation, target }: Question): Answer {
  const principal = principalOf(dataSet, caller);
  if (principal === undefined) return 403;
  const data = authorizationDataOf(dataSet, principal, {
    account_id: target.account ?? '',
    repository_id: target.repository ?? '',
  });
  return mayAccessData(principal, operation === 'write' ? 'write' : 'read', data) ? 'allowed' : 403;
}
