import type { IncomingMessage, ServerResponse } from 'node:http';
import { isStreamed, type LocalResponse, sendBody } from '../in-process-http.ts';
import { answerRequest, type Serving } from './answer.ts';

/** Answers one request over HTTP. Never rejects: when the client has gone, or half an answer is out, the connection is closed. */
export async function serve(serving: Serving, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await answerRequest(serving, {
    method: message.method ?? '',
    target: message.url ?? '',
    rawHeaders: message.rawHeaders,
    chunks: () => bodyOf(message, response),
    hasLeft: () => message.destroyed && !message.complete,
  });
  try {
    writeHead(message, response, answer);
    // What breaks it off has been reported, if it was a fault.
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
  // When reading stops at a fault, a full disk say, the connection must stay open for the answer that says so.
  return { [Symbol.asyncIterator]: () => message.iterator({ destroyOnReturn: false }) };
}

function writeHead(message: IncomingMessage, response: ServerResponse, { status, headers }: LocalResponse): void {
  // The length comes last: Node writes a Content-Disposition that follows it in another encoding.
  const { 'content-length': length, ...fields } = headers;
  // A client that was never told to continue may send its body or not: only a new connection is unambiguous.
  const isAmbiguous = status >= 400 && message.headers.expect !== undefined && !message.readableEnded;
  response.writeHead(status, {
    ...fields,
    ...(isAmbiguous ? { connection: 'close' } : {}),
    ...(length === undefined ? {} : { 'content-length': length }),
  });
}
