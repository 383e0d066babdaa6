import {
  type LookupAnswer,
  type LookupRequest,
  repositoryLookupFrame,
} from '../../../lib/pages/site/machines/repository-lookup.ts';
import { consolePath } from '../router.ts';

/** The time for the frame to load and to answer. The frame itself waits 5 seconds for the CI system. */
const frameMsMax = 15_000;

/**
 * Requests the numeric IDs of a repository through a frame, whose document may connect to the CI systems. The console
 * may not: an attack on it could otherwise send data there.
 */
export async function lookUpRepository(asked: LookupRequest): Promise<LookupAnswer> {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.title = 'Numeric IDs of a repository';
  frame.src = `${consolePath}?frame=${repositoryLookupFrame}`;
  const { promise, resolve } = Promise.withResolvers<LookupAnswer>();
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }: MessageEvent<LookupAnswer>) => resolve(data);
  frame.onload = () => frame.contentWindow?.postMessage(asked, location.origin, [port2]);
  const timer = setTimeout(() => resolve({ kind: 'failed', reason: 'no_answer' }), frameMsMax);
  document.body.append(frame);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    frame.remove();
    port1.close();
  }
}
