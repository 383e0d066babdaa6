import { parseXml, xmlChildren, xmlText } from '../../domain/xml.ts';
import { deleteCondition } from './conditions.ts';
import { checkKey, invalidRequest, malformedXml, notImplemented, type ObjectStoreError, refusalOf } from './errors.ts';
import type { Call, StoreResponse } from './operation.ts';
import { receiveText } from './payload.ts';
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
    const refusal = deleteEntry(call, entry);
    if (refusal === undefined) deleted.push({ Key: entry.key });
    else errors.push({ Key: entry.key, Code: refusal.code, Message: refusal.message });
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

function deleteEntry({ bucket }: Call, { key, etag, versionId }: Entry): ObjectStoreError | undefined {
  try {
    checkKey(key);
    if (versionId !== undefined && versionId !== 'null') throw notImplemented('object versions');
    bucket.delete(key, deleteCondition(etag));
    return undefined;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}
