import type { BodyDecoding, Decision, EdgeRequest, ShownAnswer } from '../domain/decision.ts';
import { limits } from '../domain/limits.ts';
import { openToPages } from '../s3/cors.ts';
import { decideObjectRequest, type ObjectDependencies } from '../s3/decide.ts';
import { errorContext, renderError } from '../s3/errors.ts';
import { signedChunksRefused } from '../s3/payload.ts';
import { carryOut, edgeRequestFrom } from './edge-events.ts';
import { type EdgeLog, type OriginRequestHandler, respond } from './edge-handlers.ts';
import { fetchFromStorage } from './edge-relay.ts';

export interface ObjectServices extends ObjectDependencies {
  log: EdgeLog;
  /** Has a forwarded body decoded on its way, where our code holds the stream. CloudFront shows nobody a whole body. */
  decodeBody?: (requestId: string, decoding: BodyDecoding) => void;
}

/** Leaves CloudFront's own 30 s room for what is done with the answer. */
const relayLimits = { timeoutMs: 25_000, bytesMax: 8 * limits.edgeAnswerBytesMax };

export function createObjectHandler(services: ObjectServices): OriginRequestHandler {
  return async (event) => {
    const request = edgeRequestFrom(event);
    try {
      const decision = withDecodedBody(await decideObjectRequest(request, services), request, services);
      return await carryOut(readableByPages(decision), event, (asked, body) =>
        fetchFromStorage(asked, body, relayLimits),
      );
    } catch (error) {
      services.log({ request_id: request.requestId, failure: error });
      return respond(forPages(renderError(error, errorContext(request))), event);
    }
  };
}

function withDecodedBody(decision: Decision, request: EdgeRequest, { decodeBody }: ObjectServices): Decision {
  if (decision.kind !== 'forward' || decision.decoding === undefined) return decision;
  if (decodeBody === undefined) {
    return { kind: 'respond', answer: renderError(signedChunksRefused(), errorContext(request)) };
  }
  decodeBody(request.requestId, decision.decoding);
  return decision;
}

/** What is forwarded is made readable on the way back, by shape-response. */
function readableByPages(decision: Decision): Decision {
  switch (decision.kind) {
    case 'respond':
      return { ...decision, answer: forPages(decision.answer) };
    case 'relay':
      return { ...decision, rewrite: (answer) => forPages(decision.rewrite(answer)) };
    case 'forward':
      return decision;
  }
}

function forPages(answer: ShownAnswer): ShownAnswer {
  return { ...answer, headers: openToPages(answer.headers) };
}
