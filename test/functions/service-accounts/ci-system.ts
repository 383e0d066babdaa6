import { createServer } from 'node:http';
import { listenOnLoopback } from '../../../lib/local/ports.ts';
import { TestIssuer } from '../../lib/sts/test-issuer.ts';

export interface CiSystem {
  issuer: string;
  token(claims: Record<string, unknown>): string;
  close(): Promise<void>;
}

/** Starts a second CI system on this machine, which publishes its keys by OpenID Connect Discovery. */
export async function startCiSystem(): Promise<CiSystem> {
  const keys = TestIssuer.create();
  let issuer = '';
  const server = createServer((request, response) => {
    const answers: Record<string, unknown> = {
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/jwks` },
      '/jwks': { keys: keys.keys },
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers[request.url ?? ''] ?? {}));
  });
  issuer = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
  return {
    issuer,
    token: (claims) => {
      const seconds = Math.floor(Date.now() / 1000);
      return keys.token({ iss: issuer, iat: seconds, exp: seconds + 300, ...claims });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
