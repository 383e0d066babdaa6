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
  return JSON.parse((await readBounded(answer, bytesMax)).toString('utf8'));
};

/** Reads the body of an answer. Throws if it is larger than `bytesMax`. */
export async function readBounded({ body }: Response, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    // Throw inside the loop, because leaving the loop cancels the download.
    if (bytes > bytesMax) throw new Error(`the answer is larger than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
