import { consolePath } from '../../../lib/pages/site/console-configuration.ts';
import {
  type LookupAnswer,
  type LookupRequest,
  repositoryLookupFrame,
} from '../../../lib/pages/site/machines/repository-lookup.ts';

/**
 * The time within which the iframe must load and answer. The iframe's own request to the CI system has a timeout of 5
 * seconds.
 */
const frameMsMax = 15_000;

/**
 * Requests the numeric IDs of a repository through an iframe, because only the iframe's document may connect to the CI
 * systems. The console's Content Security Policy forbids it for the console, so that injected script cannot send data
 * there.
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
