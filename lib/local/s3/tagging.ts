import type { LocalResponse } from '../in-process-http.ts';
import { noSuchKey } from './keys.ts';
import type { Call } from './operation.ts';
import { receiveText } from './payload.ts';
import { parseTagXml, renderTagXml, type Tags } from './tags.ts';

const documentBytesMax = 64 * 1024;

export function getObjectTagging({ request, bucket }: Call): LocalResponse {
  const record = bucket.objects.get(request.key);
  if (record === undefined) throw noSuchKey(request.key);
  return { status: 200, headers: { 'content-type': 'application/xml' }, body: renderTagXml(record.tags) };
}

export async function putObjectTagging(call: Call): Promise<LocalResponse> {
  const { text } = await receiveText(call.body, documentBytesMax);
  await setTags(call, parseTagXml(text));
  return { status: 200, headers: {} };
}

export async function deleteObjectTagging(call: Call): Promise<LocalResponse> {
  await setTags(call, []);
  return { status: 204, headers: {} };
}

async function setTags({ request, bucket }: Call, tags: Tags): Promise<void> {
  await bucket.change(request.key, (current) => {
    if (current === undefined) throw noSuchKey(request.key);
    return { ...current, tags };
  });
}
