import type { Answer, Exchange } from './exchange.ts';
import { noSuchKey } from './keys.ts';
import { receiveText } from './payload.ts';
import { parseTagXml, renderTagXml, type Tags } from './tags.ts';

const documentBytesMax = 64 * 1024;

export function getObjectTagging({ request, bucket }: Exchange): Answer {
  const record = bucket.objects.get(request.key);
  if (record === undefined) throw noSuchKey(request.key);
  return { status: 200, headers: { 'content-type': 'application/xml' }, body: renderTagXml(record.tags) };
}

export async function putObjectTagging(exchange: Exchange): Promise<Answer> {
  const { text } = await receiveText(exchange.body, documentBytesMax);
  await setTags(exchange, parseTagXml(text));
  return { status: 200, headers: {} };
}

export async function deleteObjectTagging(exchange: Exchange): Promise<Answer> {
  await setTags(exchange, []);
  return { status: 204, headers: {} };
}

async function setTags({ request, bucket }: Exchange, tags: Tags): Promise<void> {
  await bucket.change(request.key, (current) => {
    if (current === undefined) throw noSuchKey(request.key);
    return { ...current, tags };
  });
}
