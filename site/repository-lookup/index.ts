import {
  type LookupAnswer,
  type LookupRequest,
  lookupUrl,
  parseLookup,
} from '../../lib/pages/site/machines/repository-lookup.ts';

/** The maximum time and length of a response of a CI system. A response from GitHub has about 7 KB. */
const answerMsMax = 5000;
const answerLengthMax = 131_072;

addEventListener('message', ({ data, origin, source, ports: [port] }: MessageEvent<LookupRequest>) => {
  if (origin !== location.origin || source !== parent || port === undefined) return;
  void lookUp(data).then((answer) => port.postMessage(answer));
});

/** Requests the numeric IDs of a repository from the public API of the CI system that hosts it. */
async function lookUp(asked: LookupRequest): Promise<LookupAnswer> {
  const url = lookupUrl(asked);
  if (url === undefined) return { kind: 'failed', reason: 'unexpected' };
  const ends = new AbortController();
  const timer = setTimeout(() => ends.abort(), answerMsMax);
  try {
    const response = await fetch(url, {
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      signal: ends.signal,
    });
    if (response.status === 404) return { kind: 'failed', reason: 'not_public' };
    if (response.status === 403 || response.status === 429) return { kind: 'failed', reason: 'rate_limited' };
    if (!response.ok) return { kind: 'failed', reason: 'unexpected' };
    return parseLookup(asked.kind, await boundedText(response));
  } catch {
    return { kind: 'failed', reason: 'no_answer' };
  } finally {
    clearTimeout(timer);
    ends.abort();
  }
}

/** Returns the text of a response. Returns an empty text if the response is too long. */
async function boundedText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let text = '';
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return text;
    text += decoder.decode(value, { stream: true });
    if (text.length > answerLengthMax) return '';
  }
}
