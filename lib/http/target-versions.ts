import {
  formatEntityTag,
  matchesStrongly,
  matchesWeakly,
  parseTagCondition,
  type TagCondition,
} from '../domain/entity-tags.ts';
import { invalidInput, ServiceError } from '../domain/errors.ts';
import type { Versioned } from '../domain/versions.ts';
import type { Operation, TargetKind } from '../operations/operation.ts';
import type { LoadedRequestData } from './targets.ts';

export interface Preconditions {
  ifMatch?: TagCondition | undefined;
  ifNoneMatch?: TagCondition | undefined;
}

/**
 * Parses `If-Match` and `If-None-Match` if the operation supports them. Throws `field_invalid` for a malformed header.
 */
export function readPreconditions(
  { kind, etag }: Pick<Operation, 'kind' | 'etag'>,
  headers: Readonly<Record<string, string | undefined>>,
): Preconditions {
  const [ifMatch, ifNoneMatch] = [headers['if-match'], headers['if-none-match']];
  return {
    ifMatch: kind !== 'change' || ifMatch === undefined ? undefined : conditionOf('If-Match', ifMatch),
    ifNoneMatch:
      etag !== 'target_only' || ifNoneMatch === undefined ? undefined : conditionOf('If-None-Match', ifNoneMatch),
  };
}

function conditionOf(path: string, header: string): TagCondition {
  const condition = parseTagCondition(header);
  if (condition !== undefined) return condition;
  const message = 'must be * or the unchanged ETag of an earlier response, with its quotation marks, such as "v3"';
  throw invalidInput([{ path, message }]);
}

/**
 * Returns the ETag's text for the record that the operation shows or changes. Returns undefined for operations without
 * a record.
 */
export function tagOfTarget(operation: Operation, loaded: LoadedRequestData): string | undefined {
  const { kind, etag, target } = operation;
  return etag === undefined && kind !== 'change' ? undefined : `v${recordOf(target, loaded).version}`;
}

/**
 * Returns the headers of a response that shows a record. Browsers may store the response but must revalidate it for
 * each use, because its body depends on the caller.
 */
export function headersOf(tag: string): Record<string, string> {
  return { etag: formatEntityTag(tag), 'cache-control': 'private, no-cache' };
}

/** Throws `stale` if the current version of the record does not match `If-Match`. */
export function requireCurrent({ ifMatch }: Preconditions, tag: string | undefined): void {
  if (ifMatch === undefined || tag === undefined || matchesStrongly(ifMatch, (text) => text === tag)) return;
  throw new ServiceError('stale', 'The resource changed after you read it; read it again and repeat your change');
}

/** Returns true if the client already has the current version of the record (`If-None-Match`). */
export function isKnown({ ifNoneMatch }: Preconditions, tag: string | undefined): boolean {
  return ifNoneMatch !== undefined && tag !== undefined && matchesWeakly(ifNoneMatch, (text) => text === tag);
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
  const record = records[target];
  if (record === undefined) throw new Error(`nothing with a version is loaded for ${target}`);
  return record;
}
