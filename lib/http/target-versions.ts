import { createHash } from 'node:crypto';
import { accountSchema } from '../domain/accounts/accounts.ts';
import { dataConnectionSchema } from '../domain/data/data-connections.ts';
import { repositorySchema } from '../domain/data/repositories.ts';
import { ServiceError } from '../domain/errors.ts';
import { serviceAccountSchema } from '../domain/service-accounts/service-accounts.ts';
import { type Versioned, versionOf } from '../domain/versions.ts';
import type { Operation, TargetKind } from '../operations/operation.ts';
import {
  formatEntityTag,
  matchesStrongly,
  matchesWeakly,
  parseTagCondition,
  type TagCondition,
} from './entity-tags.ts';
import type { LoadedRequestData } from './targets.ts';
import { invalidInput } from './validate.ts';

/** As they came; absent where they were not sent. */
export interface PreconditionHeaders {
  ifMatch?: string | undefined;
  ifNoneMatch?: string | undefined;
}

export interface Preconditions {
  ifMatch?: TagCondition;
  ifNoneMatch?: TagCondition;
}

/** Of those headers that mean something to the operation. Throws `field_invalid` for one that is malformed. */
export function readPreconditions(
  { changesTarget, isRecordAlone }: Pick<Operation, 'changesTarget' | 'isRecordAlone'>,
  { ifMatch, ifNoneMatch }: PreconditionHeaders,
): Preconditions {
  return {
    ...(changesTarget && ifMatch !== undefined ? { ifMatch: conditionOf('If-Match', ifMatch) } : {}),
    ...(isRecordAlone && ifNoneMatch !== undefined ? { ifNoneMatch: conditionOf('If-None-Match', ifNoneMatch) } : {}),
  };
}

function conditionOf(path: string, header: string): TagCondition {
  const condition = parseTagCondition(header);
  if (condition !== undefined) return condition;
  const message = 'must be * or the ETag of an earlier answer as it came, with its quotation marks, such as "v3"';
  throw invalidInput([{ path, message }]);
}

/** The state of one target, as tags name it. */
export interface TargetVersion {
  /** For the answer of a GET. */
  readonly tag: string;
  isCurrent(text: string): boolean;
}

/**
 * Of what was found for an operation that shows or changes one thing; undefined for all others. While older releases write,
 * which raise no version, a tag also vouches for the fields that the answer shows. It counts as long as they are the same.
 */
export function versionOfTarget(operation: Operation, facts: LoadedRequestData): TargetVersion | undefined {
  const { shows, changesTarget, target } = operation;
  if (shows === undefined && !changesTarget) return undefined;
  const record = recordOf(target, facts);
  const version = `v${versionOf(record)}`;
  // Once, whatever number of tags is compared with them, and not at all where none is.
  let parts: Readonly<Record<string, string>> | undefined;
  const withFields = () => {
    parts ??= Object.fromEntries(
      Object.entries(fieldsOf(target, facts)).map(([part, fields]) => [part, `${version}-${digestOf(fields)}`]),
    );
    return parts;
  };
  return {
    get tag() {
      return formatEntityTag(facts.versionsTellAll ? version : (withFields()[shows ?? 'record'] ?? version));
    },
    isCurrent: (text) => {
      if (text === version) return facts.versionsTellAll === true;
      return text.startsWith(`${version}-`) && Object.values(withFields()).includes(text);
    },
  };
}

/** Browsers may store the answer and ask each time whether it is still right: it depends on who asks, and may change at once. */
export function headersOf({ tag }: TargetVersion): Record<string, string> {
  return { etag: tag, 'cache-control': 'private, no-cache' };
}

/** Throws `stale` where the target is not what `If-Match` names. */
export function requireCurrent({ ifMatch }: Preconditions, current: TargetVersion | undefined): void {
  if (ifMatch === undefined || current === undefined || matchesStrongly(ifMatch, current.isCurrent)) return;
  throw new ServiceError('stale', 'Somebody changed this since you read it; read it again and repeat your change');
}

/** Whether the caller has the answer already. */
export function isKnown({ ifNoneMatch }: Preconditions, current: TargetVersion | undefined): boolean {
  return ifNoneMatch !== undefined && current !== undefined && matchesWeakly(ifNoneMatch, current.isCurrent);
}

function recordOf(
  target: TargetKind,
  { account, repository, serviceAccount, dataConnection }: LoadedRequestData,
): Versioned {
  const records: Partial<Record<TargetKind, Versioned | undefined>> = {
    account,
    repository,
    service_account: serviceAccount,
    data_connection: dataConnection,
  };
  return records[target] ?? noVersion(target);
}

const repositoryFields = repositorySchema.omit({ data: true });
const serviceAccountFields = serviceAccountSchema.omit({ last_refused_sign_in: true });
const connectionFields = dataConnectionSchema.omit({ authentication: true });

/**
 * As much of the record as answers show of it. Everybody sees profiles: the tag of one must not tell an account's flags to
 * whoever tries out what they could be.
 */
function fieldsOf(
  target: TargetKind,
  { account, repository, serviceAccount, dataConnection }: LoadedRequestData,
): { record: unknown; profile?: unknown } {
  switch (target) {
    case 'account':
      return { record: accountSchema.parse(account), profile: account?.profile };
    case 'repository':
      return { record: repositoryFields.parse(repository) };
    case 'service_account':
      return { record: serviceAccountFields.parse(serviceAccount) };
    case 'data_connection': {
      // The sealed credentials stand for those that administrators see.
      const sealed = dataConnection?.sealed_authentication;
      return { record: { ...connectionFields.parse(dataConnection), sealed } };
    }
    default:
      return noVersion(target);
  }
}

function noVersion(target: TargetKind): never {
  throw new Error(`nothing with a version is loaded for ${target}`);
}

/** The same for the same fields, in whatever order the table gives them. */
function digestOf(fields: unknown): string {
  return createHash('sha256').update(JSON.stringify(fields, inOrder)).digest('base64url').slice(0, 16);
}

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
