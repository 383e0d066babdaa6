import type { IncomingMessage, ServerResponse } from 'node:http';
import { isStreamed, type LocalResponse, sendBody } from '../in-process-http.ts';
import { respond, type Serving } from './answer.ts';

/**
 * Answers one request over HTTP. Never rejects: when the client leaves or the response fails half-way, it closes the
 * connection.
 */
export async function serve(serving: Serving, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await respond(serving, {
    method: message.method ?? '',
    target: message.url ?? '',
    rawHeaders: message.rawHeaders,
    chunks: () => bodyOf(message, response),
    hasLeft: () => message.destroyed && !message.complete,
  });
  try {
    writeHead(message, response, answer);
    // The fault that ended the body is already reported.
    await sendBody(answer.body, response).catch(() => response.destroy());
  } catch (error) {
    serving.onFault(error);
    response.destroy();
  } finally {
    if (isStreamed(answer.body)) answer.body.close();
  }
}

function bodyOf(message: IncomingMessage, response: ServerResponse): AsyncIterable<Uint8Array> {
  if (message.headers.expect !== undefined) response.writeContinue();
  // When reading stops at a fault, such as a full disk, the connection must stay open for the error response.
  return { [Symbol.asyncIterator]: () => message.iterator({ destroyOnReturn: false }) };
}

function writeHead(message: IncomingMessage, response: ServerResponse, { status, headers }: LocalResponse): void {
  // The length comes last: Node writes a Content-Disposition after it in another encoding.
  const { 'content-length': length, ...fields } = headers;
  // A client that got no `100 Continue` may or may not send its body. Only a new connection is unambiguous.
  const isAmbiguous = status >= 400 && message.headers.expect !== undefined && !message.readableEnded;
  response.writeHead(status, {
    ...fields,
    ...(isAmbiguous ? { connection: 'close' } : {}),
    ...(length === undefined ? {} : { 'content-length': length }),
  });
}
