import { expect, test } from 'vitest';
import { loadFixture } from './fixture.ts';
import { Kernel } from './kernel.ts';
import { MemoryTable } from './memory-table/memory-table.ts';
import { SimulatedService } from './service.ts';

test('the transfer of a repository ends an invitation that the index does not show yet', async () => {
  const { items, now } = await loadFixture();
  const kernel = new Kernel(new MemoryTable(items));
  kernel.now = now;
  const service = new SimulatedService(kernel, 'late indexes');
  const send = async (identity: string, path: string, body?: unknown) => {
    const sent = service.manage({ label: path }, `Bearer ${identity}`, 'POST', path, body);
    const { status, body: answer } = await kernel.runUntilDone(sent);
    expect(status).toBeLessThan(300);
    return answer;
  };
  const { transfer_id } = await send('ada', '/repositories/tides/closed/transfers', { to: 'ben' });
  kernel.table.areIndexesLate = true;
  const invited = { account_id: 'cyd', role: 'read_data' };
  const { membership_id } = await send('ada', '/repositories/tides/closed/members', invited);
  await send('ben', `/transfers/${transfer_id}/accept`);
  await kernel.runUntil(kernel.now + 10_000);
  const membership = kernel.table.items().find((item) => item['membership_id'] === membership_id);
  expect(membership).toMatchObject({ state: 'revoked' });
});
