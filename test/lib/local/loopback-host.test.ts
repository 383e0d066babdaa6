import { describe, expect, test } from 'vitest';
import { isLoopbackHost } from '../../../lib/local/web-server.ts';

describe('a Host header names this machine', () => {
  test.each(['127.0.0.1', '127.0.0.1:8787', 'localhost', 'LocalHost:8787', '[::1]:8787'])('%s', (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  test.each([
    undefined,
    '',
    'example.com',
    'localhost.example.com',
    '127.0.0.1.example.com',
    'example.com:127.0.0.1',
    'x@localhost',
    'tide-institute.localhost',
    '0.0.0.0',
  ])('not %s', (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });

  test('a name below localhost only when the server uses virtual hosts', () => {
    expect(isLoopbackHost('tide-institute.localhost:8788', { subdomains: true })).toBe(true);
    expect(isLoopbackHost('evil.localhost.example.com', { subdomains: true })).toBe(false);
    expect(isLoopbackHost('.localhost@evil', { subdomains: true })).toBe(false);
  });
});
