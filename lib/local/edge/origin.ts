import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { CloudFrontHeaders } from 'aws-lambda';
import { EdgeFailure } from './edge-failure.ts';
import type { OriginBoundRequest } from './function-results.ts';
import type { IncludedBody } from './included-body.ts';

export interface OriginAgents {
  http: http.Agent;
  https: https.Agent;
}

interface OriginExchange extends OriginBoundRequest {
  body: IncludedBody;
  requestId: string;
  agents: OriginAgents;
  /** The viewer's side, of which the pace is that of the whole. */
  viewer: IncomingMessage;
  response: ServerResponse;
  /** Aborted when the viewer is gone. */
  signal: AbortSignal;
}

/**
 * Sends a request to the origin that a function chose and returns the origin's answer, its body unread. The
 * upload goes on beside the answer, until the viewer has the whole answer.
 *
 * @throws EdgeFailure 502 when the origin cannot be reached or breaks off, 504 when it is silent for its read timeout
 */
export async function askOrigin(exchange: OriginExchange, isRetry = false): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = openRequest(exchange);
  sent.once('response', resolve);
  // Stays after the answer has begun: an origin that refuses an upload early closes while we still write.
  sent.on('error', reject);
  exchange.response.once('finish', () => {
    if (!sent.writableEnded) sent.destroy();
  });
  watchSilence(sent, exchange);
  exchange.body.sendTo(sent);
  try {
    return await promise;
  } catch (error) {
    // An idle connection that the origin closed while we took it up again.
    const wasClosed = error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && sent.reusedSocket;
    if (wasClosed && !isRetry && !exchange.body.truncated) return askOrigin(exchange, true);
    if (error instanceof EdgeFailure) throw error;
    throw new EdgeFailure(502, 'BadGateway', 'The storage could not be reached; try again.', { cause: error });
  }
}

function openRequest({ request, origin, requestId, agents, signal }: OriginExchange): ClientRequest {
  const path = `${origin.path}${request.uri}`;
  const headers = {
    host: origin.domainName,
    ...toNodeHeaders(origin.customHeaders),
    ...toNodeHeaders(request.headers),
  };
  try {
    // Never through a URL object: it would resolve the `..` and `.` that are part of a key.
    return (origin.protocol === 'https' ? https : http).request({
      agent: agents[origin.protocol],
      host: origin.domainName,
      port: origin.port,
      method: request.method,
      path: request.querystring === '' ? path : `${path}?${request.querystring}`,
      headers: { ...headers, 'x-amz-cf-id': requestId },
      timeout: origin.readTimeout * 1000,
      signal,
    });
  } catch (error) {
    throw new EdgeFailure(502, 'BadGateway', 'The function returned what cannot be sent.', { cause: error });
  }
}

/** Ends an exchange in which the origin is silent for its read timeout, unless it is the viewer who keeps us waiting. */
function watchSilence(sent: ClientRequest, { origin, viewer, response, body }: OriginExchange): void {
  sent.on('timeout', () => {
    const awaitsUpload = body.truncated && !viewer.readableEnded && sent.writableLength === 0;
    if (awaitsUpload || response.writableNeedDrain) {
      sent.socket?.setTimeout(origin.readTimeout * 1000);
      return;
    }
    sent.destroy(new EdgeFailure(504, 'GatewayTimeout', 'The storage did not answer in time; try again.'));
  });
}

export function toNodeHeaders(headers: CloudFrontHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, fields]) => {
      const values = fields.map(({ value }) => value);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}
