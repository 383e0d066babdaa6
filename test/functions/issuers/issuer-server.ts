import { createServer } from 'node:http';
import { afterAll } from 'vitest';
import { listenOnLoopback } from '../../../lib/local/ports.ts';
import { TestIssuer } from '../../lib/sts/test-issuer.ts';

/** An HTTP server with any number of issuers, one for each path. They share their keys. */
export interface IssuerServer {
  /** Returns the issuer of a path, such as `/one`. */
  issuer(path: string): string;
  /** The paths of all requests for the keys. */
  fetched: string[];
  /** The published key IDs, or a response that is no key set. */
  publish(keys: readonly string[] | { status: number }): void;
}

/** Starts the server for the tests of this file. */
export async function issuerServer(): Promise<IssuerServer> {
  const { keys } = TestIssuer.create();
  const fetched: string[] = [];
  let published: readonly string[] | { status: number } = ['one'];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', url);
    const path = pathname.replace('/.well-known/openid-configuration', '');
    if (!pathname.endsWith('/jwks'))
      return void response.end(JSON.stringify({ issuer: url + path, jwks_uri: `${url}${path}/jwks` }));
    fetched.push(path.replace(/\/jwks$/, ''));
    if ('status' in published) return void response.writeHead(published.status).end();
    response.end(JSON.stringify({ keys: published.map((kid) => ({ ...keys[0], kid })) }));
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    issuer: (path) => url + path,
    fetched,
    publish: (next) => {
      published = next;
    },
  };
}
