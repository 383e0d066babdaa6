import { accessToken } from '../console/sign-in/session.ts';

// The page that opened this frame reads the renewed tokens from local storage. It trusts nothing in the message.
await accessToken().catch(() => undefined);
parent.postMessage('renewed', location.origin);
