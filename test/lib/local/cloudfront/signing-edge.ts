import type { BodyDecoding } from '../../../../lib/domain/data/decision.ts';
import type { OpenStore } from '../s3/open-store.ts';
import { header, startTestEdge } from './edge-setup.ts';
import { forwardTo } from './forwarding.ts';

interface SigningEdge {
  payloadHash?: string;
  /** Additional headers for the store. */
  headers?: Record<string, string>;
  decoding?: BodyDecoding | undefined;
}

/** Starts an edge whose function signs every request for the store, as serve-object does. */
export function startSigningEdge(opened: OpenStore, { headers = {}, decoding, ...setup }: SigningEdge) {
  return startTestEdge({
    decoding,
    serveObject: async (event) => {
      const cfId = event.Records[0]?.cf.config.requestId ?? '';
      const sign = forwardTo(opened.store.port, (request) => {
        const fields = opened.sign({
          method: request.method,
          path: request.uri,
          headers: { ...headers, 'x-amz-cf-id': cfId },
          payloadHash: setup.payloadHash ?? 'UNSIGNED-PAYLOAD',
        });
        // CloudFront adds this header after the function has run.
        delete fields['x-amz-cf-id'];
        request.headers = Object.assign({}, ...Object.entries(fields).map(([name, value]) => header(name, value)));
      });
      return sign(event);
    },
  });
}
