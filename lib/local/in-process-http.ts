import type { Writable } from 'node:stream';

/** An HTTP request, received over a connection or from a caller in the same process. */
export interface LocalRequest {
  method: string;
  /** Path and query, percent-encoded. */
  target: string;
  /** Names and values in turn. */
  rawHeaders: readonly string[];
  /** Starts the body: a client that waits for `100 Continue` sends it from this call on. */
  chunks: () => AsyncIterable<Uint8Array>;
  /** Reports whether the client left in the middle of the body, which is no fault of the server. */
  hasLeft: () => boolean;
}

export interface LocalResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array | StreamedBody;
}

/** A body that is read while it is sent. The sender closes it in any case. */
export interface StreamedBody {
  /** Reads the first bytes. Until this settles, an error can still replace the response. */
  prepare(): Promise<void>;
  /** Leaves `target` open. When this throws, `target` must be destroyed: an end would make the part look whole. */
  sendTo(target: Writable): Promise<void>;
  close(): void;
}

export function isStreamed(body: LocalResponse['body']): body is StreamedBody {
  return typeof body === 'object' && 'sendTo' in body;
}

/** Sends a body and ends `target`. Throws as `StreamedBody.sendTo` does. */
export async function sendBody(body: LocalResponse['body'], target: Writable): Promise<void> {
  if (!isStreamed(body)) {
    target.end(body);
    return;
  }
  await body.sendTo(target);
  target.end();
}
