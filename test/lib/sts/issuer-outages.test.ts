import type { RequestListener, ServerResponse } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { fetchJson } from '../../../lib/sts/fetch-json.ts';
import { createIssuerKeyCache } from '../../../lib/sts/issuer-keys.ts';
import { createIdentityTokenVerifier } from '../../../lib/sts/token-verifier.ts';
import { serveInFile } from '../../service/http-server.ts';
import { ExchangeSetup, requestId } from './exchange-setup.ts';
import { TestIssuer } from './test-issuer.ts';

/** An exchange whose CI issuer is reached over a real connection. A test chooses the issuer's key responses. */
let setup: ExchangeSetup;
let issuer: TestIssuer;
let answerKeys: RequestListener;
let connections: number;
const url = await serveInFile((request, response) => {
  connections += 1;
  if (request.url === '/jwks') answerKeys(request, response);
  else response.end(JSON.stringify(issuer.discovery));
});

beforeEach(() => {
  connections = 0;
  issuer = new TestIssuer(url);
  for (const [kid, key] of TestIssuer.create().privateKeys) issuer.privateKeys.set(kid, key);
  issuer.keys = TestIssuer.create().keys;
  answerKeys = publish;
  setup = new ExchangeSetup();
  const clock = () => setup.now;
  setup.dependencies.identityTokens = createIdentityTokenVerifier({
    userClients: async () => undefined,
    issuers: [{ issuer: issuer.url, kind: 'github', algorithms: ['RS256'] }],
    findKeys: createIssuerKeyCache({ fetchJson, clock }),
    clock,
  });
  setup.trust(undefined, 'github', issuer.url);
});

const publish: RequestListener = (_, response) => response.end(JSON.stringify({ keys: issuer.keys }));
const signIn = () => setup.exchange({ WebIdentityToken: issuer.token(setup.claims({ iss: issuer.url })) });

const answers: [string, (response: ServerResponse) => void][] = [
  ['huge', (response) => response.end(JSON.stringify({ keys: [], padding: 'x'.repeat(256 * 1024) }))],
  ['slow', (response) => void response.write('{"keys":[')],
  ['an HTML page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sorry</html>')],
  ['empty', (response) => response.end()],
  ['an empty object', (response) => response.end('{}')],
  ['a set without keys', (response) => response.end('{"keys":[]}')],
  ['an error', (response) => response.writeHead(503).end(JSON.stringify({ keys: issuer.keys }))],
  ['a redirect', (response) => response.writeHead(302, { location: '/elsewhere' }).end()],
  ['truncated', (response) => response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy())],
];

describe('when the key document of an issuer is', () => {
  test.each(answers)(
    '%s, the exchange reports an unreachable issuer, and fetches again after ten seconds',
    async (_, answer) => {
      answerKeys = (_request, response) => answer(response);
      const refused = await signIn();
      expect(refused).toMatchObject({ status: 400, code: 'IDPCommunicationError' });
      expect(refused.message).toBe(
        `The token&apos;s issuer did not return its keys; try again in a minute (request id ${requestId})`,
      );
      expect(setup.reported).toHaveLength(1);
      expect(setup.store.requests).toEqual([]);

      const before = connections;
      answerKeys = publish;
      setup.now += 9_999;
      expect((await signIn()).code).toBe('IDPCommunicationError');
      expect(connections).toBe(before);
      setup.now += 1;
      expect((await signIn()).status).toBe(200);
    },
  );

  test.each(answers.filter(([name]) => name !== 'slow'))(
    '%s after a successful fetch, its keys remain valid for a day',
    async (_, answer) => {
      expect((await signIn()).status).toBe(200);
      answerKeys = (_request, response) => answer(response);
      for (let hour = 0; hour < 23; hour += 1) {
        setup.now += 3_600_000;
        expect((await signIn()).status).toBe(200);
      }
      setup.now += 3_600_000;
      expect((await signIn()).code).toBe('IDPCommunicationError');
    },
  );
});
