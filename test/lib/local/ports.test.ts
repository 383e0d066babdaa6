import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { findFreePort, LocalStartError, listenOnLoopback } from '../../../lib/local/ports.ts';

test('a taken port is one sentence that names the setting to change', async () => {
  const holder = createServer();
  onTestFinished(() => void holder.close());
  const port = await listenOnLoopback(holder, 0);
  const refused = listenOnLoopback(createServer(), port, 'SLUICE_API_PORT');
  await expect(refused).rejects.toThrow(LocalStartError);
  await expect(refused).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is taken: stop the program that uses it, or set SLUICE_API_PORT to another port (0 picks a free one).`,
  );
});

test('a free port can be listened on', async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  const port = await findFreePort();
  expect(await listenOnLoopback(server, port)).toBe(port);
});
