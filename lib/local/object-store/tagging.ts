import { noSuchKey } from './keys.ts';
import type { Answer, Call } from './operation.ts';
import { receiveText } from './payload.ts';
import { parseTagXml, renderTagXml, type Tags } from './tags.ts';

const documentBytesMax = 64 * 1024;

export function getObjectTagging({ request, bucket }: Call): Answer {
  const record = bucket.objects.get(request.key);
  if (record === undefined) throw noSuchKey(request.key);
  return { status: 200, headers: { 'content-type': 'application/xml' }, body: renderTagXml(record.tags) };
}

export async function putObjectTagging(call: Call): Promise<Answer> {
  const { text } = await receiveText(call.body, documentBytesMax);
  await setTags(call, parseTagXml(text));
  return { status: 200, headers: {} };
}

export async function deleteObjectTagging(call: Call): Promise<Answer> {
  await setTags(call, []);
  return { status: 204, headers: {} };
}

async function setTags({ request, bucket }: Call, tags: Tags): Promise<void> {
  await bucket.change(request.key, (current) => {
    if (current === undefined) throw noSuchKey(request.key);
    return { ...current, tags };
  });
}
