import { lookup } from 'node:dns/promises';
import type { ResolveHost } from '../management/connection-test/probe.ts';

export const resolveHost: ResolveHost = (host) => lookup(host, { all: true });
