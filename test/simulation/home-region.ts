import { ciTokenOf, serviceAccountId } from './capabilities/service-accounts.ts';
import { loadFixture } from './fixture.ts';
import { Kernel } from './kernel.ts';
import { MemoryTable } from './memory-table/memory-table.ts';
import { type Answered, edgeCount, nodeOf, SimulatedService } from './service.ts';

const outageSeconds = 600;
const everySeconds = 5;

/** The measurements of one function during an outage of the home region. */
export interface OutageRow {
  name: string;
  /** Seconds from the beginning of the outage to the last success, in steps of five. Undefined without a success. */
  lastSuccess: number | undefined;
  /** The statuses of the refusals, and their `Retry-After`. */
  refusals: string[];
  /** The seconds from the end of the outage to the first success. */
  firstSuccess: number | undefined;
}

/** Cuts a warm edge and the management API off the table, and uses each function every five seconds. */
export async function measureOutage(): Promise<OutageRow[]> {
  const { items, now, credentials, secrets } = await loadFixture();
  const kernel = new Kernel(new MemoryTable(items));
  kernel.now = now;
  const service = new SimulatedService(kernel, 'outage');
  const [anyone, , session] = credentials;
  const role = `arn:aws:iam::${serviceAccountId}:role/FullAccess`;
  const [key = ''] = secrets.values();
  const read = (path: string, credential = session) => service.object(sending(), 0, 'GET', path, credential?.signing);
  let sent = 0;
  const sending = () => ({ label: `outage ${++sent}` });
  const functions: [string, () => Promise<Answered>][] = [
    ['exchange of a key', () => service.exchange(sending(), 0, role, key)],
    ['exchange of a CI token', () => service.exchange(sending(), 0, role, ciTokenOf('main', kernel.now))],
    ['write to a repository', () => service.object(sending(), 0, 'PUT', '/tides/closed/object', session?.signing)],
    ['read of a private repository', () => read('/tides/closed/object')],
    ['read of open data, not cached in CloudFront', () => read('/tides/open/object', anyone)],
    ['list of the repositories of an account', () => read('/tides?list-type=2&delimiter=/')],
    ['management call', () => service.manage(sending(), 'Bearer ada', 'GET', '/service-accounts/tides--sync')],
  ];
  const round = () => {
    const startedAt = kernel.now;
    const timed = functions.map(async ([, use]) => {
      const { status = 0, retryAfter } = await use();
      const refusal = retryAfter === undefined ? `${status}` : `${status}, retry after ${retryAfter} s`;
      return { status, refusal, startedAt, endedAt: kernel.now };
    });
    return kernel.runUntilDone(Promise.all(timed), everySeconds * 1000);
  };
  for (const { status } of await round())
    if (status !== 200) throw new Error('a function does not work before the outage');
  const nodes = ['api', ...Array.from({ length: edgeCount }, (_, edge) => nodeOf(edge))];
  const [begins, ends] = [kernel.now, kernel.now + outageSeconds * 1000];
  for (const node of nodes) kernel.partitioned.set(node, ends);
  const rows = functions.map(
    ([name]): OutageRow => ({ name, lastSuccess: undefined, refusals: [], firstSuccess: undefined }),
  );
  while (kernel.now < ends + 60_000) {
    for (const [index, { status, refusal, startedAt, endedAt }] of (await round()).entries()) {
      const row = rows[index];
      if (row === undefined) continue;
      if (endedAt >= ends && status === 200) row.firstSuccess ??= Math.ceil((endedAt - ends) / 1000);
      else if (status === 200) row.lastSuccess = Math.floor((startedAt - begins) / 1000);
      else if (!row.refusals.includes(refusal)) row.refusals.push(refusal);
    }
  }
  return rows;
}

/** Returns the rows of the table in docs/concepts/proof.md. */
export function describeOutage(rows: readonly OutageRow[]): string[] {
  return rows.map(({ name, lastSuccess, refusals, firstSuccess }) => {
    const works = lastSuccess === undefined ? 'no' : `for ${lastSuccess} s`;
    return `| ${name} | ${works} | ${refusals.join('; ')} | ${firstSuccess === undefined ? 'never' : `${firstSuccess} s`} |`;
  });
}
