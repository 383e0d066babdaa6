import { parseXml, xmlChildren, xmlText } from '../../domain/xml.ts';
import { checkKey, invalidRequest, malformedXml, ObjectStoreError, refusalOf } from './errors.ts';
import type { Call, StoreResponse } from './operation.ts';
import { receiveText } from './payload.ts';
import { deleteKey } from './write-object.ts';
import { type XmlFields, xmlResponse } from './xml.ts';

const keysMax = 1000;
const documentBytesMax = 4 * 1024 * 1024;

/** Implements DeleteObjects. Each key has its own result. If one key is refused, the others are still deleted. */
export async function deleteObjects(call: Call): Promise<StoreResponse> {
  const { headers } = call.request;
  const { text, checksum } = await receiveText(call.body, documentBytesMax);
  if (headers['content-md5'] === undefined && checksum === undefined) {
    throw invalidRequest('Missing required header for this request: Content-MD5 OR x-amz-checksum-*');
  }
  const { entries, isQuiet } = readDocument(text);
  const deleted: XmlFields[] = [];
  const errors: XmlFields[] = [];
  for (const entry of entries) {
    const result = deleteEntry(call, entry);
    const named = { Key: entry.key, VersionId: entry.versionId };
    if (result instanceof ObjectStoreError) errors.push({ ...named, Code: result.code, Message: result.message });
    else deleted.push({ ...named, ...result });
  }
  return xmlResponse('DeleteResult', { Deleted: isQuiet ? undefined : deleted, Error: errors });
}

interface Entry {
  key: string;
  etag: string | undefined;
  versionId: string | undefined;
}

function readDocument(text: string): { entries: Entry[]; isQuiet: boolean } {
  const root = parseXml(text, 'Delete');
  const entries = xmlChildren(root, 'Object').map((object) => {
    const key = xmlText(object, 'Key');
    if (key === undefined || key === '') throw malformedXml();
    return { key, etag: xmlText(object, 'ETag'), versionId: xmlText(object, 'VersionId') };
  });
  if (entries.length === 0 || entries.length > keysMax) throw malformedXml();
  return { entries, isQuiet: xmlText(root, 'Quiet')?.trim() === 'true' };
}

/** Deletes one entry of the document. Returns the elements that describe a delete marker, or the error. */
function deleteEntry(call: Call, entry: Entry): ObjectStoreError | XmlFields {
  try {
    checkKey(entry.key);
    const headers = deleteKey(call, entry);
    if (headers['x-amz-delete-marker'] === undefined) return {};
    return { DeleteMarker: true, DeleteMarkerVersionId: headers['x-amz-version-id'] };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}
