import type { LocalResponse } from '../in-process-http.ts';
import { deleteCondition } from './conditions.ts';
import { ObjectStoreError, refusalOf } from './errors.ts';
import { checkKey } from './keys.ts';
import { type Call, xmlResponse } from './operation.ts';
import { receiveText } from './payload.ts';
import { childrenOf, findText, malformedXml, parseXml } from './xml/parse-xml.ts';
import type { XmlChild } from './xml/write-xml.ts';

const keysMax = 1000;
const documentBytesMax = 4 * 1024 * 1024;

/** DeleteObjects. Each key has its own result, so that a refused one does not stop the others. */
export async function deleteObjects(call: Call): Promise<LocalResponse> {
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
  const entries = childrenOf(root, 'Object').map((object) => {
    const key = findText(object, 'Key');
    if (key === undefined || key === '') throw malformedXml();
    return { key, etag: findText(object, 'ETag'), versionId: findText(object, 'VersionId') };
  });
  if (entries.length === 0 || entries.length > keysMax) throw malformedXml();
  return { entries, isQuiet: findText(root, 'Quiet')?.trim() === 'true' };
}

async function deleteEntry({ bucket }: Call, { key, etag, versionId }: Entry): Promise<readonly [string, XmlChild[]]> {
  try {
    checkKey(key);
    if (versionId !== undefined && versionId !== 'null') {
      throw new ObjectStoreError('NotImplemented', 'This development store does not support object versions.');
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
