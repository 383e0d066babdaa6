import { parseXml, xmlText } from '../../domain/xml.ts';
import { type Bucket, isDeleteMarker, type ObjectRecord, type VersionRecord } from './bucket.ts';
import { malformedXml, noSuchKey, ObjectStoreError } from './errors.ts';
import type { Call, StoreResponse } from './operation.ts';
import { receiveText } from './payload.ts';
import { xmlResponse } from './xml.ts';

const documentBytesMax = 64 * 1024;

export function getBucketVersioning({ bucket }: Call): StoreResponse {
  return xmlResponse('VersioningConfiguration', { Status: bucket.versioning });
}

export async function putBucketVersioning(call: Call): Promise<StoreResponse> {
  const { text } = await receiveText(call.body, documentBytesMax);
  const status = xmlText(parseXml(text, 'VersioningConfiguration'), 'Status');
  if (status !== 'Enabled' && status !== 'Suspended') throw malformedXml();
  call.bucket.setVersioning(status);
  return { status: 200, headers: {} };
}

/**
 * Returns the object that a request reads: the current one, or the version in the query. Throws NoSuchKey,
 * NoSuchVersion, and MethodNotAllowed for a version that is a delete marker.
 */
export function loadObject({ request: { key, query }, bucket }: Call): ObjectRecord {
  return loadVersion(bucket, key, query.get('versionId'));
}

export function loadVersion(bucket: Bucket, key: string, versionId: string | undefined): ObjectRecord {
  const found = bucket.findVersion(key, versionId);
  if (found !== undefined && !isDeleteMarker(found)) return found;
  const headers = found === undefined ? {} : { 'x-amz-delete-marker': 'true', ...versionHeader(bucket, found) };
  if (versionId === undefined) throw noSuchKey(key, headers);
  if (found === undefined) {
    throw new ObjectStoreError('NoSuchVersion', 'The specified version does not exist.', {
      Key: key,
      VersionId: versionId,
    });
  }
  const details = { Method: 'GET', ResourceType: 'DeleteMarker' };
  const sentence = 'The specified method is not allowed against this resource.';
  throw new ObjectStoreError('MethodNotAllowed', sentence, details, { ...headers, allow: 'DELETE' });
}

/** Returns the header with the ID of a version. S3 sends it only if versioning was enabled at some time. */
export function versionHeader(
  { versioning }: Bucket,
  { version_id }: Pick<VersionRecord, 'version_id'>,
): Record<string, string> {
  return versioning === undefined ? {} : { 'x-amz-version-id': version_id };
}
