import { accessToken } from '../console/sign-in/session.ts';

// The parent page reads the renewed tokens from local storage. It trusts nothing in this message.
await accessToken().catch(() => undefined);
parent.postMessage('renewed', location.origin);
