import { consolePath, renewalFrame } from '../../lib/pages/site/console-configuration.ts';
import { claimMs, type SignIn } from './stored.ts';

const renewalMsMax = 20_000;

/**
 * Renews the tokens in a hidden frame of the site, because public pages may not connect to the issuer. Resolves even
 * when the renewal fails.
 */
export async function renewInFrame({ refresh_token }: SignIn): Promise<void> {
  if (refresh_token === undefined) return;
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.title = 'Sign-in';
  frame.src = `${consolePath}?frame=${renewalFrame}`;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, renewalMsMax);
  const listen = ({ source, origin }: MessageEvent) => {
    if (source === frame.contentWindow && origin === location.origin) resolve();
  };
  addEventListener('message', listen);
  document.body.append(frame);
  await promise;
  clearTimeout(timer);
  removeEventListener('message', listen);
  // Keep the frame for this time. While it exists, no other tab uses the old refresh token again.
  setTimeout(() => frame.remove(), claimMs);
}
