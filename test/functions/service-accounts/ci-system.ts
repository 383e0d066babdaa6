import { TestIssuer } from '../../lib/sts/test-issuer.ts';
import { serve } from '../../service/http-server.ts';

export interface CiSystem {
  issuer: string;
  token(claims: Record<string, unknown>): string;
  close(): Promise<void>;
}

/** Starts a second CI system on this machine, which publishes its keys by OpenID Connect Discovery. */
export async function startCiSystem(): Promise<CiSystem> {
  const keys = TestIssuer.create();
  const { url, close } = await serve((request, response) => {
    const answers: Record<string, unknown> = {
      '/.well-known/openid-configuration': { issuer: url, jwks_uri: `${url}/jwks` },
      '/jwks': { keys: keys.keys },
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers[request.url ?? ''] ?? {}));
  });
  return {
    issuer: url,
    token: (claims) => {
      const seconds = Math.floor(Date.now() / 1000);
      return keys.token({ iss: url, iat: seconds, exp: seconds + 300, ...claims });
    },
    close,
  };
}
