import http from 'node:http';
import { connect } from 'node:net';

interface SentRequest {
  method?: string;
  /** The path is sent unchanged, without encoding or resolving. */
  path?: string;
  headers?: http.OutgoingHttpHeaders;
  body?: string | Uint8Array;
}

export interface ReceivedAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

export async function send(port: number, { method = 'GET', path = '/', headers = {}, body }: SentRequest = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const request = http.request({ host: '127.0.0.1', port, method, path, headers, agent: false });
  request.on('response', resolve).on('error', reject);
  request.end(body);
  return readAnswer(await promise);
}

export async function readAnswer(answer: http.IncomingMessage): Promise<ReceivedAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) };
}

/** Writes text to a connection and returns everything received until it closes. */
export async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  let received = '';
  for await (const chunk of socket) received += chunk;
  return received;
}
