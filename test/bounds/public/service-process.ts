import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { createClient } from '../../service/client.ts';
import { loader } from '../../service/loader.ts';
import { userToken } from '../../service/user-tokens.ts';
import type { ProcessMessage, ProcessUsage, ServiceProcess, ServiceProcessOptions } from './measured-process.ts';

/** A request in the form in which it is written to the socket. */
export interface SentRequest {
  to: 'site' | 'data';
  method: string;
  path: string;
  headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  body?: string | Uint8Array | undefined;
}

export interface Received {
  status: number;
  bytes: number;
  text: string;
}

export interface Measured extends Received {
  cpuMs: number;
  /** The peak of the resident memory, minus the memory of the idle process. */
  memoryBytes: number;
  requestBytes: number;
}

/** Starts the service in a separate process, and measures the cost of each request. */
export async function startMeasuredService(options: ServiceProcessOptions) {
  const child = fork(new URL('./measured-process.ts', import.meta.url), [JSON.stringify(options)], {
    execArgv: [...loader, '--expose-gc', '--max-semi-space-size=4'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.setMaxListeners(0);
  const started: ServiceProcess = await next(child);
  const agent = new http.Agent({ keepAlive: true });
  const tell = async (message: ProcessMessage): Promise<ProcessUsage> => {
    child.send(message);
    return next(child);
  };
  const send = (request: SentRequest) =>
    exchange(request.to === 'site' ? started.apiUrl : started.dataUrl, request, agent);
  let idleBytes = 0;
  return {
    ...started,
    send,
    user: async (sub: string) => {
      const service = { identity: { url: started.identityUrl } } as never;
      return createClient(started.apiUrl, { authorization: `Bearer ${await userToken(service, sub)}` });
    },
    /** Sets the idle memory to the current memory of the process. */
    async settle() {
      idleBytes = (await tell('begin clean')).residentBytes;
      return idleBytes;
    },
    async measure(request: SentRequest, isClean = false): Promise<Measured> {
      const before = await tell(isClean ? 'begin clean' : 'begin');
      const received = await send(request);
      const after = await tell('end');
      return {
        ...received,
        cpuMs: after.cpuMs - before.cpuMs,
        memoryBytes: Math.max(0, after.peakBytes - (isClean ? before.residentBytes : idleBytes)),
        requestBytes: bytesOf(request),
      };
    },
    async close() {
      agent.destroy();
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}
export type MeasuredService = Awaited<ReturnType<typeof startMeasuredService>>;

async function next<T>(child: ChildProcess): Promise<T> {
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('the service ended: out of memory?')));
  failed.catch(() => undefined);
  return (await Promise.race([once(child, 'message'), failed]))[0];
}

function bytesOf({ method, path, headers = {}, body = '' }: SentRequest): number {
  const fields = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => name.length + value.length + 4),
  );
  return method.length + path.length + 12 + fields.reduce((sum, length) => sum + length, 0) + Buffer.byteLength(body);
}

async function exchange(
  url: string,
  { method, path, headers, body }: SentRequest,
  agent: http.Agent,
): Promise<Received> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const sent = http.request({ hostname, port, method, path, agent, headers: headers as http.OutgoingHttpHeaders });
  sent.once('response', resolve);
  sent.once('error', reject);
  sent.end(body);
  const answer = await promise;
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  return { status: answer.statusCode ?? 0, bytes: whole.length, text: whole.toString('utf8', 0, 4096) };
}
