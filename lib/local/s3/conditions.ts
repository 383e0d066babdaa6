import type { HeaderFields } from '../../domain/data/decision.ts';
import { matchesWeakly, parseTagCondition } from '../../domain/entity-tags.ts';
import type { CheckCurrent, ObjectRecord } from './bucket.ts';
import { noSuchKey, ObjectStoreError } from './errors.ts';

/**
 * Evaluates the conditions of a read request. Returns true when the response is 304. Throws PreconditionFailed.
 * The order is that of S3 (API reference, GetObject; RFC 9110, section 13.2.2). An If-Match that is true overrides
 * If-Unmodified-Since. An If-None-Match that is true overrides If-Modified-Since.
 */
export function isNotModified(headers: HeaderFields, record: ObjectRecord): boolean {
  const failed = findFailedMatch(headers, '', record);
  if (failed !== undefined) throw preconditionFailed(failed);
  return findFailedNoneMatch(headers, '', record) !== undefined;
}

/** Checks the conditions of a copy request for the source object. Throws PreconditionFailed. */
export function checkCopySource(headers: HeaderFields, record: ObjectRecord): void {
  const prefix = 'x-amz-copy-source-';
  const failed = findFailedMatch(headers, prefix, record) ?? findFailedNoneMatch(headers, prefix, record);
  if (failed !== undefined) throw preconditionFailed(failed);
}

function findFailedMatch(headers: HeaderFields, prefix: string, record: ObjectRecord): string | undefined {
  const etags = headers[`${prefix}if-match`];
  if (etags !== undefined) return isEtagListed(etags, record) ? undefined : `${prefix}If-Match`;
  const since = parseHttpDate(headers[`${prefix}if-unmodified-since`]);
  return since !== undefined && record.last_modified > since ? `${prefix}If-Unmodified-Since` : undefined;
}

function findFailedNoneMatch(headers: HeaderFields, prefix: string, record: ObjectRecord): string | undefined {
  const etags = headers[`${prefix}if-none-match`];
  if (etags !== undefined) return isEtagListed(etags, record) ? `${prefix}If-None-Match` : undefined;
  const since = parseHttpDate(headers[`${prefix}if-modified-since`]);
  return since !== undefined && record.last_modified <= since ? `${prefix}If-Modified-Since` : undefined;
}

/**
 * Returns a function that checks the conditions of a write request. It runs before the body is read, and again when the
 * write takes effect. `before` is the object at the first check. If the object was deleted between the two checks, the
 * function throws a conflict, after which clients retry.
 */
export function writeCondition(headers: HeaderFields, before: ObjectRecord | undefined): CheckCurrent {
  const ifNoneMatch = headers['if-none-match'];
  const ifMatch = headers['if-match'];
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*') {
    throw new ObjectStoreError(
      'NotImplemented',
      'A header you provided implies functionality that is not implemented',
      { Header: 'If-None-Match' },
    );
  }
  return (current) => {
    if (ifNoneMatch !== undefined && current !== undefined) throw preconditionFailed('If-None-Match');
    if (ifMatch === undefined) return;
    if (current !== undefined) {
      if (!isEtagListed(ifMatch, current)) throw preconditionFailed('If-Match');
      return;
    }
    if (before === undefined) throw noSuchKey();
    throw new ObjectStoreError(
      'ConditionalRequestConflict',
      'The conditional request cannot succeed due to a conflicting operation against this resource.',
      { Condition: 'If-Match' },
    );
  };
}

/**
 * Returns a function that checks the condition of a delete request, which can only be an ETag. With a condition, a
 * missing key is an error (NoSuchKey). Without a condition, deleting a missing key succeeds.
 */
export function deleteCondition(etag: string | undefined): CheckCurrent {
  return (current) => {
    if (etag === undefined) return;
    if (current === undefined) throw noSuchKey();
    if (!isEtagListed(etag, current)) throw preconditionFailed('If-Match');
  };
}

/**
 * Returns true if a list of ETags contains the object's ETag. Accepts ETags with and without quotes, because clients
 * send both forms.
 */
export function isEtagListed(list: string, { etag }: Pick<ObjectRecord, 'etag'>): boolean {
  const condition = parseTagCondition(list, 's3');
  return condition !== undefined && matchesWeakly(condition, (text) => text === etag);
}

/** Parses a date. Returns undefined for an invalid date, so that its header is ignored (RFC 9110, section 13.1.3). */
export function parseHttpDate(text: string | undefined): number | undefined {
  const milliseconds = Date.parse(text ?? '');
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

function preconditionFailed(condition: string): ObjectStoreError {
  return new ObjectStoreError('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', {
    Condition: condition,
  });
}
