import { parseXml, xmlChildren, xmlText } from '../../domain/xml.ts';
import { deleteCondition } from './conditions.ts';
import { checkKey, malformedXml, notImplemented, ObjectStoreError, refusalOf } from './errors.ts';
import { type Call, type StoreResponse, xmlResponse } from './operation.ts';
import { receiveText } from './payload.ts';
import type { XmlChild } from './xml.ts';

const keysMax = 1000;
const documentBytesMax = 4 * 1024 * 1024;

/** DeleteObjects. Each key has its own result, so that a refused one does not stop the others. */
export async function deleteObjects(call: Call): Promise<StoreResponse> {
  const { headers } = call.request;
  const { text, checksum } = await receiveText(call.body, documentBytesMax);
  if (headers['content-md5'] === undefined && checksum === undefined) {
    throw new ObjectStoreError(
      'InvalidRequest',
      'Missing required header for this request: Content-MD5 OR x-amz-checksum-*',
    );
  }
  const { entries, isQuiet } = readDocument(text);
  const results: XmlChild[] = [];
  for (const entry of entries) {
    const result = await deleteEntry(call, entry);
    if (!isQuiet || result[0] === 'Error') results.push(result);
  }
  return xmlResponse('DeleteResult', results);
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

async function deleteEntry({ bucket }: Call, { key, etag, versionId }: Entry): Promise<readonly [string, XmlChild[]]> {
  try {
    checkKey(key);
    if (versionId !== undefined && versionId !== 'null') {
      throw notImplemented('object versions');
    }
    await bucket.delete(key, deleteCondition(etag));
    return ['Deleted', [['Key', key]]];
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return [
      'Error',
      [
        ['Key', key],
        ['Code', refusal.code],
        ['Message', refusal.message],
      ],
    ];
  }
}
