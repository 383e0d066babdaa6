import type { FetchJson } from './issuer-keys.ts';

/**
 * Fetches JSON within a time limit and a size limit. Rejects redirects, because the service trusts only the configured
 * host.
 */
export const fetchJson: FetchJson = async (url, { timeoutMs, bytesMax }) => {
  const answer = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!answer.ok || answer.body === null) {
    await answer.body?.cancel();
    throw new Error(`status ${answer.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    // Throws in the loop, which also cancels the download.
    if (bytes > bytesMax) throw new Error(`the answer is larger than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
};
